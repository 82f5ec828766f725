"""Intervals for a share: c of n independent trials succeeded.

Use ``wilson`` by default, ``jeffreys`` for small n, ``clopper_pearson`` where the interval must
never cover less than its level. Attempts at one task are not independent: for those use
``posttrain.stats.bootstrap``.
"""

import math
from statistics import NormalDist

from posttrain.stats.beta import Beta
from posttrain.stats.estimate import Estimate

__all__ = ["clopper_pearson", "jeffreys", "wilson"]


def wilson(successes: float, n: int, *, level: float = 0.95) -> Estimate:
    """Wilson's score interval.

        (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n),  p = successes / n

    ``successes`` may be a sum of shares. Without trials all three numbers are None.
    """
    _check(successes, n, level)
    if n == 0:
        return Estimate(value=None, low=None, high=None, n=0)
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    p = successes / n
    center = p + z * z / (2 * n)
    spread = z * math.sqrt(p * (1.0 - p) / n + z * z / (4 * n * n))
    scale = 1.0 + z * z / n
    low = 0.0 if successes == 0 else max(0.0, (center - spread) / scale)
    high = 1.0 if successes == n else min(1.0, (center + spread) / scale)
    return Estimate(value=p, low=low, high=high, n=n)


def jeffreys(successes: int, n: int, *, level: float = 0.95) -> Estimate:
    """Equal-tailed interval of the posterior Beta(c + 1/2, n - c + 1/2).

    The end that lies beyond the data is 0 when nothing succeeded and 1 when everything did.
    """
    _check(successes, n, level)
    if n == 0:
        return Estimate(value=None, low=None, high=None, n=0)
    tail = (1.0 - level) / 2.0
    posterior = Beta(successes + 0.5, n - successes + 0.5)
    low = posterior.quantile(tail) if successes > 0 else 0.0
    high = posterior.quantile(1.0 - tail) if successes < n else 1.0
    return Estimate(value=successes / n, low=low, high=high, n=n)


def clopper_pearson(successes: int, n: int, *, level: float = 0.95) -> Estimate:
    """The exact interval: low and high at which c or more, c or fewer become improbable."""
    _check(successes, n, level)
    if n == 0:
        return Estimate(value=None, low=None, high=None, n=0)
    tail = (1.0 - level) / 2.0
    low = Beta(successes, n - successes + 1).quantile(tail) if successes > 0 else 0.0
    high = Beta(successes + 1, n - successes).quantile(1.0 - tail) if successes < n else 1.0
    return Estimate(value=successes / n, low=low, high=high, n=n)


def _check(successes: float, n: int, level: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes!r} successes of {n!r}; give 0 <= successes <= n")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level {level!r} must lie between 0 and 1")
