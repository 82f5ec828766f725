"""Systematic sampling: whole numbers close to given weights, with one random number."""

import math
import random
from collections.abc import Sequence

__all__ = ["systematic_shares"]


def systematic_shares(weights: Sequence[float], count: int, rng: random.Random) -> list[int]:
    """Integers that sum to ``count``, each within 1 of its expected count * weight / sum.

    Equally spaced points with one random offset fall on the weights laid end to end. Weights that
    are all 0 count as equal.
    """
    total = math.fsum(weights)
    if total <= 0.0:
        weights, total = [1.0] * len(weights), float(len(weights))
    order = list(range(len(weights)))
    rng.shuffle(order)
    shares = [0] * len(weights)
    offset, passed, end = rng.random(), 0, 0.0
    for place in order:
        end += weights[place] * count / total
        upto = min(count, max(passed, math.ceil(end - offset)))
        shares[place], passed = upto - passed, upto
    shares[order[-1]] += count - passed
    return shares
