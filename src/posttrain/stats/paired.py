"""Did B do better than A on the same items?

Comparing item by item removes the difficulty of the items from the noise. Every difference here is
``b - a``: positive when B is higher.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from statistics import NormalDist
from typing import Literal

from posttrain.stats.bootstrap import RESAMPLES, cluster_bootstrap
from posttrain.stats.estimate import Estimate
from posttrain.stats.proportion import wilson

__all__ = ["mcnemar_exact", "paired_difference", "pairs_needed"]


def paired_difference(
    a_by_item: Mapping[str, float],
    b_by_item: Mapping[str, float],
    *,
    cluster_of: Mapping[str, str] | None = None,
    bound: float | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Mean of ``b - a`` over the items that both have, with a bootstrap interval over clusters.

    Each item is its own cluster unless ``cluster_of`` names one. ``n`` counts clusters. ``bound``
    says that no difference exceeds it in size: if then all observed ones are equal, resampling
    would claim certainty, so the interval is widened by ``bound`` times the upper Wilson limit of
    0 in n, the share of differing items that the sample may have missed.
    """
    by_cluster: dict[str, list[float]] = defaultdict(list)
    for item in sorted(a_by_item.keys() & b_by_item.keys()):
        cluster = item if cluster_of is None else cluster_of[item]
        by_cluster[cluster].append(b_by_item[item] - a_by_item[item])
    estimate = cluster_bootstrap(by_cluster, seed=seed, resamples=resamples, level=level)
    distinct = {difference for values in by_cluster.values() for difference in values}
    if bound is None or len(distinct) != 1:
        return estimate
    return _widened(distinct.pop(), estimate.n, bound, level)


def _widened(value: float, n: int, bound: float, level: float) -> Estimate:
    spread = bound * (wilson(0, n, level=level).high or 0.0)
    low, high = max(-bound, value - spread), min(bound, value + spread)
    return Estimate(value=value, low=low, high=high, n=n)


def mcnemar_exact(
    b: int, c: int, *, alternative: Literal["two-sided", "greater"] = "two-sided"
) -> float:
    """p-value of b against c discordant pairs under a fair coin.

        greater:    sum over k >= b of C(b + c, k) / 2^(b + c)
        two-sided:  min(1, 2 x the smaller of both tails)

    ``b`` counts pairs that changed one way, ``c`` the other way; ``greater`` asks whether b is
    too many. 1.0 without discordant pairs.
    """
    if b < 0 or c < 0:
        raise ValueError(f"counts of discordant pairs are {b!r} and {c!r}; give at least 0")
    if alternative == "greater":
        return _upper_tail(b + c, b)
    return min(1.0, 2.0 * _upper_tail(b + c, max(b, c)))


def _upper_tail(n: int, k: int) -> float:
    return sum(math.comb(n, i) for i in range(k, n + 1)) / (1 << n)


def pairs_needed(
    difference: float, discordant_share: float, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Items that a one-sided paired test needs to see ``difference`` with ``power``.

        N = (z_alpha sqrt(psi) + z_power sqrt(psi - D^2))^2 / D^2

    with psi = ``discordant_share`` (items whose result changes) and D = ``difference``; D^2 may
    not exceed psi, and D is not 0.
    """
    gap = discordant_share - difference * difference
    if difference == 0.0 or gap < 0.0:
        raise ValueError(
            f"a difference of {difference!r} cannot come from a discordant share of "
            f"{discordant_share!r}; give 0 < difference^2 <= discordant_share"
        )
    normal = NormalDist()
    z_alpha, z_power = normal.inv_cdf(1.0 - alpha), normal.inv_cdf(power)
    root = z_alpha * math.sqrt(discordant_share) + z_power * math.sqrt(gap)
    return math.ceil((root / difference) ** 2)
