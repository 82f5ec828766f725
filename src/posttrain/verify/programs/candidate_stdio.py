"""Run candidate code as the main program: standard input in, standard output out.

It ends as an interpreter would end it: threads joined, exit handlers run, streams flushed.
"""

import atexit
import os
import random
import sys
import threading
import types

from posttrain.verify.programs.frame import load
from posttrain.verify.programs.loading import CANDIDATE_FILE, compile_candidate

__all__ = ["main"]

_leave = os._exit


def consult() -> None:
    """Replaced by the sandbox's loader: reports that candidate code starts."""


def main(payload: bytes, fds: tuple[int, ...]) -> None:
    """Execute the code as ``__main__``; the exit status is the interpreter's own for it."""
    code, seed = load(payload)
    random.seed(seed)
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv = [CANDIDATE_FILE]
    consult()
    status = _run(code, module)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        status = status or 120
    _leave(status)


def _run(code: str, module: types.ModuleType) -> int:
    try:
        exec(compile_candidate(code), module.__dict__)
    except SystemExit as stop:
        return _status(stop.code)
    except BaseException:  # noqa: BLE001 - the boundary: what an interpreter does at top level
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def _status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1
