"""The asking end of the candidate's channel: one call at a time, every reply checked.

    asker ── [id, args, kwargs, copy back] ──► candidate's host
          ◄── [id, "value", value, changed arguments or null]
          ◄── [id, "raised", class, builtin class, message, line]
          ◄── [id, "refused", why the value cannot travel]
          ◄── [id, "forbidden", name of the forbidden function that was called]

The first frame, with id 0, tells how loading went. Ids are random, so a frame that was not asked
for does not pass as a reply: whatever does not fit is ``ForgedError``, an act of the candidate.
"""

import os
from typing import Any

from posttrain.verify.programs.channel import LOAD_ID, Channel
from posttrain.verify.programs.frame import MalformedError, Opaque, Tree, dump, load
from posttrain.verify.programs.pack import pack
from posttrain.verify.programs.unpack import opaque_values, unpack

__all__ = [
    "Candidate",
    "ForbiddenCall",
    "ForgedError",
    "NotLoadedError",
    "OpaqueError",
    "Raised",
    "RefusedReplyError",
]

_MAX_TEXT = 300


class ForgedError(Exception):
    """A frame that the candidate's host does not send."""


class ForbiddenCall(Exception):  # noqa: N818 - an act of the candidate, not an error of the asker
    """The candidate called what the task forbids, whether or not it went on afterwards."""


class NotLoadedError(Exception):
    """The candidate's code did not come to the point where it can be called.

    ``why`` is ``syntax``, ``raised`` or ``missing``.
    """

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(f"{why}: {detail}")
        self.why = why
        self.detail = detail


class RefusedReplyError(Exception):
    """The candidate returned a value that is too deep, too long or too large to travel."""


class OpaqueError(Exception):
    """The candidate returned something that is, or holds, other than plain data."""

    def __init__(self, found: Opaque) -> None:
        super().__init__(found.name)
        self.found = found


class Raised(Exception):  # noqa: N818 - what a call ended with, not an error of the asker
    """The candidate raised; ``base`` is the nearest builtin class of what it raised."""

    def __init__(self, *, name: str, base: str, message: str, line: int | None) -> None:
        super().__init__(name, message)
        self.name = name
        self.base = base
        self.message = message
        self.line = line

    @property
    def detail(self) -> str:
        """Class and line, which stay the same from run to run."""
        return self.name if self.line is None else f"{self.name} at line {self.line}"


class Candidate:
    """A loaded candidate behind a channel; not safe to share between threads."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._has_opaque = False
        self.num_calls = 0

    def await_loaded(self) -> None:
        """Wait until the code has run.

        Raises:
            NotLoadedError, ForbiddenCall, ForgedError, GoneError: it cannot be called.
        """
        reply = self._reply(LOAD_ID)
        match reply:
            case ["loaded"]:
                return
            case ["syntax" | "missing" as why, str(detail)]:
                raise NotLoadedError(why, detail[:_MAX_TEXT])
            case ["raised", *parts]:
                raise NotLoadedError("raised", _raised(parts).detail)
            case ["forbidden", str(name)]:
                raise ForbiddenCall(name[:_MAX_TEXT])
        raise ForgedError("a frame that reports no loading")

    def call(
        self, args: list[Any], kwargs: dict[str, Any], *, copy_back: bool = False
    ) -> tuple[Any, list[Any] | None]:
        """The value, and the arguments as they are afterwards if the call changed them.

        Raises:
            RefusedError: an argument cannot travel.
            Raised, RefusedReplyError, OpaqueError, ForbiddenCall: how the call ended instead.
            ForgedError, GoneError: nothing more can be asked.
        """
        number = int.from_bytes(os.urandom(7), "big") + 1
        request = dump([number, pack(args), pack(kwargs), copy_back])
        self.num_calls += 1
        self._channel.send(request)
        match self._reply(number):
            case ["value", value, None]:
                return self._plain(value), None
            case ["value", value, list(changed)] if len(changed) == len(args):
                return self._plain(value), self._changed(changed)
            case ["raised", *parts]:
                raise _raised(parts)
            case ["refused", str(reason)]:
                raise RefusedReplyError(reason[:_MAX_TEXT])
            case ["forbidden", str(name)]:
                raise ForbiddenCall(name[:_MAX_TEXT])
        raise ForgedError("a reply of no known form")

    def finish(self) -> None:
        """Say that no call follows; raises ``ForgedError`` when unasked bytes have arrived."""
        surplus = self._channel.has_surplus()
        self._channel.close()
        if surplus:
            raise ForgedError("bytes after the last reply")

    def _reply(self, number: int) -> list[Tree]:
        try:
            frame = self._channel.receive()
            reply = load(frame)
        except MalformedError as error:
            raise ForgedError(str(error)) from None
        if type(reply) is not list or not reply or type(reply[0]) is not int:
            raise ForgedError("a frame without an id")
        if reply[0] != number:
            raise ForgedError("a frame that answers nothing that was asked")
        # Quotes inside a JSON text are escaped, so these bytes are a tag and nothing else.
        self._has_opaque = b'{"x":' in frame
        return reply[1:]

    def _plain(self, tree: Tree) -> Any:
        value, found = _read(tree, self._has_opaque)
        if found is not None:
            raise OpaqueError(found)
        return value

    def _changed(self, tree: list[Tree]) -> list[Any] | None:
        """Arguments into which the candidate put other than plain data are left as they were."""
        value, found = _read(tree, self._has_opaque)
        if found is not None and found.lies:
            raise OpaqueError(found)
        return value if found is None else None


def _read(tree: Tree, look_for_opaque: bool) -> tuple[Any, Opaque | None]:
    """The value, and the opaque value in it that lies most, if it holds any."""
    try:
        value = unpack(tree)
        found = opaque_values(tree) if look_for_opaque else []
    except MalformedError as error:
        raise ForgedError(str(error)) from None
    return value, max(found, key=lambda opaque: len(opaque.lies), default=None)


def _raised(parts: list[Tree]) -> Raised:
    match parts:
        case [str(name), str(base), str(message), (int() | None) as line]:
            return Raised(name=name[:_MAX_TEXT], base=base, message=message[:_MAX_TEXT], line=line)
    raise ForgedError("an exception of no known form")
