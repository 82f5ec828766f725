"""Faults that are not the candidate's become errors, never failures."""

from typing import Any

import pytest

from posttrain.core.errors import LimitUnsupportedError, SandboxError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import EnvironmentSpec, GeneratorSpec, Limits
from posttrain.core.verdict import Status, Validity
from posttrain.verify.judge import Judge

CASE = {"args": [1], "expect": 1}
IDENTITY = "def f(n):\n    return n\n"


class FailingSandbox:
    """Passes everything on, except the first ``failures`` starts."""

    name = "failing"

    def __init__(self, inner: Any, failures: int, error: Exception | None = None) -> None:
        self.inner = inner
        self.failures = failures
        self.error = error or SandboxError("the host ran out of process ids")

    def prepare(self, programs: Any) -> None:
        self.inner.prepare(programs)

    def start(self, spec: Any) -> Any:
        if self.failures > 0:
            self.failures -= 1
            raise self.error
        return self.inner.start(spec)


class DeadProcess:
    def __init__(self, result: ExecResult) -> None:
        self.result = result

    def wait(self) -> ExecResult:
        return self.result

    def kill(self, outcome: Outcome = Outcome.CANCELLED) -> None:
        return


class DyingSandbox(FailingSandbox):
    """Every process ends at once with the given result."""

    def __init__(self, inner: Any, result: ExecResult) -> None:
        super().__init__(inner, 0)
        self.result = result

    def start(self, spec: Any) -> Any:
        return DeadProcess(self.result)


def graded(sandbox: Any, task: Any, code: str | None = IDENTITY) -> Any:
    judge = Judge(sandbox)
    try:
        return judge.grade(task, code, seed=1)
    finally:
        judge.close()


@pytest.fixture
def identity(make_task):
    return make_task(verifier={"visible": (CASE,)})


def test_a_sandbox_that_fails_once_is_tried_again_and_the_verdict_stands(sandbox, identity):
    assert graded(FailingSandbox(sandbox, 1), identity).passed


def test_a_sandbox_that_keeps_failing_is_an_error_without_validity(sandbox, identity):
    verdict = graded(FailingSandbox(sandbox, 99), identity)
    assert verdict.status is Status.ERROR and verdict.validity is Validity.INFRA_INVALID
    assert "process ids" in verdict.failure.detail


def test_a_limit_that_cannot_be_enforced_is_raised_and_not_judged(sandbox, identity):
    refusing = FailingSandbox(sandbox, 1, LimitUnsupportedError("no network here"))
    with pytest.raises(LimitUnsupportedError):
        graded(refusing, identity)


@pytest.mark.parametrize(
    "outcome", [Outcome.SANDBOX_DEAD, Outcome.SANDBOX_ERROR, Outcome.WALL_TIMEOUT, Outcome.OOM]
)
def test_an_end_before_candidate_code_ran_is_the_infrastructures(sandbox, identity, outcome):
    result = ExecResult(outcome=outcome, consulted=False)
    verdict = graded(DyingSandbox(sandbox, result), identity)
    assert verdict.validity is Validity.INFRA_INVALID


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome.SANDBOX_DEAD,
        Outcome.SANDBOX_ERROR,
        Outcome.WALL_TIMEOUT,
        Outcome.OOM,
        Outcome.OK,
        Outcome.NONZERO,
        Outcome.SIGNALED,
        Outcome.CANCELLED,
    ],
)
def test_the_same_end_after_candidate_code_started_is_the_candidates(sandbox, identity, outcome):
    result = ExecResult(outcome=outcome, consulted=True)
    verdict = graded(DyingSandbox(sandbox, result), identity)
    assert verdict.status is Status.FAILED and verdict.validity is Validity.VALID


def test_a_program_of_ours_that_fails_on_its_own_is_the_verifiers(sandbox, identity):
    result = ExecResult(outcome=Outcome.NONZERO, stderr=b"KeyError: 'ours'", consulted=False)
    verdict = graded(DyingSandbox(sandbox, result), identity)
    assert verdict.validity is Validity.VERIFIER_INVALID
    assert "ours" in verdict.failure.detail


def test_an_unknown_exception_of_ours_is_an_error_and_never_a_failure(sandbox, identity):
    verdict = graded(FailingSandbox(sandbox, 1, ZeroDivisionError("a bug")), identity)
    assert verdict.status is Status.ERROR and verdict.validity is Validity.VERIFIER_INVALID


@pytest.mark.parametrize(
    "verifier",
    [
        {},
        {"visible": ({"program": "assert f(1 =="},)},
        {"visible": ({"program": "import math"},)},
        {"visible": ({"args": [1]},)},
        {"visible": ({"args": {"$t": "nonsense", "v": 1}, "expect": 1},)},
        {"visible": ({"args": [1], "oracle": "reference"},)},
        {"type": "sql", "visible": (CASE,)},
    ],
)
def test_a_task_that_cannot_be_judged_is_an_error_of_the_task(judge, make_task, verifier):
    verdict = judge.grade(make_task(verifier=verifier), IDENTITY, seed=1)
    assert verdict.status is Status.ERROR and verdict.validity is Validity.TASK_INVALID


@pytest.mark.parametrize(
    "environment",
    [EnvironmentSpec(template="gpu"), EnvironmentSpec(files={"data.txt": b"1"})],
    ids=["template", "files"],
)
def test_an_environment_that_would_be_left_out_is_an_error_of_the_task(
    judge, make_task, environment
):
    task = make_task(verifier={"visible": (CASE,)}, environment=environment)
    assert judge.grade(task, IDENTITY, seed=1).validity is Validity.TASK_INVALID


@pytest.mark.parametrize(
    "ref", ["os:getcwd", "posttrain.nowhere:f", "posttrain.core.seeds:nothing"]
)
def test_a_generator_that_fails_or_is_not_ours_is_an_error_of_the_task(judge, make_task, ref):
    task = make_task(verifier={"visible": (CASE,)}, generator=GeneratorSpec(ref=ref))
    assert judge.grade(task, IDENTITY, seed=1).validity is Validity.TASK_INVALID


@pytest.mark.parametrize(
    "reference",
    [
        "def f(n):\n    return 1 / 0\n",
        "def f(n):\n    return object()\n",
        "def g(n): pass\n",
        "while True: pass\n",
        "exit(1)\n",
    ],
)
def test_a_reference_that_does_not_answer_is_an_error_of_the_task(judge, make_task, reference):
    tests = ({"args": [1], "oracle": "reference"},)
    task = make_task(
        verifier={"visible": tests}, reference=reference, limits=Limits(wall_s=1, cpu_s=0.3)
    )
    assert judge.grade(task, IDENTITY, seed=1).validity is Validity.TASK_INVALID


class CountingSandbox(DyingSandbox):
    """Counts what it started."""

    def __init__(self, inner: Any, result: ExecResult) -> None:
        super().__init__(inner, result)
        self.num_starts = 0

    def start(self, spec: Any) -> Any:
        self.num_starts += 1
        return super().start(spec)


@pytest.mark.parametrize(
    ("cpu_s", "run_delay_s", "num_starts"),
    [(0.1, 0.0, 1), (0.1, 4.5, 2), (4.0, 4.5, 1)],
    ids=["slept", "had no core", "computed"],
)
def test_only_a_timed_out_run_that_had_no_core_is_run_once_more(
    sandbox, identity, cpu_s, run_delay_s, num_starts
):
    result = ExecResult(
        outcome=Outcome.WALL_TIMEOUT,
        consulted=True,
        cpu_s=cpu_s,
        wall_s=5.0,
        run_delay_s=run_delay_s,
    )
    counting = CountingSandbox(sandbox, result)
    verdict = graded(counting, identity)
    assert verdict.status is Status.FAILED
    assert counting.num_starts == num_starts
