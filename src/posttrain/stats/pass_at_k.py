"""pass@k and pass^k, estimated without bias from n attempts of which c passed."""

import math

__all__ = ["pass_all_k", "pass_at_k"]


def pass_at_k(n: int, c: int, k: int) -> float:
    """Probability that at least one of k attempts passes (Chen et al. 2021, arXiv 2107.03374).

        1 - C(n - c, k) / C(n, k)

    Computed in exact integers. Raises ``ValueError`` unless 0 <= c <= n and 1 <= k <= n.
    """
    _check(n, c, k)
    total = math.comb(n, k)
    return (total - math.comb(n - c, k)) / total


def pass_all_k(n: int, c: int, k: int) -> float:
    """Probability that all of k attempts pass: C(c, k) / C(n, k)."""
    _check(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"{c!r} of {n!r} attempts passed; give 0 <= c <= n")
    if not 1 <= k <= n:
        raise ValueError(f"pass@{k!r} needs at least {k!r} attempts; there are {n!r}")
