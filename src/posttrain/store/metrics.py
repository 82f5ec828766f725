"""``metrics.jsonl``: one flat object a step, in step order.

A value that is NaN or infinite is stored as null: it could not be measured, and readers must not
meet a number that poisons a mean.
"""

import math
from collections.abc import Mapping
from pathlib import Path

from posttrain.core.errors import StoreError
from posttrain.store.disk import write_atomically
from posttrain.store.jsonl import LineFile, read_lines, to_line

__all__ = ["Metrics", "MetricsLog", "cut_metrics", "read_metrics"]

Metrics = Mapping[str, float | int | str | None]


def read_metrics(path: Path) -> list[dict[str, float | int | str | None]]:
    """The whole lines of ``metrics.jsonl``; none when the file is absent."""
    return list(read_lines(path))


class MetricsLog:
    """Appends metrics; steps must ascend."""

    def __init__(self, path: Path) -> None:
        self._file = LineFile(path)
        self._last = max((line["step"] for line in read_lines(path)), default=0)

    @property
    def last_step(self) -> int:
        """The last step that has metrics; 0 for none."""
        return self._last

    def append(self, step: int, metrics: Metrics) -> None:
        """Store the metrics of ``step`` on disk; raises ``StoreError`` for a step that is there."""
        if step <= self._last:
            raise StoreError(f"step {step} has metrics already in {str(self._file.path)!r}")
        self._file.append({"step": step, **{k: _finite(v) for k, v in metrics.items()}})
        self._file.sync()
        self._last = step

    def close(self) -> None:
        """Close the file; idempotent."""
        self._file.close()


def cut_metrics(path: Path, step: int) -> None:
    """Remove the metrics after ``step``; their updates are run again."""
    kept = [line for line in read_lines(path) if line["step"] <= step]
    write_atomically(path, b"".join(to_line(line) for line in kept))


def _finite(value: float | int | str | None) -> float | int | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value
