"""Settings of a curriculum; the defaults favour tasks that are passed now and then."""

from dataclasses import dataclass

from posttrain.curriculum.phase import Phase

__all__ = ["CurriculumSpec"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CurriculumSpec:
    """How tasks are drawn. Raises ``ValueError`` for settings that cannot work.

    ``CurriculumSpec(uniform_share=1.0)`` draws uniformly and has one phase: the control.
    """

    low: float = 0.15
    """Lower end of the favoured pass rate."""
    high: float = 0.5
    """Upper end of the favoured pass rate."""
    uniform_share: float = 0.1
    """Share of the groups drawn uniformly from the unlocked tasks, as a control."""
    stale_share: float = 0.1
    """Share of the other groups that prefers cells by the time since they were last tried."""
    decay: float = 0.9
    """Factor by which evidence counts less with each step: the policy moves."""
    prior_strength: float = 2.0
    """Attempts that the prior of a cell is worth."""
    patience: int = 2
    """Steps in a row that must agree before the phase moves."""
    relock_gap: float = 0.15
    """How far the measured rate must fall below what unlocked a phase to lock it again."""
    min_coverage: float = 0.5
    """Share of a phase's tasks whose cells must have been tried before its rate counts."""
    phases: tuple[Phase, ...] = (Phase(name="all"),)
    """In order; the first is entered at once."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.low < self.high <= 1.0:
            raise ValueError(
                f"favoured pass rates are {self.low!r} to {self.high!r}; give 0 <= low < high <= 1"
            )
        for name in ("uniform_share", "stale_share", "min_coverage"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"curriculum {name} is {getattr(self, name)!r}; give 0 to 1")
        if not (0.0 < self.decay <= 1.0 and self.prior_strength > 0.0 and self.patience >= 1):
            raise ValueError("need 0 < decay <= 1, prior_strength > 0 and patience >= 1")
        if not self.phases:
            raise ValueError("a curriculum needs at least one phase")
