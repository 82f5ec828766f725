"""One evaluation of one policy: sampled attempts at target tasks, scored regression items, prose.

    target tasks ─ sample ∥ judge ─► outcomes ─┐
    choice items ─ score ──────────► choices  ─┼─► report (tracks with intervals, and the raw
    prose        ─ score ──────────► chunks   ─┘   outcomes, which later comparisons pair)

Seeds depend on task and attempt alone, so two policies answer with common random numbers, and a
comparison of both is paired task by task.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from posttrain.core.clock import Clock, SystemClock
from posttrain.core.reward import Reward
from posttrain.core.rollout import Rollout, Turn
from posttrain.core.task import Task
from posttrain.core.verdict import Status, Verdict
from posttrain.evaluate.gate import GateSpec
from posttrain.evaluate.regression import ChoiceItem, perplexity, score_choices
from posttrain.evaluate.report import eval_report
from posttrain.evaluate.target import TaskOutcome
from posttrain.loop.bench import Bench, Job, Sampling, collect, plan_jobs
from posttrain.policy.protocol import Policy
from posttrain.reward.layers import RewardSpec, score
from posttrain.store.event_kinds import Emit, EventKind

__all__ = [
    "EvalSpec",
    "evaluate",
    "group_by_source",
    "silent",
    "task_outcomes",
]


def silent(kind: EventKind, **fields: Any) -> None:
    """An ``Emit`` that tells nobody."""


def group_by_source(task: Task) -> str:
    """The group of a task outside the procedural set: where it comes from."""
    return task.source.name


@dataclass(frozen=True, kw_only=True, slots=True)
class EvalSpec:
    """What is evaluated, how, and under which name."""

    label: str
    step: int
    seed: int
    sampling: Sampling
    tasks: Sequence[Task] = ()
    attempts: int = 1
    choices: Sequence[ChoiceItem] = ()
    prose: Sequence[str] = ()
    group_of: Callable[[Task], str] = group_by_source
    base: Mapping[str, Any] | None = None
    """An earlier report to gate against."""
    gate: GateSpec | None = None
    report_path: str | None = None
    """For the event: where in the run directory the report will lie."""


def evaluate(
    policy: Policy, spec: EvalSpec, bench: Bench, emit: Emit = silent, clock: Clock | None = None
) -> dict[str, Any]:
    """The report object of ``reports/eval_*.json``; with ``base``, gated against that report."""
    clock = clock or SystemClock()
    started_s = clock.monotonic_s()
    _tell_start(policy, spec, emit)
    report = eval_report(
        step=spec.step,
        policy=policy.name,
        outcomes=_target(policy, spec, bench, emit, clock),
        choices=score_choices(policy, spec.choices) if spec.choices else (),
        prose=perplexity(policy, spec.prose) if spec.prose else (),
        base=spec.base,
        gate_spec=spec.gate,
    )
    wall_s = clock.monotonic_s() - started_s
    emit(
        EventKind.EVAL_FINISHED,
        label=spec.label,
        step=spec.step,
        temperature=spec.sampling.params.temperature,
        wall_s=wall_s,
        report=spec.report_path,
        target=report["tracks"]["target"],
        regression=report["tracks"]["regression"],
    )
    return {
        **report,
        "policy_version": policy.version,
        "label": spec.label,
        "temperature": spec.sampling.params.temperature,
        "attempts": spec.attempts,
        "time/eval_s": wall_s,
    }


def task_outcomes(
    rollouts: Sequence[Rollout], tasks: Sequence[Task], group_of: Callable[[Task], str]
) -> list[TaskOutcome]:
    """Per task, in task order: passed, not passed, or None where no verdict was possible."""
    passed: dict[str, list[bool | None]] = {task.id: [] for task in tasks}
    for rollout in rollouts:
        verdict = rollout.verdict
        known = verdict.status is not Status.ERROR
        passed[rollout.key.task_id].append(verdict.passed if known else None)
    return [
        TaskOutcome(
            task_id=task.id,
            family=task.family,
            group=group_of(task),
            passed=tuple(passed[task.id]),
        )
        for task in tasks
    ]


def _target(
    policy: Policy, spec: EvalSpec, bench: Bench, emit: Emit, clock: Clock
) -> list[TaskOutcome]:
    jobs = plan_jobs(
        spec.tasks, run=spec.label, step=0, attempts=spec.attempts, seed=spec.seed, purpose="eval"
    )
    collected = collect(
        jobs,
        policy=policy,
        sampling=spec.sampling,
        bench=bench,
        pay=_pay,
        watch=_EvalWatch(label=spec.label, total=len(jobs), emit=emit),
        clock=clock,
    )
    return task_outcomes(collected.rollouts, spec.tasks, spec.group_of)


def _pay(verdict: Verdict, task: Task) -> Reward:
    return score(verdict, RewardSpec())


def _tell_start(policy: Policy, spec: EvalSpec, emit: Emit) -> None:
    emit(
        EventKind.EVAL_STARTED,
        label=spec.label,
        step=spec.step,
        policy_version=policy.version,
        temperature=spec.sampling.params.temperature,
        tasks=len(spec.tasks),
        attempts=spec.attempts,
        regression_items=len(spec.choices),
    )


@dataclass(kw_only=True, slots=True)
class _EvalWatch:
    label: str
    total: int
    emit: Emit
    done: int = 0
    passed: int = 0
    every: int = field(init=False)

    def __post_init__(self) -> None:
        self.every = max(self.total // 50, 1)

    def sampled(self, job: Job, turn: Turn) -> None:
        """Progress counts verdicts, not answers."""

    def judged(self, rollout: Rollout, num_grading: int) -> None:
        """Tell about fifty times per evaluation."""
        self.done += 1
        self.passed += rollout.verdict.passed
        if self.done % self.every == 0 or self.done == self.total:
            self.emit(
                EventKind.EVAL_PROGRESS,
                label=self.label,
                done=self.done,
                total=self.total,
                passed=self.passed,
            )
