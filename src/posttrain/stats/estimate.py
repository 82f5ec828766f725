"""One measured number with its uncertainty."""

from dataclasses import dataclass

__all__ = ["Estimate"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A value with the ends of its confidence interval; ``n`` is what the interval counts.

    ``value`` is None when nothing was measured, ``low`` and ``high`` are None when too little was
    measured for an interval. No field is ever NaN.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
