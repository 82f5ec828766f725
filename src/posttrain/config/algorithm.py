"""Settings of the learning rule: groups, advantages, clipping, optimizer and the SFT stream.

The formulas that these settings enter are written once, in ``posttrain.train``.
"""

from typing import Annotated, Literal

from pydantic import Field

from posttrain.config.section import Section

__all__ = ["AlgorithmConfig", "OptimizerConfig", "SftConfig"]


class AlgorithmConfig(Section):
    """Group-relative policy gradient."""

    group_size: Annotated[int, Field(ge=2)] = 8
    """Attempts at one task in one step; their mean is the baseline."""
    groups_per_step: Annotated[int, Field(ge=1)] = 8
    """Tasks in one step."""
    scale: Literal["none", "std"] = "none"
    """Divide advantages by the group's deviation? ``std`` lets style outweigh correctness in a
    group that is all solved, so it has a floor."""
    scale_floor: Annotated[float, Field(ge=0.25)] = 0.25
    """Smallest deviation that ``scale = "std"`` divides by."""
    normalization: Literal["tokens", "sequences", "constant"] = "tokens"
    """The one global denominator of the policy loss."""
    clip_low: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.2
    """The ratio is clipped below at 1 minus this."""
    clip_high: Annotated[float, Field(gt=0.0, lt=10.0)] = 0.28
    """The ratio is clipped above at 1 plus this."""
    kl_coefficient: Annotated[float, Field(ge=0.0)] = 0.01
    """Weight of the KL divergence to the frozen base model."""
    kl_scope: Literal["signal", "all"] = "signal"
    """``signal`` takes the KL over attempts that have an advantage, which saves the passes over
    the others; ``all`` takes it over every attempt."""
    updates_per_step: Annotated[int, Field(ge=1)] = 1
    """Optimizer steps taken on one batch of rollouts."""


class OptimizerConfig(Section):
    """AdamW on float32 master weights."""

    method: Literal["full", "lora"] = "full"
    """Train all weights, or a low-rank adapter."""
    learning_rate: Annotated[float, Field(gt=0.0, lt=1.0)] = 1e-5
    """Peak rate, reached after the warm-up and then constant."""
    warmup_steps: Annotated[int, Field(ge=0)] = 2
    """Steps over which the rate rises linearly."""
    weight_decay: Annotated[float, Field(ge=0.0)] = 0.0
    """Decoupled decay."""
    beta1: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.9
    """Decay of the first moment."""
    beta2: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.99
    """Decay of the second moment."""
    max_grad_norm: Annotated[float, Field(gt=0.0)] = 1.0
    """Gradients are scaled down to this norm."""
    micro_batch: Annotated[int, Field(ge=1)] = 8
    """Sequences in memory at a time; the loss does not depend on it."""
    lora_rank: Annotated[int, Field(ge=1)] = 16
    """Rank of the adapter when ``method = "lora"``."""


class SftConfig(Section):
    """A supervised stream that keeps general abilities: the base model's own general answers."""

    weight: Annotated[float, Field(ge=0.0)] = 0.05
    """Weight of the supervised loss; 0 turns the stream off."""
    sequences_per_step: Annotated[int, Field(ge=0)] = 4
    """Answers mixed into one step."""
    prompts: Annotated[int, Field(ge=1)] = 32
    """General prompts that the base model answers once at the begin of the run."""
    max_tokens: Annotated[int, Field(ge=1)] = 96
    """Longest such answer in tokens."""
