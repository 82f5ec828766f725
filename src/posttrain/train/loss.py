"""The losses of the three streams (RL, reference KL, SFT) as plain sums over tokens.

Invariant: a token's weight is fixed over the whole batch before any of it is computed (see
``Reduction``), so the loss of a batch is the sum of the losses of its parts, however it is cut.
Each stream has a denominator of its own.

All functions work element by element on tensors of one common shape; padding has weight 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import torch
from torch import Tensor

from posttrain.core.errors import ConfigError
from posttrain.train.kl import KlEstimator, KlSpec, kl_loss_terms, kl_values

__all__ = [
    "PolicyLossSpec",
    "PolicyTerms",
    "PolicyTokens",
    "Reduction",
    "policy_loss",
    "sequence_weights",
    "sft_loss",
]

_MAX_LOG_RATIO = 20.0


class Reduction(StrEnum):
    """The global denominator; B sequences, n_i tokens in sequence i, N in all."""

    TOKENS = "tokens"
    """1 / N: every token counts alike (DAPO, verl token-mean)."""
    SEQUENCES = "sequences"
    """1 / (B n_i): every sequence counts alike (GRPO)."""
    CONSTANT = "constant"
    """1 / (B L), L a stated length: no length enters (Dr. GRPO)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyLossSpec:
    """Clipping and reduction of the policy loss; ``ConfigError`` for values out of range."""

    clip_low: float = 0.2
    clip_high: float = 0.28
    ratio_cap: float | None = None
    """Upper bound of the ratio where the advantage is negative (two-sided clipping)."""
    reduction: Reduction = Reduction.TOKENS
    constant_length: int | None = None
    """L of ``Reduction.CONSTANT``."""
    kl: KlSpec = field(default_factory=KlSpec)

    def __post_init__(self) -> None:
        if not (0.0 < self.clip_low < 1.0 and self.clip_high > 0.0):
            raise ConfigError(
                f"clip_low {self.clip_low!r} must be in (0, 1) and clip_high {self.clip_high!r} "
                "above 0: the ratio is kept in [1 - clip_low, 1 + clip_high]"
            )
        if (self.reduction == Reduction.CONSTANT) != (self.constant_length is not None):
            raise ConfigError(
                f"reduction {str(self.reduction)!r} with constant_length "
                f"{self.constant_length!r}; give constant_length with 'constant' and only there"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyTokens:
    """Sampled tokens, all tensors of one shape; log-probs in nats at the sampling temperature."""

    logprobs: Tensor
    """Of the policy being trained; the only one with a gradient."""
    behaviour: Tensor
    advantages: Tensor
    weights: Tensor
    """Of the policy-gradient stream; 0 where a token is not part of it."""
    reference: Tensor | None = None
    kl_weights: Tensor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyTerms:
    """Sums over the given tokens; ``loss`` is what to differentiate."""

    loss: Tensor
    policy: Tensor
    kl: Tensor
    """Weighted sum of the loss form, before the coefficient."""
    kl_value: Tensor
    """Weighted sum of k3, detached: the estimate to show."""
    ratio: Tensor
    """Per token, detached."""
    clipped_low: Tensor
    """Per token: the ratio is below its range and the advantage negative, so no gradient flows."""
    clipped_high: Tensor


def sequence_weights(
    lengths: Sequence[int], reduction: Reduction, constant_length: int | None = None
) -> list[float]:
    """The weight of each token of each sequence, over all sequences of one optimizer step.

    The sums of token losses with these weights are the means that ``Reduction`` names.
    """
    if not lengths:
        return []
    if reduction == Reduction.TOKENS:
        return [1.0 / sum(lengths)] * len(lengths)
    if reduction == Reduction.SEQUENCES:
        return [1.0 / (len(lengths) * length) for length in lengths]
    if constant_length is None:
        raise ConfigError("reduction 'constant' needs constant_length")
    return [1.0 / (len(lengths) * constant_length)] * len(lengths)


def policy_loss(tokens: PolicyTokens, spec: PolicyLossSpec) -> PolicyTerms:
    """Clipped policy gradient with KL to the reference.

    loss = sum_t w_t * -min(min(rho_t, cap) A_t, clip(rho_t, 1 - low, 1 + high) A_t)
           + coefficient * sum_t v_t KL_t

    rho_t = exp(logprobs - behaviour), A advantages, w weights, v kl_weights, KL the loss form of
    ``posttrain.train.kl``. The KL part is 0 without a reference.
    """
    log_ratio = tokens.logprobs - tokens.behaviour
    ratio = torch.exp(log_ratio.clamp(-_MAX_LOG_RATIO, _MAX_LOG_RATIO))
    capped = ratio if spec.ratio_cap is None else ratio.clamp(max=spec.ratio_cap)
    clipped = ratio.clamp(1.0 - spec.clip_low, 1.0 + spec.clip_high)
    gains = torch.minimum(capped * tokens.advantages, clipped * tokens.advantages)
    policy = -(tokens.weights * gains).sum()
    kl, kl_value = _kl_sums(tokens, ratio, spec.kl)
    shown = ratio.detach()
    return PolicyTerms(
        loss=policy + spec.kl.coefficient * kl,
        policy=policy.detach(),
        kl=kl.detach(),
        kl_value=kl_value,
        ratio=shown,
        clipped_low=(shown < 1.0 - spec.clip_low) & (tokens.advantages < 0),
        clipped_high=(shown > 1.0 + spec.clip_high) & (tokens.advantages > 0),
    )


def _kl_sums(tokens: PolicyTokens, ratio: Tensor, spec: KlSpec) -> tuple[Tensor, Tensor]:
    if tokens.reference is None or tokens.kl_weights is None:
        zero = torch.zeros((), dtype=tokens.logprobs.dtype)
        return zero, zero
    terms = kl_loss_terms(tokens.logprobs, tokens.reference, ratio, spec)
    shown = kl_values(tokens.logprobs.detach(), tokens.reference, KlEstimator.K3)
    return (tokens.kl_weights * terms).sum(), (tokens.kl_weights * shown).sum()


def sft_loss(logprobs: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy of given answers: sum_t w_t * -logprobs_t."""
    return -(weights * logprobs).sum()
