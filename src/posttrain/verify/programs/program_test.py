"""One test program in a namespace of its own, with a proxy in the candidate's place.

The program's own operators decide, on plain data. What the candidate raises is raised again here
as the builtin class of the same name; what it changes in its arguments is changed here too.
"""

import ast
import builtins
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from posttrain.verify.programs.asking import (
    Candidate,
    ForbiddenCall,
    ForgedError,
    OpaqueError,
    Raised,
    RefusedReplyError,
)
from posttrain.verify.programs.channel import GoneError
from posttrain.verify.programs.frame import RefusedError
from posttrain.verify.programs.result import Ending, Result
from posttrain.verify.programs.running import call_ending

__all__ = ["CHECK", "ProgramTest", "defines_check", "judge_error", "run_program"]

CHECK = "check"
"""A program that defines this function has it called with the candidate."""


_STOPPING = (
    ForbiddenCall,
    ForgedError,
    GoneError,
    OpaqueError,
    RefusedError,
    RefusedReplyError,
)
"""Ends of a call that the program must not be able to catch."""


class ProgramTest(NamedTuple):
    """Source that must run to its end, and the name that the candidate goes by."""

    source: str
    entry_point: str


class _StopTest(BaseException):
    """Ends the program, past its own ``except Exception``; ``cause`` says why."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class _Proxy:
    """Stands for the candidate's function inside a test program."""

    def __init__(self, candidate: Candidate, name: str) -> None:
        self.__name__ = self.__qualname__ = name
        self._candidate = candidate
        self.raised: list[tuple[BaseException, Raised]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = list(args)
        try:
            value, changed = self._candidate.call(given, kwargs, copy_back=True)
        except Raised as error:
            again = _builtin_error(error)
            self.raised.append((again, error))
            raise again from None
        except _STOPPING as error:
            raise _StopTest(error) from None
        if changed is not None:
            for old, new in zip(given, changed, strict=True):
                _change(old, new)
        return value

    def origin(self, error: BaseException) -> Raised | None:
        """What the candidate raised, when ``error`` is that."""
        return next((origin for again, origin in self.raised if again is error), None)


def run_program(candidate: Candidate, test: ProgramTest) -> Ending:
    """Run one program to its end; a program that never called the candidate shows nothing."""
    before = candidate.num_calls
    proxy = _Proxy(candidate, test.entry_point)
    try:
        _execute(test, proxy)
    except _StopTest as stop:
        return call_ending(stop.cause)
    except SystemExit as error:
        return Ending(Result.WRONG_ANSWER, f"the test left with status {error.code!r}")
    except BaseException as error:  # noqa: BLE001 - the boundary: any failure is a test result
        origin = proxy.origin(error)
        return call_ending(origin) if origin is not None else judge_error(error)
    if candidate.num_calls == before:
        return Ending(Result.TASK_FAULT, "the test program never called the candidate")
    return Ending(Result.PASSED)


def _execute(test: ProgramTest, proxy: Callable[..., Any]) -> None:
    namespace: dict[str, Any] = {
        "__name__": "__test__",
        "candidate": proxy,
        test.entry_point: proxy,
    }
    tree = ast.parse(test.source, "<test>")
    exec(compile(tree, "<test>", "exec", dont_inherit=True), namespace)
    if defines_check(tree):
        namespace[CHECK](proxy)


def defines_check(tree: ast.Module) -> bool:
    """True when the program leaves calling ``check`` to us."""
    is_defined = is_called = False
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            is_defined = is_defined or statement.name == CHECK
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            function = statement.value.func
            is_called = is_called or (isinstance(function, ast.Name) and function.id == CHECK)
    return is_defined and not is_called


def judge_error(error: BaseException) -> Ending:
    """The result of an error that the test program itself raised.

    Plain data cannot make a name undefined or a module missing, so these are faults of the task.
    """
    name = type(error).__name__
    if isinstance(error, AssertionError):
        return Ending(Result.WRONG_ANSWER)
    if type(error) is NameError or isinstance(error, ImportError | SyntaxError):
        return Ending(Result.TASK_FAULT, f"the test program raised {name}: {error}")
    if isinstance(error, TypeError | AttributeError):
        return Ending(Result.WRONG_TYPE, f"the test raised {name}")
    return Ending(Result.WRONG_ANSWER, f"the test raised {name}")


def _builtin_error(error: Raised) -> BaseException:
    kind = getattr(builtins, error.base, Exception)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = Exception
    try:
        return kind(error.message)
    except TypeError:
        # Unicode errors demand five arguments.
        return Exception(error.message)


def _change(old: Any, new: Any) -> None:
    """Make ``old`` equal ``new`` in place, as far down as the same containers stand."""
    if type(old) is not type(new):
        return
    if type(old) is list or type(old) is deque:
        kept = [_merged(one, other) for one, other in zip(old, new, strict=False)]
        rest = list(new)[len(kept) :]
        old.clear()
        old.extend(kept + rest)
    elif type(old) is set:
        old.clear()
        old.update(new)
    elif type(old) is bytearray:
        old[:] = new
    elif isinstance(old, dict):
        merged = {key: _merged(old[key], new[key]) if key in old else new[key] for key in new}
        old.clear()
        old.update(merged)
    elif type(old) is tuple:
        for one, other in zip(old, new, strict=False):
            _change(one, other)


def _merged(old: Any, new: Any) -> Any:
    """``old`` changed in place where it can be, else ``new``."""
    if type(old) is type(new) and isinstance(old, list | deque | set | dict | bytearray):
        _change(old, new)
        return old
    return new
