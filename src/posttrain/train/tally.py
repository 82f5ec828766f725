"""Sums over the packs of one update, and the metrics that they amount to.

What was not measured is None, never 0 and never NaN. Metric names are those of metrics.jsonl;
where TRL has a name for the same thing, it is TRL's.
"""

import math
from dataclasses import dataclass

from torch import Tensor

from posttrain.train.loss import PolicyTerms, PolicyTokens

__all__ = ["Tally"]

Metric = float | None


@dataclass(kw_only=True, slots=True)
class Tally:
    """Filled pack by pack; ``metrics`` may be read at any time."""

    num_tokens: int = 0
    policy: float = 0.0
    kl: float = 0.0
    kl_value: float | None = None
    sft: float | None = None
    entropy_sum: float = 0.0
    clipped_low: int = 0
    clipped_high: int = 0
    difference_sum: float = 0.0
    difference_max: float = 0.0
    ratio_sum: float = 0.0
    ratio_min: float = math.inf
    ratio_max: float = -math.inf

    def add_policy(self, tokens: PolicyTokens, terms: PolicyTerms, entropies: Tensor) -> None:
        """Count one pack of the RL stream."""
        differences = (tokens.logprobs.detach() - tokens.behaviour).abs()
        self.num_tokens += tokens.logprobs.numel()
        self.policy += terms.policy.item()
        self.kl += terms.kl.item()
        if tokens.reference is not None:
            self.kl_value = (self.kl_value or 0.0) + terms.kl_value.item()
        self.entropy_sum += entropies.sum().item()
        self.clipped_low += int(terms.clipped_low.sum())
        self.clipped_high += int(terms.clipped_high.sum())
        self.difference_sum += differences.sum().item()
        self.difference_max = max(self.difference_max, differences.max().item())
        self.ratio_sum += terms.ratio.sum().item()
        self.ratio_min = min(self.ratio_min, terms.ratio.min().item())
        self.ratio_max = max(self.ratio_max, terms.ratio.max().item())

    @property
    def is_finite(self) -> bool:
        """True unless a loss of a stream is NaN or infinite."""
        return math.isfinite(self.policy + self.kl + (self.sft or 0.0))

    def add_sft(self, loss: Tensor) -> None:
        """Count one pack of the supervised stream, before its weight."""
        self.sft = (self.sft or 0.0) + loss.item()

    def metrics(self) -> dict[str, Metric]:
        """Means over the tokens that were computed; losses before their coefficients."""
        named = {
            "loss/rl": self.policy,
            "loss/kl": self.kl,
            "loss/sft": self.sft,
            "kl": self.kl_value,
            "num_tokens": float(self.num_tokens),
            **self._token_metrics(),
        }
        return {name: _finite(value) for name, value in named.items()}

    def _token_metrics(self) -> dict[str, Metric]:
        seen = self.num_tokens > 0
        per_token = 1.0 / self.num_tokens if seen else math.nan
        return {
            "entropy": self.entropy_sum * per_token,
            "clip_ratio": (self.clipped_low + self.clipped_high) * per_token,
            "clip_ratio/low_mean": self.clipped_low * per_token,
            "clip_ratio/high_mean": self.clipped_high * per_token,
            "sampling/sampling_logp_difference/mean": self.difference_sum * per_token,
            "sampling/sampling_logp_difference/max": self.difference_max if seen else None,
            "sampling/importance_sampling_ratio/mean": self.ratio_sum * per_token,
            "sampling/importance_sampling_ratio/min": self.ratio_min,
            "sampling/importance_sampling_ratio/max": self.ratio_max,
        }


def _finite(value: Metric) -> Metric:
    return value if value is not None and math.isfinite(value) else None
