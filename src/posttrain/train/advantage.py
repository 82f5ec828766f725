"""Group-relative advantages: how much better an attempt was than its siblings.

An attempt without a reward is None here and stays None; it moves no baseline. A tampered attempt
counts as an ordinary failure (0) in its group's mean, and its penalty is added to its own
advantage only: a penalty inside the mean would reward its wrong siblings.

Which groups carry signal is told by verdicts (``group_kind``), never by the spread of rewards.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "AdvantageSpec",
    "AttemptValue",
    "Baseline",
    "GroupKind",
    "Scale",
    "group_advantages",
    "group_kind",
]


class Baseline(StrEnum):
    """What is subtracted from an attempt's value."""

    MEAN = "mean"
    """Mean of the group."""
    LEAVE_ONE_OUT = "leave_one_out"
    """Mean of the siblings (RLOO)."""


class Scale(StrEnum):
    """What the difference is divided by."""

    NONE = "none"
    STD = "std"
    """The group's deviation, at least ``scale_floor``."""


class GroupKind(StrEnum):
    """What a group's verdicts say together."""

    MIXED = "mixed"
    SOLVED = "solved"
    UNSOLVED = "unsolved"
    LOST = "lost"
    """No attempt was judged."""

    @property
    def has_signal(self) -> bool:
        """True when verdicts differ."""
        return self is GroupKind.MIXED


@dataclass(frozen=True, kw_only=True, slots=True)
class AdvantageSpec:
    """Raises ``ValueError`` for a negative floor, epsilon or clip."""

    baseline: Baseline = Baseline.MEAN
    scale: Scale = Scale.NONE
    scale_floor: float = 0.25
    """Smallest deviation divided by: below it, style would outweigh correctness in a group whose
    attempts all passed."""
    ddof: int = 1
    epsilon: float = 1e-6
    """Added to the deviation."""
    clip: float | None = 3.0
    """Bound on the absolute advantage, penalty included."""

    def __post_init__(self) -> None:
        if self.scale_floor < 0 or self.epsilon < 0 or (self.clip is not None and self.clip <= 0):
            raise ValueError(
                f"scale_floor {self.scale_floor!r}, epsilon {self.epsilon!r}, clip {self.clip!r}: "
                "the first two must be at least 0, clip above 0 or None"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptValue:
    """What one attempt of a group was worth."""

    value: float | None
    """The reward, penalty included; None when the attempt could not be judged."""
    passed: bool = False
    tampered: bool = False
    penalty: float = 0.0
    """0 or negative; used only where ``tampered``."""


def group_kind(attempts: Sequence[AttemptValue]) -> GroupKind:
    """Mixed, solved or unsolved by the verdicts of the judged attempts."""
    verdicts = {attempt.passed for attempt in attempts if attempt.value is not None}
    if not verdicts:
        return GroupKind.LOST
    if len(verdicts) == 2:
        return GroupKind.MIXED
    return GroupKind.SOLVED if verdicts.pop() else GroupKind.UNSOLVED


def group_advantages(attempts: Sequence[AttemptValue], spec: AdvantageSpec) -> list[float | None]:
    """One advantage per attempt, in order; None exactly where the value is None.

    A_i = clip((r_i - b_i) / s + penalty_i), over the judged attempts of the group, where r_i is
    the value (0 for a tampered attempt), b_i the baseline, and s is 1 or max(deviation, floor) +
    epsilon. Without penalties the advantages sum to 0. A group of one gets 0.
    """
    judged = [attempt for attempt in attempts if attempt.value is not None]
    relative = iter(_relative([_group_value(attempt) for attempt in judged], spec))
    return [
        None
        if attempt.value is None
        else _clipped(next(relative) + (attempt.penalty if attempt.tampered else 0.0), spec.clip)
        for attempt in attempts
    ]


def _group_value(attempt: AttemptValue) -> float:
    return 0.0 if attempt.tampered or attempt.value is None else attempt.value


def _relative(values: Sequence[float], spec: AdvantageSpec) -> list[float]:
    num = len(values)
    if num < 2 or min(values) == max(values):
        return [0.0] * num
    mean = math.fsum(values) / num
    stretch = num / (num - 1) if spec.baseline is Baseline.LEAVE_ONE_OUT else 1.0
    scale = _scale(values, mean, spec)
    return [(value - mean) * stretch / scale for value in values]


def _scale(values: Sequence[float], mean: float, spec: AdvantageSpec) -> float:
    if spec.scale == Scale.NONE:
        return 1.0
    squares = math.fsum((value - mean) ** 2 for value in values)
    return max(math.sqrt(squares / (len(values) - spec.ddof)), spec.scale_floor) + spec.epsilon


def _clipped(advantage: float, bound: float | None) -> float:
    return advantage if bound is None else max(-bound, min(bound, advantage))
