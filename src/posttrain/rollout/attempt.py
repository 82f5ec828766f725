"""One attempt: from what the policy sampled to a judged, paid record.

    turn ──► code ──► judge ──► verdict ──► reward ──► Rollout
                        └─ infrastructure fault ─► judge again (another try of the attempt)

Judge and reward are passed in, because an attempt needs no more of them than a call each. An
attempt whose last try is still an error keeps reward None: it is masked, never paid 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from posttrain.core.clock import Clock, SystemClock
from posttrain.core.errors import SandboxError, VerifierError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.reward import Reward
from posttrain.core.rollout import AttemptKey, Rollout, Turn
from posttrain.core.seeds import derive_seed
from posttrain.core.task import Task
from posttrain.core.verdict import Failure, FailureKind, Status, Validity, Verdict
from posttrain.tasks.completion import extract_code

__all__ = ["AttemptSpec", "Grade", "Pay", "run_attempt"]

KEPT_OUTPUT_BYTES = 4096

Grade = Callable[[Task, str | None, int], Verdict]
"""(task, code or None, seed) -> verdict; blocks, safe from several threads."""
Pay = Callable[[Verdict, Task], Reward]
"""(verdict, task) -> reward; pure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptSpec:
    """An answer that waits for its verdict."""

    key: AttemptKey
    task: Task
    turn: Turn
    policy_version: int
    temperature: float
    seed: int
    """Names the fresh tests and the order of cases of this grading."""
    max_tries: int = 3
    """At least 1."""


def run_attempt(spec: AttemptSpec, grade: Grade, pay: Pay, clock: Clock | None = None) -> Rollout:
    """Judge and pay one answer; an infrastructure fault is tried again up to ``max_tries``."""
    clock = clock or SystemClock()
    started_s = clock.monotonic_s()
    verdict, tries = _judge(spec, grade)
    return Rollout(
        key=spec.key,
        family=spec.task.family,
        difficulty=spec.task.difficulty,
        tries=tries,
        turns=(spec.turn,),
        policy_version_first=spec.policy_version,
        policy_version_last=spec.policy_version,
        temperature=spec.temperature,
        verdict=replace(verdict, exec=_short(verdict.exec)),
        reward=pay(verdict, spec.task),
        timings_s={"verify": clock.monotonic_s() - started_s},
    )


def _judge(spec: AttemptSpec, grade: Grade) -> tuple[Verdict, int]:
    code = extract_code(spec.turn.text)
    for tries in range(1, spec.max_tries + 1):
        verdict = _grade_once(spec, grade, code, tries)
        if verdict.validity is not Validity.INFRA_INVALID:
            break
    return verdict, tries


def _grade_once(spec: AttemptSpec, grade: Grade, code: str | None, tries: int) -> Verdict:
    try:
        return grade(spec.task, code, derive_seed(spec.seed, "try", tries))
    except (SandboxError, VerifierError) as error:
        ours = isinstance(error, SandboxError)
        return Verdict(
            task_id=spec.task.id,
            status=Status.ERROR,
            trust=spec.task.verifier.trust,
            validity=Validity.INFRA_INVALID if ours else Validity.VERIFIER_INVALID,
            failure=Failure(kind=FailureKind.INFRA, detail=str(error)),
            exec=ExecResult(outcome=Outcome.SANDBOX_ERROR, detail=str(error)),
            code=code,
        )


def _short(result: ExecResult) -> ExecResult:
    kept = slice(KEPT_OUTPUT_BYTES)
    return replace(result, stdout=result.stdout[kept], stderr=result.stderr[kept])
