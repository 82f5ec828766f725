"""From judged attempts to what the learner takes: groups, advantages, sequences.

Everything here is a pure function and sorts by key first, so that a batch does not depend on the
order in which its attempts were judged.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from posttrain.core.rollout import AttemptKey, Group, Rollout
from posttrain.train.advantage import AdvantageSpec, AttemptValue, group_advantages
from posttrain.train.sequences import RlSequence

__all__ = ["advantages_by_key", "form_groups", "rl_sequences"]


def form_groups(rollouts: Sequence[Rollout], group_size: int) -> list[Group]:
    """The groups in (task, index) order; attempts of a task beyond ``group_size`` form the next."""

    def place(rollout: Rollout) -> tuple[str, int]:
        return rollout.key.task_id, rollout.key.index // group_size

    ordered = sorted(rollouts, key=lambda rollout: rollout.key)
    return [
        Group(task_id=task_id, rollouts=tuple(members))
        for (task_id, _), members in groupby(ordered, key=place)
    ]


def advantages_by_key(
    groups: Sequence[Group], spec: AdvantageSpec
) -> dict[AttemptKey, float | None]:
    """Each attempt's advantage in its group; None for attempts that have no reward."""
    found: dict[AttemptKey, float | None] = {}
    for group in groups:
        values = [_value(rollout) for rollout in group.rollouts]
        keys = [rollout.key for rollout in group.rollouts]
        found.update(zip(keys, group_advantages(values, spec), strict=True))
    return found


def _value(rollout: Rollout) -> AttemptValue:
    return AttemptValue(
        value=rollout.reward.value,
        passed=rollout.verdict.passed,
        tampered=bool(rollout.verdict.tamper),
        penalty=rollout.reward.penalty,
    )


def rl_sequences(
    groups: Sequence[Group], advantages: Mapping[AttemptKey, float | None]
) -> list[RlSequence]:
    """One sequence a turn of every attempt that has an advantage, in key order."""
    return [
        RlSequence(
            prompt_ids=turn.prompt_ids,
            answer_ids=turn.token_ids,
            behaviour_logprobs=turn.logprobs,
            advantage=advantage,
            temperature=rollout.temperature,
        )
        for group in groups
        for rollout in group.rollouts
        if (advantage := advantages[rollout.key]) is not None
        for turn in rollout.turns
        if turn.token_ids
    ]
