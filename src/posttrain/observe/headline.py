"""The top of a run report: did the target rise, was anything forgotten, what does the gate say.

Every difference is paired with a 95 % interval and is called a gain or a loss only where the
interval leaves out zero. Missing parts of the report object are left out of the page.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from posttrain.observe.page import section, table

__all__ = ["headline"]

Plain = Mapping[str, Any]


def headline(report: Plain) -> str:
    """HTML of the sections above the curves; ``report`` is the final report object or empty."""
    figures = report.get("headline")
    if not figures:
        return '<p class="dim">This run has not ended; curves and rollouts follow.</p>'
    parts = [
        _lead(figures),
        section("Target track", *_target(figures)),
        section("Regression track", *_regression(figures["regression"])),
    ]
    if figures.get("mbpp"):
        parts.append(section("MBPP, reported beside", *_beside(figures["mbpp"])))
    parts.append(section("Gate and cheat", _gate(figures.get("gate")), _cheat(report.get("cheat"))))
    return "".join(parts)


def _lead(figures: Plain) -> str:
    target = figures["target"]
    same = _difference(target["trained_minus_base"].get("pass@1"))
    best = _difference(target["trained_minus_base_at_best"].get("pass@1"))
    temperature = figures["best_temperature"]
    return (
        f'<p class="lead">Held-out pass@1 against the base at the same temperature: {same}. '
        f"Against the base at its best temperature ({temperature:g}): {best}.</p>"
    )


def _difference(value: Plain | None) -> str:
    if value is None:
        return "not measured"
    tone = "good" if (value["low"] or 0) > 0 else "bad" if (value["high"] or 0) < 0 else "dim"
    words = {"good": "a gain", "bad": "a loss", "dim": "no certain change"}[tone]
    text = _signed(value).replace("\n", " ")
    return f'<b class="{tone}">{escape(text)}</b>, {words}'


def _target(figures: Plain) -> list[str]:
    target, best = figures["target"], f"{figures['best_temperature']:g}"
    rows = {
        "base, own temperature": target["base"],
        f"base, best temperature {best}": target["base_at_best"],
        "trained, own temperature": target["trained"],
        f"trained, temperature {best}": target["trained_at_best"],
    }
    differences = {
        "trained - base, both at own temperature": target["trained_minus_base"],
        f"trained at own - base at {best}": target["trained_minus_base_at_best"],
        f"trained - base, both at {best}": target["trained_at_best_minus_base_at_best"],
    }
    return [
        _estimates(rows, _plain_value),
        "<p>Paired by task, 95 % intervals over tasks:</p>",
        _estimates(differences, _signed),
    ]


def _regression(regression: Plain) -> list[str]:
    rows = {name: _overall(regression[name]) for name in ("base", "trained")}
    return [
        _estimates(rows, _plain_value),
        "<p>Paired by item; the margin is the gold option's mean log-likelihood minus the best "
        "wrong option's, in nats:</p>",
        _estimates({"trained - base": regression["comparison"]}, _signed),
    ]


def _overall(track: Plain) -> Plain:
    """Without the parts by source, which are too small to read singly."""
    return {name: value for name, value in track.items() if "/" not in name}


def _beside(mbpp: Plain) -> list[str]:
    rows = {"base": mbpp["base"], "trained": mbpp["trained"]}
    return [
        _estimates(rows, _plain_value),
        _estimates({"trained - base": mbpp["trained_minus_base"]}, _signed),
    ]


def _estimates(rows: Mapping[str, Plain], text: Any) -> str:
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    body: list[Sequence[str]] = [
        (label, *(text(row[name]) if name in row else "" for name in names))
        for label, row in rows.items()
    ]
    return table(["", *names], body)


def _plain_value(value: Any) -> str:
    if not isinstance(value, Mapping):
        return "" if value is None else f"{value:.3f}"
    return f"{value['value']:.3f}" + _interval(value, "{:.3f}")


def _signed(value: Any) -> str:
    if not isinstance(value, Mapping):
        return "" if value is None else f"{value:+.3f}"
    return f"{value['value']:+.3f}" + _interval(value, "{:+.3f}")


def _interval(value: Plain, form: str) -> str:
    low, high = value.get("low"), value.get("high")
    if low is None or high is None:
        return ""
    return f"\n[{form.format(low)}, {form.format(high)}]"


def _gate(gate: Plain | None) -> str:
    if gate is None:
        return ""
    return f"<p>Gate: <b>{escape(str(gate['decision']))}</b>. {escape(str(gate['reason']))}.</p>"


def _cheat(cheat: Plain | None) -> str:
    if cheat is None:
        return ""
    return (
        f"<p>Planted cheat on {escape(str(cheat['task_id']))}: {escape(str(cheat['name']))}. "
        f"Verdict <b>{escape(str(cheat['status']))}</b>, {escape(str(cheat['kind']))} "
        f"({escape(str(cheat['evidence']))}), paid {escape(str(cheat['value']))}.</p>"
    )
