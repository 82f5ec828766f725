"""What a training run is made of, passed in as one record so that tests can pass fakes.

The protocols name the few calls that the loop makes. ``assemble`` makes the real parts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from posttrain.config.run import RunConfig
from posttrain.core.clock import Clock
from posttrain.core.task import Task
from posttrain.curriculum.outcome import GroupOutcome
from posttrain.curriculum.phase import Phase
from posttrain.loop.bench import Bench
from posttrain.policy.protocol import Policy
from posttrain.rollout.attempt import Pay
from posttrain.store.event_kinds import Emit
from posttrain.store.ledger import Ledger
from posttrain.store.metrics import MetricsLog
from posttrain.store.run_directory import RunDirectory
from posttrain.train.advantage import AdvantageSpec
from posttrain.train.sequences import RlSequence, SftSequence

__all__ = ["Parts", "TeachingCurriculum", "TrainablePolicy", "TrainingLearner"]


class TrainablePolicy(Policy, Protocol):
    """A policy that takes weights from a learner."""

    def load_weights(self, named: Mapping[str, Any], version: int) -> None:
        """Use these weights from the next ``sample`` on; ``version`` is then the policy's."""
        ...


class TrainingLearner(Protocol):
    """The trained copy of the model with its optimizer."""

    version: int

    def update(
        self, rl: Sequence[RlSequence], sft: Sequence[SftSequence]
    ) -> Mapping[str, float | None]:
        """One step on one batch; adds 1 to ``version`` and gives metrics."""
        ...

    def weights(self) -> Mapping[str, Any]:
        """The current weights by name, for the sampler."""
        ...

    def save(self, folder: Path) -> None:
        """Write all that ``load`` needs to go on bit for bit."""
        ...

    def load(self, folder: Path) -> None:
        """Return to the state that ``save`` wrote."""
        ...


class TeachingCurriculum(Protocol):
    """Which tasks are drawn, how hard they may be, and what is paid meanwhile."""

    @property
    def phase(self) -> Phase:
        """The phase that the next draw belongs to."""
        ...

    def draw(self, step: int, num_groups: int) -> list[Task]:
        """The tasks of ``step``; a function of the state, the step and the seed alone."""
        ...

    def observe(self, step: int, outcomes: Sequence[GroupOutcome]) -> None:
        """Learn from one step's groups."""
        ...

    def state(self) -> dict[str, Any]:
        """The state as plain JSON values."""
        ...

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Return to a state."""
        ...

    def metrics(self) -> Mapping[str, float]:
        """Values under ``curriculum/*``."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """One run, open and locked by its driver."""

    config: RunConfig
    directory: RunDirectory
    ledger: Ledger
    metrics: MetricsLog
    emit: Emit
    policy: TrainablePolicy
    learner: TrainingLearner
    curriculum: TeachingCurriculum
    pool: Sequence[Task]
    """The tasks that the curriculum draws from."""
    bench: Bench
    pay_in: Callable[[Phase], Pay]
    """The reward of a curriculum phase."""
    advantage: AdvantageSpec
    sft: Sequence[SftSequence]
    clock: Clock
