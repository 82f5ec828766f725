"""Settings of the curriculum: what is drawn, what is unlocked when, what is paid meanwhile."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from posttrain.config.section import Section

__all__ = ["CurriculumConfig", "PhaseConfig"]

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class PhaseConfig(Section):
    """One stretch of a run: a ceiling of difficulty and, if given, other reward weights."""

    name: Annotated[str, Field(min_length=1)]
    """Shown on the board and in the metrics."""
    max_difficulty: Share = 1.0
    """Tasks whose prior difficulty is above this wait for a later phase."""
    unlock_pass_rate: Share | None = None
    """Enter this phase once the phase before is passed at this rate; null leaves it to the step."""
    unlock_step: Annotated[int, Field(ge=0)] | None = None
    """Enter this phase at this step at the latest."""
    correct: Annotated[float, Field(ge=0.0)] | None = None
    """Weight of the layer in this phase; null keeps ``reward.correct``."""
    partial: Annotated[float, Field(ge=0.0)] | None = None
    """Weight of the layer in this phase; null keeps ``reward.partial``."""
    process: Annotated[float, Field(ge=0.0)] | None = None
    """Weight of the layer in this phase; null keeps ``reward.process``."""
    efficiency: Annotated[float, Field(ge=0.0)] | None = None
    """Weight of the layer in this phase; null keeps ``reward.efficiency``."""


DEFAULT_PHASES = (
    PhaseConfig(name="warm-up", max_difficulty=0.75, unlock_step=0),
    PhaseConfig(name="widen", max_difficulty=0.9, unlock_pass_rate=0.4, unlock_step=8, partial=0.2),
    PhaseConfig(name="full", max_difficulty=1.0, unlock_pass_rate=0.5, unlock_step=16, partial=0.1),
)


class CurriculumConfig(Section):
    """Stratified sampling of (family, difficulty) cells by their estimated pass rate."""

    enabled: bool = True
    """False draws uniformly from the whole pool and keeps one phase."""
    low: Share = 0.15
    """Lower end of the favoured pass rate."""
    high: Share = 0.5
    """Upper end of the favoured pass rate."""
    uniform_share: Share = 0.2
    """Share of the groups that is drawn uniformly, as a control."""
    decay: Annotated[float, Field(gt=0.0, le=1.0)] = 0.9
    """Factor by which older evidence counts less with each step."""
    phases: Annotated[tuple[PhaseConfig, ...], Field(min_length=1)] = DEFAULT_PHASES
    """In order; the first is entered at once."""

    @model_validator(mode="after")
    def _band_is_ordered(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"curriculum.low {self.low} must be below curriculum.high {self.high}")
        return self

    @model_validator(mode="after")
    def _later_phases_can_be_entered(self) -> Self:
        for phase in self.phases[1:]:
            if phase.unlock_pass_rate is None and phase.unlock_step is None:
                raise ValueError(
                    f"curriculum phase {phase.name!r} is never entered; "
                    "give it unlock_pass_rate or unlock_step"
                )
        return self
