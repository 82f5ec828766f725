"""Estimates as text: a value with its 95 % interval, in tables of policies or differences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from posttrain.cli.output import Output, number

__all__ = ["estimate_text", "estimates", "show_side_by_side"]


def estimates(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every estimate in nested objects, under its path; plain numbers count as estimates."""
    for name, value in tree.items():
        if isinstance(value, Mapping) and "value" not in value:
            yield from estimates(value, f"{prefix}{name}/")
        elif isinstance(value, Mapping | int | float) and not isinstance(value, bool):
            yield prefix + name, value


def estimate_text(estimate: Any) -> str:
    """``0.412 [0.380, 0.444]``; a dash where nothing was measured."""
    if not isinstance(estimate, Mapping):
        return number(estimate)
    value, low, high = (estimate.get(name) for name in ("value", "low", "high"))
    if value is None:
        return "-"
    if low is None or high is None:
        return f"{value:.3f}"
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def show_side_by_side(output: Output, title: str, columns: Mapping[str, Mapping[str, Any]]) -> None:
    """One table: a row for each estimate, a column for each of ``columns``."""
    found = {name: dict(estimates(tree)) for name, tree in columns.items()}
    names = _in_order([list(column) for column in found.values()])
    rows = [
        (name, *(estimate_text(column.get(name)) for column in found.values())) for name in names
    ]
    output.table(("", *found), rows, title=title)
    output.line("")


def _in_order(lists: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))
