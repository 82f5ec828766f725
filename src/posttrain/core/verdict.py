"""What the judge found out about one solution.

A pass needs a complete positive record: every expected test answered, by the judge. ``error``
means that no verdict was possible through no fault of the candidate; it never becomes a reward.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from posttrain.core.execution import ExecResult
from posttrain.core.task import Trust

__all__ = [
    "Failure",
    "FailureKind",
    "Finding",
    "Status",
    "TestCount",
    "TestCounts",
    "Validity",
    "Verdict",
]


class Status(StrEnum):
    """The judge's answer."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


class Validity(StrEnum):
    """Whether a verdict may become a reward, and if not, whose fault that is."""

    VALID = "valid"
    INFRA_INVALID = "infra_invalid"
    VERIFIER_INVALID = "verifier_invalid"
    TASK_INVALID = "task_invalid"


class FailureKind(StrEnum):
    """Why a solution did not pass; ``INFRA`` is the only one that is not the candidate's."""

    FORMAT = "format"
    SYNTAX = "syntax"
    COMPILE = "compile"
    EXCEPTION = "exception"
    EXIT = "exit"
    CRASH = "crash"
    BYPASS = "bypass"
    TARGET = "target"
    WRONG_ANSWER = "wrong_answer"
    WRONG_TYPE = "wrong_type"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    DISK = "disk"
    PIDS = "pids"
    FORBIDDEN = "forbidden"
    TAMPER = "tamper"
    INFRA = "infra"


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The first reason, short and stable enough to group by."""

    kind: FailureKind
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One observed act of tampering, or one suspicion raised by reading the source."""

    kind: str
    evidence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCount:
    """Tests passed out of those expected."""

    __test__ = False

    passed: int = 0
    total: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCounts:
    """Counts by visibility; fresh tests are generated for one grading."""

    __test__ = False

    visible: TestCount = field(default_factory=TestCount)
    hidden: TestCount = field(default_factory=TestCount)
    fresh: TestCount = field(default_factory=TestCount)

    @property
    def passed(self) -> int:
        """Passed tests of all three kinds."""
        return self.visible.passed + self.hidden.passed + self.fresh.passed

    @property
    def total(self) -> int:
        """Expected tests of all three kinds."""
        return self.visible.total + self.hidden.total + self.fresh.total

    @property
    def share(self) -> float:
        """Share of tests passed; 0 when there are none."""
        return self.passed / self.total if self.total else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One judged solution; ``tamper`` holds observed acts only, ``suspicion`` changes no value."""

    task_id: str
    status: Status
    trust: Trust
    validity: Validity = Validity.VALID
    tests: TestCounts = field(default_factory=TestCounts)
    failure: Failure | None = None
    tamper: tuple[Finding, ...] = ()
    suspicion: tuple[Finding, ...] = ()
    exec: ExecResult
    code: str | None = None
    """The judged source, None when the completion held none."""

    @property
    def passed(self) -> bool:
        """True only for a complete positive record."""
        return self.status is Status.PASSED
