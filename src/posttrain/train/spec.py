"""Everything that a learner is told, in one record."""

from dataclasses import dataclass, field
from enum import StrEnum

from posttrain.core.errors import ConfigError
from posttrain.train.loss import PolicyLossSpec
from posttrain.train.pack import PackLimits
from posttrain.train.precision import Precision

__all__ = ["KlScope", "LearnerSpec", "LoraSpec", "OptimizerSpec"]


class KlScope(StrEnum):
    """Which sequences the KL to the reference is taken over."""

    ALL = "all"
    """Every sequence of the batch, also those without advantage."""
    SIGNAL = "signal"
    """Only those with an advantage, so that the others cost no forward pass."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OptimizerSpec:
    """AdamW; the rate rises linearly over ``warmup_steps`` updates and stays."""

    learning_rate: float = 1e-5
    warmup_steps: int = 2
    weight_decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.99
    epsilon: float = 1e-8
    max_grad_norm: float = 1.0

    def rate_of(self, update: int) -> float:
        """The learning rate of update 0, 1, 2, …"""
        return self.learning_rate * min(1.0, (update + 1) / max(1, self.warmup_steps))


@dataclass(frozen=True, kw_only=True, slots=True)
class LoraSpec:
    """A low-rank adapter on every linear layer; the reference is the model without it."""

    rank: int = 16
    alpha: float = 32.0


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnerSpec:
    """Raises ``ConfigError`` for a negative SFT weight or no thread."""

    loss: PolicyLossSpec = field(default_factory=PolicyLossSpec)
    optimizer: OptimizerSpec = field(default_factory=OptimizerSpec)
    lora: LoraSpec | None = None
    """None trains all weights."""
    sft_weight: float = 0.05
    kl_scope: KlScope = KlScope.ALL
    measure_kl: bool = True
    """Run the reference, for the ``kl`` metric, also where its coefficient is 0."""
    packs: PackLimits = field(default_factory=PackLimits)
    precision: Precision = Precision.AUTO
    threads: int = 1
    """Of torch during an update. Where other processes are busy, more than one needs
    OMP_WAIT_POLICY=PASSIVE in the environment before torch is imported: threads that wait spin
    otherwise (two threads on two loaded cores: 38 CPU-s instead of 10, torch 2.13)."""

    def __post_init__(self) -> None:
        if self.sft_weight < 0.0 or self.threads < 1:
            raise ConfigError(
                f"sft_weight {self.sft_weight!r} must be at least 0 and threads {self.threads!r} "
                "at least 1"
            )

    @property
    def needs_reference(self) -> bool:
        """True when the frozen model is run at all."""
        return self.measure_kl or self.loss.kl.coefficient > 0.0
