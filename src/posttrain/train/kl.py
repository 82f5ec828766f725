"""Estimators of KL(policy || reference) from the log-probs of sampled tokens, and their loss form.

With l the policy's log-prob of a sampled token and r the reference's:

    k1 = l - r        k2 = (l - r)^2 / 2        k3 = exp(r - l) - (r - l) - 1

The value of an estimator and the gradient of its mean are two things. Put in a loss as it is, k1
has an expected gradient of zero and k3 a biased one (Schulman, "Approximating KL divergence";
DeepSeek-V3.2, 2025). The unbiased forms weigh by the ratio rho = policy / behaviour:

    k1 * rho        k2 * stop_gradient(rho)        k3 * rho        (rho differentiable)

whose expected gradients are the gradient of the KL, off policy too.
"""

from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor

from posttrain.core.errors import ConfigError

__all__ = ["KlEstimator", "KlSpec", "kl_loss_terms", "kl_values"]

_MAX_LOG_RATIO = 20.0


class KlEstimator(StrEnum):
    """Which function of the two log-probs."""

    K1 = "k1"
    K2 = "k2"
    K3 = "k3"


@dataclass(frozen=True, kw_only=True, slots=True)
class KlSpec:
    """How the divergence enters the loss; ``ConfigError`` for k1 in its plain form."""

    coefficient: float = 0.0
    estimator: KlEstimator = KlEstimator.K3
    unbiased: bool = True

    def __post_init__(self) -> None:
        if self.coefficient < 0.0:
            raise ConfigError(f"the KL coefficient is {self.coefficient!r}; it must be at least 0")
        if self.estimator == KlEstimator.K1 and not self.unbiased:
            raise ConfigError(
                "the KL estimator 'k1' in the loss has an expected gradient of zero; "
                "use unbiased = true, or estimator 'k2' or 'k3'"
            )


def kl_values(logprobs: Tensor, reference: Tensor, estimator: KlEstimator) -> Tensor:
    """The estimator per token, in the shape of the two log-prob tensors, in nats.

    Log-ratios are limited to +-20, so that one absurd token cannot overflow.
    """
    difference = (logprobs - reference).clamp(-_MAX_LOG_RATIO, _MAX_LOG_RATIO)
    if estimator == KlEstimator.K1:
        return difference
    if estimator == KlEstimator.K2:
        return difference.square() / 2
    return torch.exp(-difference) + difference - 1


def kl_loss_terms(logprobs: Tensor, reference: Tensor, ratio: Tensor, spec: KlSpec) -> Tensor:
    """What a loss adds up per token, before the coefficient.

    ``ratio`` is policy / behaviour with its gradient; the plain form does not use it.
    """
    values = kl_values(logprobs, reference, spec.estimator)
    if not spec.unbiased:
        return values
    return values * (ratio.detach() if spec.estimator == KlEstimator.K2 else ratio)
