"""The judge: one task, one solution, one verdict.

    plan tests ─► expected values ─► order by seed ─► run, sandboxed ─► explain ─► Verdict
        │ task's fault      │             infrastructure's fault │ once more, then error
        └───────────────────┴──────────► error, never failed ◄───┘

Whatever fails on our side of the wall is ``error``; once candidate code was started, what happens
behind it is the candidate's own.
"""

from dataclasses import dataclass, replace

from posttrain.core.errors import PosttrainError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Task
from posttrain.core.verdict import (
    Failure,
    FailureKind,
    Finding,
    Status,
    TestCount,
    TestCounts,
    Validity,
    Verdict,
)
from posttrain.sandbox.protocol import Sandbox
from posttrain.verify.answers import answer_tests
from posttrain.verify.bundle import Bundle
from posttrain.verify.conclude import (
    check_faults,
    count_tests,
    explain_failure,
    find_tampering,
    has_left_early,
)
from posttrain.verify.fault import InfraFaultError, TaskFaultError, UnexplainedError
from posttrain.verify.oracle import Oracle
from posttrain.verify.plan import Phase, PlannedTest, StdioCase, plan_tests, shuffled
from posttrain.verify.programs.program_test import ProgramTest
from posttrain.verify.programs.running import Case
from posttrain.verify.stdio import run_stdio
from posttrain.verify.suspicion import scan_source

__all__ = ["Judge"]

_TYPES = ("function", "stdio")
_TEMPLATE = "python"
_MAX_TRIES = 2
_MAX_CODE_CHARS = 200_000
_IDLE_SHARE = 0.25
"""A wall time-out with less CPU time than this share of it was spent waiting for something."""
_STARVED_SHARE = 0.5
"""Share of its time for which a process waited for a core, from which a wait may be our fault."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Findings:
    """What one try found out; ``failure`` None is a pass."""

    tests: TestCounts
    failure: Failure | None
    exec: ExecResult
    cpu_s: float
    """Of all processes of the grading, the judge's own included."""
    run_delay_s: float
    """The longest wait of any of them for a core."""
    tamper: tuple[Finding, ...] = ()
    suspicion: tuple[Finding, ...] = ()


class Judge:
    """Grades in the caller's thread, any number of threads at a time; the sandbox is not closed."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._bundle = Bundle()
        self._oracle = Oracle(sandbox)
        sandbox.prepare(self._bundle.programs)

    def grade(self, task: Task, code: str | None, *, seed: int) -> Verdict:
        """The verdict on ``code``; ``seed`` names the fresh tests and the order of asking.

        Raises:
            PrerequisiteError: the task asks for a limit that the sandbox cannot enforce.
        """
        for tries in range(1, _MAX_TRIES + 1):
            try:
                return self._grade_once(task, code, seed)
            except InfraFaultError as error:
                if tries == _MAX_TRIES:
                    return _error(task, code, Validity.INFRA_INVALID, str(error))
            except TaskFaultError as error:
                return _error(task, code, Validity.TASK_INVALID, str(error))
            except PosttrainError:
                raise
            except Exception as error:  # noqa: BLE001 - the boundary: our fault is never "failed"
                detail = f"{type(error).__name__}: {error}"
                return _error(task, code, Validity.VERIFIER_INVALID, detail)
        raise AssertionError("a try neither returned nor failed")

    def close(self) -> None:
        """Give back what the judge holds; idempotent."""
        self._bundle.close()

    def _grade_once(self, task: Task, code: str | None, seed: int) -> Verdict:
        _check_supported(task)
        planned = plan_tests(task, seed)
        if code is None or len(code) > _MAX_CODE_CHARS:
            return _without_code(task, code, planned)
        findings = self._run(task, code, seed, planned)
        if _was_starved(findings):
            findings = self._run(task, code, seed, planned)
        return Verdict(
            task_id=task.id,
            status=Status.PASSED if findings.failure is None else Status.FAILED,
            trust=task.verifier.trust,
            tests=findings.tests,
            failure=findings.failure,
            tamper=findings.tamper,
            suspicion=(*scan_source(code), *findings.suspicion),
            exec=findings.exec,
            code=code,
        )

    def _run(self, task: Task, code: str, seed: int, planned: tuple[PlannedTest, ...]) -> _Findings:
        order = shuffled(len(planned), task, seed)
        if task.verifier.type == "stdio":
            return self._run_stdio(task, code, seed, planned, order)
        return self._run_function(task, code, seed, planned, order)

    def _run_function(
        self, task: Task, code: str, seed: int, planned: tuple[PlannedTest, ...], order: list[int]
    ) -> _Findings:
        resolved = self._oracle.resolve(task, planned)
        tests = [body for n in order if isinstance(body := resolved[n].body, Case | ProgramTest)]
        answers = answer_tests(self._sandbox, task, tests, code=code, seed=seed)
        check_faults(answers, task.verifier.trust)
        results = dict(zip(order, answers.results, strict=False))
        processes = [answers.candidate, *filter(None, [answers.tests])]
        left_early = has_left_early(answers)
        return _Findings(
            tests=count_tests(planned, results),
            failure=explain_failure(planned, results, answers),
            exec=answers.candidate,
            cpu_s=sum(process.cpu_s for process in processes),
            run_delay_s=max(process.run_delay_s for process in processes),
            tamper=find_tampering(answers.results),
            suspicion=(_EARLY_EXIT,) if left_early else (),
        )

    def _run_stdio(
        self, task: Task, code: str, seed: int, planned: tuple[PlannedTest, ...], order: list[int]
    ) -> _Findings:
        cases = [body for n in order if isinstance(body := planned[n].body, StdioCase)]
        answers, result = run_stdio(self._sandbox, task, cases, code=code, seed=seed)
        failures = dict(zip(order, answers, strict=True))
        passed = {n for n, failure in failures.items() if failure is None}
        first = next((n for n in range(len(planned)) if n not in passed), None)
        return _Findings(
            tests=_counted(planned, passed),
            failure=None if first is None else _named(planned[first], failures[first]),
            exec=replace(result, stdout=result.stdout[:_KEPT_BYTES]),
            cpu_s=result.cpu_s,
            run_delay_s=result.run_delay_s,
        )


_KEPT_BYTES = 65536
_EARLY_EXIT = Finding(kind="early_exit", evidence="status 0 while answers were owed")


def _was_starved(findings: _Findings) -> bool:
    """True for a wall time-out of processes that mostly waited, and that for a core.

    The machine's other work is to blame then: such a try is repeated once. Sleeping, or waiting for
    something else, is the candidate's own.
    """
    wall_s = findings.exec.wall_s
    return (
        findings.exec.outcome is Outcome.WALL_TIMEOUT
        and findings.cpu_s < _IDLE_SHARE * wall_s
        and findings.run_delay_s >= _STARVED_SHARE * wall_s
    )


def _check_supported(task: Task) -> None:
    """Refuse what would be left out silently: a verdict in another environment is no verdict."""
    if task.verifier.type not in _TYPES:
        raise TaskFaultError(
            f"verifier type {task.verifier.type!r} is unknown here; known: {', '.join(_TYPES)}"
        )
    if task.environment.template != _TEMPLATE or task.environment.files:
        raise TaskFaultError(
            f"the judge runs template {_TEMPLATE!r} without files, the task asks for "
            f"{task.environment.template!r} with {len(task.environment.files)} files"
        )


def _without_code(task: Task, code: str | None, planned: tuple[PlannedTest, ...]) -> Verdict:
    detail = "no code in the answer" if code is None else f"more than {_MAX_CODE_CHARS} characters"
    return Verdict(
        task_id=task.id,
        status=Status.FAILED,
        trust=task.verifier.trust,
        tests=_counted(planned, set()),
        failure=Failure(kind=FailureKind.FORMAT, detail=detail),
        exec=ExecResult(outcome=Outcome.CANCELLED, detail="nothing was run"),
        code=None if code is None else code[:_MAX_CODE_CHARS],
    )


def _error(task: Task, code: str | None, validity: Validity, detail: str) -> Verdict:
    return Verdict(
        task_id=task.id,
        status=Status.ERROR,
        trust=task.verifier.trust,
        validity=validity,
        failure=Failure(kind=FailureKind.INFRA, detail=detail),
        exec=ExecResult(outcome=Outcome.SANDBOX_ERROR, detail=detail),
        code=code,
    )


def _counted(planned: tuple[PlannedTest, ...], passed: set[int]) -> TestCounts:
    counts = {}
    for phase in Phase:
        own = [n for n, test in enumerate(planned) if test.phase is phase]
        counts[phase.value] = TestCount(passed=len(passed.intersection(own)), total=len(own))
    return TestCounts(**counts)


def _named(test: PlannedTest, failure: Failure | None) -> Failure:
    if failure is None:
        raise UnexplainedError(f"{test.name} has no failure")
    return replace(failure, detail=": ".join(filter(None, (test.name, failure.detail))))
