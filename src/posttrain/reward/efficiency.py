"""Whether code is so slow that its reward is lowered.

One run says little on a loaded machine, so only code that was slow every time is charged.
"""

from collections.abc import Sequence

__all__ = ["MIN_RUNS", "SLOW_FACTOR", "efficiency_score"]

SLOW_FACTOR = 4.0
MIN_RUNS = 3


def efficiency_score(cpu_s: Sequence[float], reference_cpu_s: float | None) -> float:
    """1.0 when each of at least three runs took over 4 x the reference's CPU time, else 0.0.

    ``reference_cpu_s`` None or 0 means that the reference was not measured: nothing is charged.
    """
    if not reference_cpu_s or len(cpu_s) < MIN_RUNS:
        return 0.0
    return float(min(cpu_s) > SLOW_FACTOR * reference_cpu_s)
