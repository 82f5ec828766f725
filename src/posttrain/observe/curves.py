"""The charts of a run report, each a function of metrics or of evaluation reports."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from posttrain.observe.chart import Series, bar_chart, line_chart

__all__ = ["run_charts", "track_charts"]

Metrics = Sequence[Mapping[str, Any]]

_CURRICULUM = tuple(
    f"curriculum/{name}"
    for name in ("below", "in_band", "above", "coverage", "pass_rate", "unlocked_difficulty")
)


def run_charts(metrics: Metrics) -> list[str]:
    """Reward by layer, group kinds, curriculum, KL, entropy, lengths, speed and failure kinds."""
    layers = [
        name
        for name in _names(metrics, "reward/")
        if name.endswith("/mean") and name != "reward/mean"
    ]
    return [
        _chart(metrics, "Reward", ["reward/mean"]),
        _chart(metrics, "Reward by layer (mean contribution)", layers),
        _chart(metrics, "Share of attempts that pass", ["verdict/pass_rate", "tamper/share"]),
        _chart(
            metrics,
            "Groups by verdict",
            ["groups/mixed", "groups/solved_all", "groups/solved_none"],
        ),
        _chart(
            metrics, "Curriculum: share of cells by pass rate, difficulty unlocked", _CURRICULUM
        ),
        _chart(metrics, "KL to the base model", ["kl"]),
        _chart(metrics, "Entropy of the policy", ["entropy"]),
        _chart(metrics, "Ratio clipped, gradient norm", ["clip_ratio", "grad_norm"]),
        _chart(metrics, "Loss by stream", _names(metrics, "loss/")),
        _chart(metrics, "Answer length (tokens)", ["completions/mean_length"]),
        _chart(
            metrics,
            "Seconds by part of a step",
            ["time/rollout_s", "time/verify_s", "time/train_s"],
        ),
        _failures(metrics),
    ]


def track_charts(reports: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each track's figures over steps with 95 % intervals; one chart per kind of figure."""
    target = [(r["step"], r["tracks"].get("target", {})) for r in reports]
    regression = _largest([(r["step"], r["tracks"].get("regression", {})) for r in reports])
    return [
        _track("Target track: pass@1", target, lambda name: "pass@1" in name),
        _track("Target track: pass@k", target, lambda name: "pass@" in name and "@1" not in name),
        _track("Regression track: accuracy", regression, lambda name: name == "accuracy"),
        _track("Regression track: perplexity", regression, lambda name: "ppl" in name),
    ]


def _largest(
    points: Sequence[tuple[int, Mapping[str, Any]]],
) -> list[tuple[int, Mapping[str, Any]]]:
    """Those on the most items: a sample of them has another level, which reads as a change."""
    sizes = [(track.get("accuracy") or {}).get("n") or 0 for _, track in points]
    return [point for point, size in zip(points, sizes, strict=True) if size == max(sizes)]


def _names(metrics: Metrics, prefix: str) -> list[str]:
    return sorted({name for line in metrics for name in line if name.startswith(prefix)})


def _chart(metrics: Metrics, title: str, names: Sequence[str]) -> str:
    steps = [float(line["step"]) for line in metrics]
    return line_chart(
        title,
        [
            Series(label=name, xs=steps, ys=[line.get(name) for line in metrics])
            for name in names
            if any(line.get(name) is not None for line in metrics)
        ],
    )


def _failures(metrics: Metrics) -> str:
    counts: Counter[str] = Counter()
    for line in metrics:
        for name, value in line.items():
            if name.startswith("failure/") and value:
                counts[name.removeprefix("failure/")] += value
    return bar_chart("Why attempts failed", counts.most_common())


def _track(
    title: str, points: Sequence[tuple[int, Mapping[str, Any]]], wanted: Callable[[str], bool]
) -> str:
    series: dict[str, list[tuple[float, Mapping[str, Any]]]] = {}
    for step, track in points:
        for name, value in _estimates(track):
            if wanted(name):
                series.setdefault(name, []).append((float(step), value))
    return line_chart(
        title,
        [
            Series(
                label=name,
                xs=[x for x, _ in values],
                ys=[value["value"] for _, value in values],
                lows=[value.get("low") for _, value in values],
                highs=[value.get("high") for _, value in values],
                markers=True,
            )
            for name, values in series.items()
        ],
    )


def _estimates(track: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Mapping[str, Any]]]:
    """(name, {"value", "low", "high"}) of a track, whatever the depth of its groups."""
    found = []
    for name, value in track.items():
        if isinstance(value, Mapping):
            if isinstance(value.get("value"), int | float):
                found.append((prefix + name, value))
            else:
                found += _estimates(value, f"{prefix}{name} ")
    return found
