"""The candidate's host: load the code, then answer one call after another.

Holds nothing but the code, the entry point and the arguments of the call at hand: no expected
value, no test, no verdict. What it says is not believed either, since the candidate shares its
process and could say it itself; ``asking`` checks every frame.
"""

import _socket
import contextlib
import os
import random
import sys
from collections.abc import Callable
from typing import Any

from posttrain.verify.programs.channel import LOAD_ID, Channel, GoneError
from posttrain.verify.programs.forbidding import Forbidden
from posttrain.verify.programs.frame import RefusedError, Tree, dump, load
from posttrain.verify.programs.lies import LieDetector
from posttrain.verify.programs.loading import (
    MODULE_NAME,
    NotCallableError,
    compile_candidate,
    describe_error,
    find_entry_point,
    run_module,
)
from posttrain.verify.programs.pack import SCALARS, pack
from posttrain.verify.programs.unpack import unpack

__all__ = ["main", "warm_up"]

_leave = os._exit
_process_id = os.getpid


def consult() -> None:
    """Replaced by the sandbox's loader: reports that candidate code starts."""


def main(payload: bytes, fds: tuple[int, ...]) -> None:
    """Serve the calls that arrive on the first descriptor until its other end closes."""
    code, entry_point, seed, forbidden_names = load(payload)
    channel = Channel(fds[0])
    random.seed(seed)
    forbidden = Forbidden(forbidden_names) if forbidden_names else None
    consult()
    try:
        function = _load(code, entry_point, forbidden, channel)
        if function is not None:
            _serve(function, forbidden, channel)
    except GoneError:
        pass
    _flush()
    _leave(0)


def warm_up() -> None:
    """Go through what every fork will do, so that forks find its byte code specialized."""
    asker, end = _socket.socketpair()
    host = Channel(end.detach())
    function = _load(_WARM_UP_CODE, "answer", None, host)
    assert function is not None
    for args in _WARM_UP_CALLS:
        request = dump([1, args, {"d": []}, False])
        asker.sendall(len(request).to_bytes(4, "big") + request)
    asker.shutdown(_socket.SHUT_WR)
    with contextlib.suppress(GoneError):
        _serve(function, None, host)
    host.close()
    asker.close()
    del sys.modules[MODULE_NAME]


_WARM_UP_CALLS = (
    [1, -1.5, "a b", None],
    [0, 2.5, "", [1, 2]],
    [[1, 2], ["a", "b"], {"d": ["k", 1]}, {"t": [True, 2.5]}],
)
_WARM_UP_CODE = """
from typing import List, Optional

def answer(one: int, two: float, three: str, four: Optional[List[int]]) -> List[object]:
    \"\"\"Nothing of interest.\"\"\"
    found = []
    for n, part in enumerate((one, two, three, four)):
        if part and n % 2 == 0:
            found.append(part)
        elif isinstance(part, str):
            found.extend(x for x in part.split() if x != "z")
    return [found, (len(found), None), {"a": sorted(map(str, found))}, f"{one}", 1.5]
"""


def _load(
    code: str, entry_point: str, forbidden: Forbidden | None, channel: Channel
) -> Callable[..., Any] | None:
    host = _process_id()
    report: list[Tree]
    function = None
    try:
        compiled = compile_candidate(code)
    except Exception as error:  # noqa: BLE001 - the boundary: parsing may fail in any way
        report = ["syntax", f"{type(error).__name__} at line {getattr(error, 'lineno', None)}"]
    else:
        try:
            allowed = forbidden.builtins() if forbidden else None
            function = find_entry_point(run_module(compiled, allowed), entry_point)
            report = ["loaded"]
        except NotCallableError as error:
            report = ["missing", str(error)]
        except SystemExit:
            raise
        except BaseException as error:  # noqa: BLE001 - the boundary: told to the asker
            report = ["raised", *describe_error(error)]
    _stop_if_forked(host)
    channel.send(dump([LOAD_ID, *_noticed(report, forbidden)]))
    return function


def _noticed(reply: list[Tree], forbidden: Forbidden | None) -> list[Tree]:
    if forbidden is None or forbidden.called is None:
        return reply
    return ["forbidden", forbidden.called]


def _serve(function: Callable[..., Any], forbidden: Forbidden | None, channel: Channel) -> None:
    host = _process_id()
    while True:
        number, args, kwargs, copy_back = load(channel.receive())
        before = dump(args) if copy_back and not set(map(type, args)) <= SCALARS else None
        reply = _call(function, unpack(args), unpack(kwargs), before)
        _stop_if_forked(host)
        channel.send(_frame(number, _noticed(reply, forbidden)))


def _call(
    function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], before: bytes | None
) -> list[Tree]:
    try:
        value = function(*args, **kwargs)
        detector = LieDetector()
        tree = pack(value, detector.describe)
        changed = None if before is None else _changed(args, before, detector)
    except RefusedError as error:
        return ["refused", str(error)]
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the boundary: told to the asker
        return ["raised", *describe_error(error)]
    return ["value", tree, changed]


def _changed(args: list[Any], before: bytes, detector: LieDetector) -> Tree:
    after = pack(args, detector.describe)
    return None if dump(after) == before else after


def _frame(number: int, reply: list[Tree]) -> bytes:
    try:
        return dump([number, *reply])
    except RefusedError as error:
        return dump([number, "refused", str(error)])


def _stop_if_forked(host: int) -> None:
    """End a child that the candidate forked and let return: the parent alone answers."""
    if _process_id() != host:
        _leave(0)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 - a candidate may have replaced or closed the stream
            continue
