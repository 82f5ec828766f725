"""How one test ended, as a closed list with a detail."""

from enum import StrEnum
from typing import NamedTuple

__all__ = ["Ending", "Result"]


class Result(StrEnum):
    """How one test ended; anything but ``PASSED`` is not a pass."""

    PASSED = "passed"
    WRONG_ANSWER = "wrong_answer"
    WRONG_TYPE = "wrong_type"
    EXCEPTION = "exception"
    TOO_LARGE = "too_large"
    FORBIDDEN = "forbidden"
    LIE = "lie"
    FORGED = "forged"
    GONE = "gone"
    """The candidate's process was closed before it answered."""
    NOT_LOADED = "not_loaded"
    TASK_FAULT = "task_fault"

    @property
    def ends_grading(self) -> bool:
        """True when no later test can be asked."""
        return self in (Result.FORGED, Result.GONE, Result.NOT_LOADED)


class Ending(NamedTuple):
    """``detail`` is short and the same from run to run."""

    result: Result
    detail: str = ""
