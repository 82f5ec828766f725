"""Phases: which difficulty is unlocked when, and what is paid meanwhile.

    phase 0 ──measured rate >= unlock_pass_rate, `patience` steps in a row──► phase 1 ──► ...
        ◄──measured rate < unlock_pass_rate - relock_gap, `patience` steps in a row──
            ──step >= unlock_step──► and never back

The rate that unlocks phase i + 1, and that can lock it again, is measured on the tasks that phase i
has already unlocked, so that the harder tasks of phase i + 1 do not lock their own phase. The gap
and the patience keep noise from moving the run to and fro.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from posttrain.reward.layers import LAYER_NAMES, RewardSpec

__all__ = ["Phase", "PhaseState", "advance_phase"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Phase:
    """One stretch of a run. Raises ``ValueError`` for a number outside its range."""

    name: str
    max_difficulty: float = 1.0
    """Tasks whose prior difficulty is above this wait; unknown difficulty never waits."""
    unlock_pass_rate: float | None = None
    """Entered once the phase before is passed at this rate; None leaves it to the step."""
    unlock_step: int | None = None
    """Entered at this step at the latest; None leaves it to the rate."""
    reward: RewardSpec = field(default_factory=RewardSpec)

    def __post_init__(self) -> None:
        for name in ("max_difficulty", "unlock_pass_rate"):
            share = getattr(self, name)
            if share is not None and not 0.0 <= share <= 1.0:
                raise ValueError(f"phase {self.name!r}: {name} is {share!r}; give 0 to 1")

    @property
    def weights(self) -> dict[str, float]:
        """Weight by layer name."""
        return {name: getattr(self.reward, name) for name in LAYER_NAMES}


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseState:
    """Where the run stands. ``streak`` counts the steps in a row that spoke for moving on
    (positive) or back (negative)."""

    index: int = 0
    streak: int = 0


def advance_phase(
    state: PhaseState,
    phases: Sequence[Phase],
    step: int,
    rate_under: Callable[[float], float | None],
    *,
    patience: int,
    relock_gap: float,
) -> PhaseState:
    """The state after ``step``.

    ``rate_under(max_difficulty)`` is the measured pass rate of the tasks up to that difficulty, or
    None while too few of them were tried.
    """
    forced = _forced_index(phases, step)
    if forced > state.index:
        return PhaseState(index=forced)
    vote = _vote(state.index, phases, forced, rate_under, relock_gap)
    streak = state.streak + vote if vote * state.streak > 0 else vote
    if abs(streak) < patience:
        return PhaseState(index=state.index, streak=streak)
    return PhaseState(index=state.index + vote)


def _forced_index(phases: Sequence[Phase], step: int) -> int:
    due = [i for i, p in enumerate(phases) if p.unlock_step is not None and p.unlock_step <= step]
    return max(due, default=0)


def _vote(
    index: int,
    phases: Sequence[Phase],
    forced: int,
    rate_under: Callable[[float], float | None],
    relock_gap: float,
) -> int:
    """1 to move on, -1 to move back, 0 to stay."""
    if index + 1 < len(phases):
        unlock = phases[index + 1].unlock_pass_rate
        rate = rate_under(phases[index].max_difficulty)
        if unlock is not None and rate is not None and rate >= unlock:
            return 1
    if index > forced:
        unlock = phases[index].unlock_pass_rate
        rate = rate_under(phases[index - 1].max_difficulty)
        if unlock is not None and rate is not None and rate < unlock - relock_gap:
            return -1
    return 0
