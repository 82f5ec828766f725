"""Estimates and paired comparisons in the JSON form that reports hold.

    estimate     {"value", "low", "high", "n"}
    comparison   {"a", "b", "difference", "low", "high", "n", "p_mcnemar", "value"}

A difference is b - a over the items that both sides have, with a 95 % interval of that difference;
``value`` repeats it, so that a comparison reads like an estimate. ``p_mcnemar`` is two-sided and
None where an item has more than two possible results.
"""

from collections.abc import Mapping
from typing import Any

from posttrain.stats.bootstrap import cluster_bootstrap
from posttrain.stats.estimate import Estimate
from posttrain.stats.paired import mcnemar_exact, paired_difference
from posttrain.stats.proportion import wilson

__all__ = ["Plain", "compare_means", "estimate_mean", "estimate_share"]

Plain = dict[str, Any]


def estimate_mean(values_by_item: Mapping[str, float]) -> Plain:
    """Mean over items with its bootstrap interval; ``n`` counts items."""
    return _plain(cluster_bootstrap({item: [value] for item, value in values_by_item.items()}))


def estimate_share(shares_by_item: Mapping[str, float]) -> Plain:
    """As ``estimate_mean``, for values in [0, 1].

    Where all items agree, resampling would claim certainty; Wilson's interval stands in.
    """
    shares = list(shares_by_item.values())
    if shares and min(shares) == max(shares):
        return _plain(wilson(sum(shares), len(shares)))
    return estimate_mean(shares_by_item)


def compare_means(
    a_by_item: Mapping[str, float], b_by_item: Mapping[str, float], *, bound: float | None = None
) -> Plain | None:
    """Paired comparison of two means; None when no item is in both.

    ``bound`` is the largest possible difference of an item, None if there is none.
    """
    common = sorted(a_by_item.keys() & b_by_item.keys())
    if not common:
        return None
    pairs = [(a_by_item[item], b_by_item[item]) for item in common]
    estimate = paired_difference(a_by_item, b_by_item, bound=bound)
    return {
        "a": sum(a for a, _ in pairs) / len(pairs),
        "b": sum(b for _, b in pairs) / len(pairs),
        "difference": estimate.value,
        **_plain(estimate),
        "p_mcnemar": _p_mcnemar(pairs) if bound == 1.0 else None,
    }


def _p_mcnemar(pairs: list[tuple[float, float]]) -> float | None:
    if not all(a in (0.0, 1.0) and b in (0.0, 1.0) for a, b in pairs):
        return None
    return mcnemar_exact(sum(a > b for a, b in pairs), sum(a < b for a, b in pairs))


def _plain(estimate: Estimate) -> Plain:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }
