"""The promotion gate: is the candidate b better than a, and has it forgotten nothing?

| decision | when |
|---|---|
| reject | the target is worse for sure, or a regression figure is worse than its margin for sure |
| promote | the target is better for sure, and no regression figure can be worse than its margin |
| hold | any gain of the target is smaller than ``min_gain`` for sure |
| insufficient | anything else: the intervals are too wide, or a track was not measured |

"For sure" means that the whole 95 % interval lies there. Rows are tried in this order.
Non-inferiority is judged on the log-likelihood margin, whose interval is narrow; accuracy on a few
hundred items cannot exclude a loss of two points, so for it the loss itself must be within its
margin and a sure loss beyond it rejects.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from posttrain.evaluate.comparison import Plain

__all__ = ["Decision", "GateSpec", "gate"]


class Decision(StrEnum):
    """What becomes of a candidate."""

    PROMOTE = "promote"
    HOLD = "hold"
    REJECT = "reject"
    INSUFFICIENT = "insufficient"


@dataclass(frozen=True, kw_only=True, slots=True)
class GateSpec:
    """The stated margins."""

    target: str = "pass@1"
    """Name of the target figure that must rise."""
    min_gain: float = 0.01
    """A gain that cannot reach this is none."""
    accuracy_margin: float = 0.02
    """Tolerated loss of regression accuracy, as a share."""
    margin_margin: float = 0.05
    """Tolerated loss of the log-likelihood margin, in nats per token."""


def gate(
    target: Mapping[str, Plain], regression: Mapping[str, Plain], spec: GateSpec | None = None
) -> dict[str, Any]:
    """The gate's record: ``decision``, ``reason`` in words, and the ``spec`` it was taken by.

    Takes what ``compare_target(a, b)`` and ``compare_regression(a, b)`` give.
    """
    spec = spec or GateSpec()
    decision, reason = _decide(target.get(spec.target), regression, spec)
    return {
        "decision": decision.value,
        "reason": reason,
        "spec": {
            "target": spec.target,
            "min_gain": spec.min_gain,
            "accuracy_margin": spec.accuracy_margin,
            "margin_margin": spec.margin_margin,
        },
    }


def _decide(
    gain: Plain | None, regression: Mapping[str, Plain], spec: GateSpec
) -> tuple[Decision, str]:
    harm = _sure_harm(gain, regression, spec)
    if harm:
        return Decision.REJECT, harm
    if gain is None or gain["low"] is None:
        return Decision.INSUFFICIENT, f"target {spec.target} has no interval; evaluate more tasks"
    doubt = _doubt(regression, spec)
    if gain["low"] > 0.0 and not doubt:
        return Decision.PROMOTE, f"target {spec.target} {_told(gain)}; nothing was forgotten"
    if gain["high"] < spec.min_gain:
        return Decision.HOLD, f"target {spec.target} {_told(gain)}: no gain of {spec.min_gain:g}"
    if gain["low"] > 0.0:
        return Decision.INSUFFICIENT, doubt
    return Decision.INSUFFICIENT, f"target {spec.target} {_told(gain)}; {_needed(gain)}"


def _sure_harm(gain: Plain | None, regression: Mapping[str, Plain], spec: GateSpec) -> str:
    """Why the candidate is worse beyond doubt; empty when it is not."""
    if gain and gain["high"] is not None and gain["high"] < 0.0:
        return f"target {spec.target} {_told(gain)} is worse"
    for name, margin in (("margin", spec.margin_margin), ("accuracy", spec.accuracy_margin)):
        change = regression.get(name)
        if change and change["high"] is not None and change["high"] < -margin:
            return f"regression {name} {_told(change)} is below the tolerated {-margin:g}"
    return ""


def _doubt(regression: Mapping[str, Plain], spec: GateSpec) -> str:
    """Why harm to the regression track is not excluded; empty when it is."""
    margin, accuracy = regression.get("margin"), regression.get("accuracy")
    if margin is None or margin["low"] is None or accuracy is None:
        return "the regression track was not measured; evaluate it on both sides"
    if margin["low"] < -spec.margin_margin:
        return (
            f"regression margin {_told(margin)} may be below the tolerated "
            f"{-spec.margin_margin:g}; {_needed_for_width(margin, spec.margin_margin)}"
        )
    if accuracy["value"] < -spec.accuracy_margin:
        return (
            f"regression accuracy {_told(accuracy)} fell by more than the tolerated "
            f"{spec.accuracy_margin:g}; evaluate more items"
        )
    return ""


def _told(change: Plain) -> str:
    if change["low"] is None:
        return f"{change['value']:+.3f}"
    return f"{change['value']:+.3f} [{change['low']:+.3f}, {change['high']:+.3f}]"


def _needed(gain: Plain) -> str:
    """The interval shrinks with the root of n, so this n would make a gain of this size sure."""
    if gain["value"] <= 0.0:
        return "no gain was seen"
    return _needed_for_width(gain, gain["value"])


def _needed_for_width(change: Plain, size: float) -> str:
    half = (change["high"] - change["low"]) / 2.0
    needed = math.ceil(change["n"] * (half / size) ** 2) if size > 0.0 else 0
    if needed <= change["n"]:
        return "evaluate more items"
    return f"about {needed} items would tell, there were {change['n']}"
