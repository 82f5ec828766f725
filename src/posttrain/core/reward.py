"""The reward of one verdict: a value with its layers, or None with the reason why not."""

from dataclasses import dataclass

from posttrain.core.verdict import Validity

__all__ = ["LayerScore", "Reward"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerScore:
    """One layer's part: ``contribution`` = score x weight."""

    name: str
    score: float
    weight: float
    contribution: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Reward:
    """``value`` is None exactly when ``validity`` is not valid; None is never turned into 0."""

    value: float | None
    validity: Validity
    layers: tuple[LayerScore, ...] = ()
    penalty: float = 0.0
    """Tamper penalty already contained in ``value`` (0 or negative)."""
