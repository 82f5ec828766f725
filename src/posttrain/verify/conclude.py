"""From what was observed to a verdict: fail closed, and blame only whom the evidence names.

    forged frame, lying object            failed, tamper
    a limit ended the candidate           failed, timeout | memory | output | disk | pids
    the code did not load                 failed, syntax | exception | target
    gone while answers were owed          failed, exit | crash
    a limit ended the test process        failed: the candidate's data cost that
    a test that is not answered right     failed, by the first one in the task's order
    every expected test answered right    passed, provided that the process also ended well

A pass needs a complete positive record; whatever is left over is the verifier's own fault.
"""

import signal
from collections.abc import Mapping, Sequence

from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Trust
from posttrain.core.verdict import Failure, FailureKind, Finding, TestCount, TestCounts
from posttrain.verify.answers import Answers
from posttrain.verify.fault import InfraFaultError, TaskFaultError, UnexplainedError
from posttrain.verify.plan import Phase, PlannedTest
from posttrain.verify.programs.result import Ending, Result

__all__ = [
    "check_consulted",
    "check_faults",
    "count_tests",
    "ended_badly",
    "explain_failure",
    "find_tampering",
    "has_left_early",
    "limit_failure",
]

Results = Mapping[int, Ending]
"""Results by the test's position in the task's order."""

_LIMIT_KINDS = {
    Outcome.CPU_TIMEOUT: FailureKind.TIMEOUT,
    Outcome.WALL_TIMEOUT: FailureKind.TIMEOUT,
    Outcome.IDLE_TIMEOUT: FailureKind.TIMEOUT,
    Outcome.OOM: FailureKind.MEMORY,
    Outcome.PIDS_LIMIT: FailureKind.PIDS,
    Outcome.OUTPUT_LIMIT: FailureKind.OUTPUT,
    Outcome.DISK_LIMIT: FailureKind.DISK,
}
_RESULT_KINDS = {
    Result.WRONG_ANSWER: FailureKind.WRONG_ANSWER,
    Result.WRONG_TYPE: FailureKind.WRONG_TYPE,
    Result.EXCEPTION: FailureKind.EXCEPTION,
    Result.TOO_LARGE: FailureKind.OUTPUT,
    Result.FORBIDDEN: FailureKind.FORBIDDEN,
    Result.LIE: FailureKind.TAMPER,
    Result.FORGED: FailureKind.TAMPER,
    Result.TASK_FAULT: FailureKind.WRONG_ANSWER,
}
_SHOWN_BYTES = 500
_ACTS = {
    Result.LIE: "lying_object",
    Result.FORGED: "forged_frame",
    Result.FORBIDDEN: "forbidden_call",
}
_LOAD_KINDS = {"syntax": FailureKind.SYNTAX, "missing": FailureKind.TARGET}


def check_faults(answers: Answers, trust: Trust) -> None:
    """Raise when there can be no verdict through no fault of the candidate.

    A candidate that shares the test process (trust ``shared``) could write anything about the
    task, so a task fault counts only where it could not.
    """
    check_consulted(answers.candidate)
    if answers.tests is not None and answers.tests.outcome.is_ours:
        raise InfraFaultError(answers.tests.detail or answers.tests.outcome.value)
    if trust is Trust.ISOLATED:
        for result, detail in answers.results:
            if result is Result.TASK_FAULT:
                raise TaskFaultError(detail)


def check_consulted(result: ExecResult) -> None:
    """Raise unless candidate code was started: what came before is not the candidate's.

    Raises:
        UnexplainedError: our own program failed.
        InfraFaultError: its sandbox failed, or had no time to start it.
    """
    if result.consulted:
        return
    if result.outcome in (Outcome.NONZERO, Outcome.SIGNALED, Outcome.OK):
        last_lines = result.stderr[-_SHOWN_BYTES:].decode("utf-8", "replace").strip()
        raise UnexplainedError(f"a sandbox program ended on its own: {last_lines}")
    raise InfraFaultError(result.detail or result.outcome.value)


def find_tampering(results: Sequence[Ending]) -> tuple[Finding, ...]:
    """Observed acts, each once."""
    found = [
        Finding(kind=_ACTS[result], evidence=detail)
        for result, detail in results
        if result in _ACTS
    ]
    return tuple(dict.fromkeys(found))


def count_tests(planned: Sequence[PlannedTest], results: Results) -> TestCounts:
    """Passed and expected tests by phase; a test without a result is not passed."""
    counts = {}
    for phase in Phase:
        own = [n for n, test in enumerate(planned) if test.phase is phase]
        passed = sum(n in results and results[n].result is Result.PASSED for n in own)
        counts[phase.value] = TestCount(passed=passed, total=len(own))
    return TestCounts(**counts)


def explain_failure(
    planned: Sequence[PlannedTest], results: Results, answers: Answers
) -> Failure | None:
    """The first reason why this is no pass, or None for a complete positive record.

    Raises:
        UnexplainedError: tests are unanswered and no evidence says why.
    """
    tampering = find_tampering(answers.results)
    if tampering:
        first = tampering[0]
        is_call = first.kind == _ACTS[Result.FORBIDDEN]
        kind = FailureKind.FORBIDDEN if is_call else FailureKind.TAMPER
        return Failure(kind=kind, detail=f"{first.kind}: {first.evidence}")
    return (
        limit_failure(answers.candidate)
        or _not_loaded(answers.results)
        or _gone(answers)
        or _tests_failure(answers)
        or _first_wrong(planned, results)
        or ended_badly(answers.candidate)
    )


def limit_failure(result: ExecResult) -> Failure | None:
    """The failure for a limit that ended an execution."""
    kind = _LIMIT_KINDS.get(result.outcome)
    return None if kind is None else Failure(kind=kind, detail=result.outcome.value)


def has_left_early(answers: Answers) -> bool:
    """True when the candidate ended with status 0 while answers were owed: suspicious."""
    return _is_gone(answers) and answers.candidate.outcome is Outcome.OK


def _is_gone(answers: Answers) -> bool:
    if answers.tests is None and not answers.is_complete:
        return True
    return any(result is Result.GONE for result, _ in answers.results)


def _gone(answers: Answers) -> Failure | None:
    if not _is_gone(answers):
        return None
    return ended_badly(answers.candidate) or Failure(
        kind=FailureKind.EXIT, detail="left with status 0 before answering"
    )


def ended_badly(result: ExecResult) -> Failure | None:
    """The failure for an execution that did not end with status 0."""
    match result.outcome:
        case Outcome.OK:
            return None
        case Outcome.NONZERO:
            return Failure(kind=FailureKind.EXIT, detail=f"left with status {result.exit_code}")
        case Outcome.SIGNALED:
            return Failure(kind=FailureKind.CRASH, detail=_signal_name(result.signal))
    return Failure(kind=FailureKind.CRASH, detail=result.outcome.value)


def _signal_name(number: int | None) -> str:
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def _not_loaded(results: Sequence[Ending]) -> Failure | None:
    for result, detail in results:
        if result is Result.NOT_LOADED:
            why, _, rest = detail.partition(": ")
            return Failure(kind=_LOAD_KINDS.get(why, _error_kind(rest)), detail=rest)
    return None


def _error_kind(detail: str) -> FailureKind:
    is_memory = detail.partition(" ")[0] == "MemoryError"
    return FailureKind.MEMORY if is_memory else FailureKind.EXCEPTION


def _tests_failure(answers: Answers) -> Failure | None:
    """What ended a test process that did not finish; the candidate's data is all it works on."""
    if answers.is_complete or answers.tests is None:
        return None
    limit = limit_failure(answers.tests)
    if limit is not None:
        return Failure(kind=limit.kind, detail=f"{limit.detail} while its answer was compared")
    if answers.tests.outcome is Outcome.SIGNALED:
        return Failure(kind=FailureKind.CRASH, detail="its answer crashed the comparison")
    raise UnexplainedError(f"the test process ended with {answers.tests.outcome.value}")


def _first_wrong(planned: Sequence[PlannedTest], results: Results) -> Failure | None:
    for number, test in enumerate(planned):
        if number not in results:
            raise UnexplainedError(f"{test.name} has no result")
        result, detail = results[number]
        if result is not Result.PASSED:
            kind = _RESULT_KINDS[result]
            if kind is FailureKind.EXCEPTION:
                kind = _error_kind(detail)
            return Failure(kind=kind, detail=f"{test.name}: {detail}" if detail else test.name)
    return None
