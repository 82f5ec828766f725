"""Sample attempts at tasks and judge them, without training: one JSON line an attempt."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posttrain.core.reward import Reward
from posttrain.core.rollout import Rollout
from posttrain.core.task import Task
from posttrain.core.verdict import Verdict
from posttrain.loop.bench import Bench, Sampling, Watch, collect, plan_jobs
from posttrain.policy.protocol import Policy
from posttrain.reward.layers import RewardSpec, score
from posttrain.store.disk import replacing
from posttrain.store.jsonl import to_line
from posttrain.store.rollout_line import rollout_to_line

__all__ = ["RolloutSpec", "roll_out"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RolloutSpec:
    """Which tasks are attempted, how often, and where the attempts go."""

    tasks: Sequence[Task]
    group_size: int
    sampling: Sampling
    seed: int = 0
    out: Path | None = None


def roll_out(spec: RolloutSpec, policy: Policy, bench: Bench, watch: Watch) -> dict[str, Any]:
    """Attempt every task ``group_size`` times; returns counts and the mean reward."""
    jobs = plan_jobs(spec.tasks, run="rollout", step=0, attempts=spec.group_size, seed=spec.seed)
    collected = collect(
        jobs, policy=policy, sampling=spec.sampling, bench=bench, pay=_pay, watch=watch
    )
    with replacing(spec.out) as write:
        for rollout in collected.rollouts:
            write(to_line(rollout_to_line(rollout)))
    return {**_summary(collected.rollouts), "out": None if spec.out is None else str(spec.out)}


def _summary(rollouts: Sequence[Rollout]) -> dict[str, Any]:
    status = Counter(rollout.verdict.status.value for rollout in rollouts)
    values = [r.reward.value for r in rollouts if r.reward.value is not None]
    return {
        "attempts": len(rollouts),
        "passed": status["passed"],
        "failed": status["failed"],
        "error": status["error"],
        "reward_mean": sum(values) / len(values) if values else None,
        "tokens": sum(len(turn.token_ids) for r in rollouts for turn in r.turns),
    }


def _pay(verdict: Verdict, task: Task) -> Reward:
    return score(verdict, RewardSpec())
