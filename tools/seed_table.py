"""Print the headline of finished runs as a Markdown table: ``tools/seed_table.py RUN [RUN ...]``.

The figures in docs/results.md are what this prints for three seeds of the demo.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROWS = (
    ("base", ("target", "base"), "pass@1"),
    ("base at its best temperature", ("target", "base_at_best"), "pass@1"),
    ("trained", ("target", "trained"), "pass@1"),
    ("**trained - base**", ("target", "trained_minus_base"), "pass@1"),
    ("**trained - base at its best**", ("target", "trained_minus_base_at_best"), "pass@1"),
    ("seen: trained - base", ("target", "trained_minus_base"), "seen/pass@1"),
    ("seen: trained - base at its best", ("target", "trained_minus_base_at_best"), "seen/pass@1"),
    ("unseen: trained - base", ("target", "trained_minus_base"), "unseen/pass@1"),
    (
        "unseen: trained - base at its best",
        ("target", "trained_minus_base_at_best"),
        "unseen/pass@1",
    ),
    ("pass@8: base", ("target", "base"), "pass@8"),
    ("pass@8: base at its best", ("target", "base_at_best"), "pass@8"),
    ("pass@8: trained", ("target", "trained"), "pass@8"),
    ("pass@8: trained - base", ("target", "trained_minus_base"), "pass@8"),
    ("regression accuracy: trained - base", ("regression", "comparison"), "accuracy"),
    ("regression margin, nats: trained - base", ("regression", "comparison"), "margin"),
    ("perplexity: trained - base", ("regression", "comparison"), "ppl"),
    ("MBPP pass@1: trained - base", ("mbpp", "trained_minus_base"), "pass@1"),
)


def estimate(figures: Any, path: tuple[str, ...], name: str) -> str:
    """``0.412 [0.380, 0.444]``; differences are signed."""
    for part in (*path, name):
        figures = figures.get(part) if isinstance(figures, Mapping) else None
    if figures is None:
        return "-"
    form = "{:+.3f}" if "difference" in figures else "{:.3f}"
    value, low, high = (form.format(figures[key]) for key in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def main(paths: list[str]) -> None:
    """Print one column a run."""
    reports = [json.loads((Path(path) / "reports" / "final.json").read_text()) for path in paths]
    print("| | " + " | ".join(f"seed {report['seed']}" for report in reports) + " |")
    print("|---|" + "---|" * len(reports))
    best = " | ".join(f"{report['headline']['best_temperature']:g}" for report in reports)
    print(f"| the base's best temperature | {best} |")
    for label, path, name in ROWS:
        cells = " | ".join(estimate(report["headline"], path, name) for report in reports)
        print(f"| {label} | {cells} |")
    print("| minutes | " + " | ".join(f"{r['time/run_s'] / 60:.0f}" for r in reports) + " |")


main(sys.argv[1:])
