"""Ask the candidate what a test wants to know, and turn whatever happens into a result."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from posttrain.verify.programs.asking import (
    Candidate,
    ForbiddenCall,
    ForgedError,
    NotLoadedError,
    OpaqueError,
    Raised,
    RefusedReplyError,
)
from posttrain.verify.programs.channel import GoneError
from posttrain.verify.programs.compare import Match, Rules, compare
from posttrain.verify.programs.frame import RefusedError
from posttrain.verify.programs.result import Ending, Result

__all__ = ["Case", "call_ending", "run_case", "run_tests"]

Run = Callable[[Candidate], Ending]
"""One test; may raise what ``Candidate.call`` raises."""

_BY_MATCH = {
    Match.EQUAL: Result.PASSED,
    Match.VALUE_DIFFERS: Result.WRONG_ANSWER,
    Match.TYPE_DIFFERS: Result.WRONG_TYPE,
}


class Case(NamedTuple):
    """Arguments and the value that is expected, all plain."""

    args: list[Any]
    kwargs: dict[str, Any]
    expect: Any


def run_case(candidate: Candidate, case: Case, rules: Rules) -> Ending:
    """One call compared by the judge's own code."""
    value, _ = candidate.call(case.args, case.kwargs)
    return Ending(_BY_MATCH[compare(case.expect, value, rules)])


def run_tests(candidate: Candidate, tests: Sequence[Run]) -> Iterator[Ending]:
    """A result for each test, in order; ends early when nothing more can be asked.

    Bytes that nobody asked for, found after the last test, add one more result, ``FORGED``.
    """
    try:
        candidate.await_loaded()
    except (NotLoadedError, ForbiddenCall, ForgedError, GoneError) as error:
        yield call_ending(error)
        return
    for test in tests:
        try:
            result = test(candidate)
        except (
            RefusedError,
            RefusedReplyError,
            OpaqueError,
            Raised,
            ForbiddenCall,
            ForgedError,
            GoneError,
        ) as error:
            result = call_ending(error)
        yield result
        if result.result.ends_grading:
            return
    try:
        candidate.finish()
    except ForgedError as error:
        yield call_ending(error)


def call_ending(error: Exception) -> Ending:
    """The result that an exception of ``Candidate`` stands for."""
    match error:
        case Raised():
            return Ending(Result.EXCEPTION, error.detail)
        case OpaqueError() if error.found.lies:
            return Ending(Result.LIE, f"{error.found.name}: {', '.join(error.found.lies)}")
        case OpaqueError():
            return Ending(Result.WRONG_TYPE, error.found.name)
        case RefusedReplyError():
            return Ending(Result.TOO_LARGE, str(error))
        case RefusedError():
            return Ending(Result.TASK_FAULT, f"an argument cannot travel: {error}")
        case ForbiddenCall():
            return Ending(Result.FORBIDDEN, str(error))
        case NotLoadedError():
            return Ending(Result.NOT_LOADED, str(error))
        case ForgedError():
            return Ending(Result.FORGED, str(error))
        case GoneError():
            return Ending(Result.GONE)
    raise error
