"""Run candidate code as a module, and describe what it raised."""

import builtins
import site
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = [
    "CANDIDATE_FILE",
    "MODULE_NAME",
    "NotCallableError",
    "compile_candidate",
    "describe_error",
    "find_entry_point",
    "run_module",
]

CANDIDATE_FILE = "<candidate>"
MODULE_NAME = "candidate"
_MAX_MESSAGE = 200

# Interpreters inside the wall start without ``site``, which gives programs ``exit`` and ``quit``.
site.setquit()


class NotCallableError(LookupError):
    """The module does not define the entry point, or defines something else by its name."""


def compile_candidate(code: str) -> types.CodeType:
    """Byte code; fails as ``compile`` fails."""
    return compile(code, CANDIDATE_FILE, "exec", dont_inherit=True)


def run_module(code: types.CodeType, given_builtins: dict[str, Any] | None) -> dict[str, Any]:
    """Execute as a module that ``sys.modules`` knows, as dataclasses need it."""
    module = types.ModuleType(MODULE_NAME)
    sys.modules[MODULE_NAME] = module
    sys.argv = [MODULE_NAME]
    if given_builtins is not None:
        module.__dict__["__builtins__"] = given_builtins
    exec(code, module.__dict__)
    return module.__dict__


def find_entry_point(namespace: dict[str, Any], name: str) -> Callable[..., Any]:
    """The function by that name; raises ``NotCallableError``."""
    if name not in namespace:
        raise NotCallableError(f"{name} is not defined")
    function: Callable[..., Any] = namespace[name]
    if not callable(function):
        raise NotCallableError(f"{name} is not callable")
    return function


def describe_error(error: BaseException) -> list[Any]:
    """``[class, nearest builtin class, message, line of the candidate or null]``."""
    kind = type(error)
    return [kind.__name__, _builtin_base(kind), _message(error), _line(error)]


def _builtin_base(kind: type) -> str:
    for entry in kind.__mro__:
        if getattr(builtins, entry.__name__, None) is entry:
            return str(entry.__name__)
    return "Exception"


def _message(error: BaseException) -> str:
    try:
        return str(error)[:_MAX_MESSAGE]
    except SystemExit:
        raise
    except BaseException:  # noqa: BLE001 - the boundary: a candidate's __str__ may raise anything
        return ""


def _line(error: BaseException) -> int | None:
    line = None
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == CANDIDATE_FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
