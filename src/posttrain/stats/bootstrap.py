"""Confidence intervals by resampling clusters.

What belongs together (the attempts at one task, the tasks of one family) is drawn together, because
it is not independent. From n clusters each resample draws n - 1 with replacement: then the
resampled mean has the variance s^2 / n without bias, where drawing n would make intervals too
narrow by sqrt((n - 1) / n) (Rao and Wu 1988). Ends are percentiles of the resampled statistic.

Draws come from a private generator seeded by the caller; the global ones are never touched. The
order of the clusters does not matter for mappings, which are sorted by key.
"""

from collections.abc import Mapping, Sequence

from posttrain.core.errors import PrerequisiteError
from posttrain.stats.estimate import Estimate

__all__ = ["RESAMPLES", "cluster_bootstrap", "ratio_bootstrap"]

RESAMPLES = 4000
_DRAWS_PER_BLOCK = 1_000_000
"""Bounds the memory of one block of resamples to about 24 MB."""


def cluster_bootstrap(
    values_by_cluster: Mapping[str, Sequence[float]],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Mean of all values with an interval over clusters; clusters without values are left out.

    ``n`` is the number of clusters. One cluster has a value and no interval.
    """
    filled = sorted((key, values) for key, values in values_by_cluster.items() if values)
    return ratio_bootstrap(
        [sum(values) for _, values in filled],
        [float(len(values)) for _, values in filled],
        seed=seed,
        resamples=resamples,
        level=level,
    )


def ratio_bootstrap(
    numerators: Sequence[float],
    denominators: Sequence[float],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """sum(numerators) / sum(denominators) with an interval over the pairs.

    Denominators are positive. Raises ``ValueError`` for lists of different lengths and
    ``PrerequisiteError`` without numpy.
    """
    if len(numerators) != len(denominators):
        raise ValueError(f"{len(numerators)} numerators for {len(denominators)} denominators")
    n = len(numerators)
    if n == 0:
        return Estimate(value=None, low=None, high=None, n=0)
    value = float(sum(numerators) / sum(denominators))
    if n == 1:
        return Estimate(value=value, low=None, high=None, n=1)
    low, high = _percentiles(numerators, denominators, seed, resamples, level)
    # Rounding in the resampled sums must not put the value outside a degenerate interval.
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=n)


def _percentiles(
    numerators: Sequence[float],
    denominators: Sequence[float],
    seed: int,
    resamples: int,
    level: float,
) -> tuple[float, float]:
    try:
        import numpy as np
    except ImportError as error:
        raise PrerequisiteError(
            "intervals need numpy, which is not installed; run: pip install 'posttrain[train]'"
        ) from error
    rng = np.random.Generator(np.random.PCG64(seed))
    tops, bottoms = np.asarray(numerators, float), np.asarray(denominators, float)
    n = len(tops)
    block = max(1, _DRAWS_PER_BLOCK // n)
    ratios = []
    for begin in range(0, resamples, block):
        drawn = rng.integers(0, n, size=(min(block, resamples - begin), n - 1))
        ratios.append(tops[drawn].sum(axis=1) / bottoms[drawn].sum(axis=1))
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(np.concatenate(ratios), [tail, 1.0 - tail])
    return float(low), float(high)
