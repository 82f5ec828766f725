"""What the policy did: one attempt, its tokens as sampled, its verdict and its reward.

An attempt is (run, step, task, index). A retry after an infrastructure fault is another *try* of
the same attempt. Ratios are computed on ``Turn.token_ids`` as sampled, never on re-tokenised text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from posttrain.core.reward import Reward
from posttrain.core.verdict import Verdict

__all__ = ["AttemptKey", "Group", "Rollout", "StopReason", "Turn"]


class AttemptKey(NamedTuple):
    """Names one attempt; the ledger trains on it at most once."""

    run: str
    step: int
    task_id: str
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody calls


class StopReason(StrEnum):
    """Why the policy stopped."""

    EOS = "eos"
    STOP_SEQUENCE = "stop_sequence"
    MAX_TOKENS = "max_tokens"
    MAX_TURNS = "max_turns"
    ABORTED = "aborted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One contiguous span of policy tokens with the tokens that it was conditioned on."""

    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    """Behaviour log-probs at the sampling temperature, one per token id."""
    text: str
    """Decoded answer including the prefilled begin of it."""
    stop_reason: StopReason


@dataclass(frozen=True, kw_only=True, slots=True)
class Rollout:
    """One judged attempt, as written to ``rollouts/step_*.jsonl``."""

    key: AttemptKey
    family: str
    difficulty: float | None
    tries: int
    turns: tuple[Turn, ...]
    policy_version_first: int
    policy_version_last: int
    temperature: float
    verdict: Verdict
    reward: Reward
    timings_s: Mapping[str, float] = field(default_factory=dict)
    """Seconds by phase: queue, boot, setup, agent, verify."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The attempts at one task from one policy version, in index order."""

    task_id: str
    rollouts: tuple[Rollout, ...]

    @property
    def passes(self) -> int:
        """Attempts whose verdict is a pass."""
        return sum(rollout.verdict.passed for rollout in self.rollouts)

    @property
    def judged(self) -> tuple[Rollout, ...]:
        """Attempts that have a reward."""
        return tuple(r for r in self.rollouts if r.reward.value is not None)

    @property
    def is_mixed(self) -> bool:
        """True when verdicts differ, which is where learning signal comes from."""
        return 0 < self.passes < len(self.judged)

    @property
    def is_solved(self) -> bool:
        """True when every judged attempt passed."""
        return bool(self.judged) and self.passes == len(self.judged)
