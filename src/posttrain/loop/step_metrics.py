"""What one step's attempts amount to, under the names of ``metrics.jsonl``.

Means are over attempts that have a reward; a mean over none is None. ``reward/<layer>/mean`` is
the mean contribution of the layer to the value.
"""

import statistics
from collections import Counter
from collections.abc import Sequence

from posttrain.core.rollout import Group, Rollout, StopReason
from posttrain.core.verdict import Status

__all__ = ["rollout_metrics"]

Value = float | int | None


def rollout_metrics(groups: Sequence[Group]) -> dict[str, Value]:
    """Rewards, group kinds, answer lengths and verdict shares of one step."""
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    return {
        **_reward_metrics(rollouts),
        **_group_metrics(groups),
        **_verdict_metrics(rollouts),
        **_answer_metrics(rollouts),
    }


def _reward_metrics(rollouts: Sequence[Rollout]) -> dict[str, Value]:
    values = [r.reward.value for r in rollouts if r.reward.value is not None]
    layers: dict[str, list[float]] = {}
    for rollout in rollouts:
        for layer in rollout.reward.layers:
            layers.setdefault(layer.name, []).append(layer.contribution)
    return {
        "reward/mean": _mean(values),
        "reward/std": statistics.pstdev(values) if values else None,
        **{f"reward/{name}/mean": _mean(parts) for name, parts in sorted(layers.items())},
    }


def _group_metrics(groups: Sequence[Group]) -> dict[str, Value]:
    judged = [group for group in groups if group.judged]
    solved = sum(group.is_solved for group in judged)
    mixed = sum(group.is_mixed for group in judged)
    return {
        "groups/total": len(groups),
        "groups/solved_all": solved,
        "groups/mixed": mixed,
        "groups/solved_none": len(judged) - solved - mixed,
        "groups/lost": len(groups) - len(judged),
    }


def _verdict_metrics(rollouts: Sequence[Rollout]) -> dict[str, Value]:
    status = Counter(rollout.verdict.status for rollout in rollouts)
    judged = status[Status.PASSED] + status[Status.FAILED]
    failures = Counter(
        r.verdict.failure.kind.value for r in rollouts if r.verdict.failure is not None
    )
    return {
        "attempts/total": len(rollouts),
        "attempts/dropped": status[Status.ERROR],
        "attempts/retried": sum(rollout.tries > 1 for rollout in rollouts),
        "verdict/pass_rate": status[Status.PASSED] / judged if judged else None,
        "verdict/error_share": status[Status.ERROR] / len(rollouts) if rollouts else None,
        "tamper/share": _mean([bool(r.verdict.tamper) for r in rollouts]),
        "suspicion/share": _mean([bool(r.verdict.suspicion) for r in rollouts]),
        **{f"failure/{kind}": number for kind, number in sorted(failures.items())},
    }


def _answer_metrics(rollouts: Sequence[Rollout]) -> dict[str, Value]:
    turns = [turn for rollout in rollouts for turn in rollout.turns]
    lengths = [len(turn.token_ids) for turn in turns]
    return {
        "completions/mean_length": _mean(lengths),
        "completions/truncated": _mean([t.stop_reason is StopReason.MAX_TOKENS for t in turns]),
        "tokens": sum(lengths),
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
