"""Small line charts as SVG text, without a plotting library or a script.

A report must open offline, print well and hold hundreds of charts; 100 lines of SVG do that.
Colours come from CSS variables of the page (``--c0`` ... ``--c7``), so light and dark both work.
Points whose value is None are gaps, never zeros.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

__all__ = ["Series", "bar_chart", "line_chart"]

_WIDTH, _HEIGHT = 460, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 14, 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """One line: ``ys[i]`` at ``xs[i]``; ``lows`` and ``highs`` draw a band or whiskers."""

    label: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    lows: Sequence[float | None] = ()
    highs: Sequence[float | None] = ()
    markers: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Frame:
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        share = (value - self.x_low) / (self.x_high - self.x_low)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.y_low) / (self.y_high - self.y_low)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def line_chart(
    title: str,
    series: Sequence[Series],
    *,
    x_label: str = "step",
    y_range: tuple[float, float] | None = None,
) -> str:
    """An SVG figure; a chart without a single finite point says so instead of drawing axes."""
    drawn = [s for s in series if any(y is not None for y in s.ys)]
    if not drawn:
        return (
            f'<figure><figcaption>{escape(title)}</figcaption><p class="empty">no data</p></figure>'
        )
    frame = _frame(drawn, y_range)
    parts = [_axes(frame, x_label)]
    for one in drawn:
        colour = f"var(--c{series.index(one) % 8})"
        parts += [
            _band(frame, one, colour),
            _line(frame, one, colour),
            _whiskers(frame, one, colour),
        ]
    svg = (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )
    return _figure(title, svg + _legend(series, drawn))


def _beside(one: Series, frame: _Frame, places: float) -> Series:
    """Moved a little to the side, so that the intervals of several series do not cover another."""
    shift = places * 5.0 * (frame.x_high - frame.x_low) / (_WIDTH - _LEFT - _RIGHT)
    return replace(one, xs=[x + shift for x in one.xs])


def bar_chart(title: str, bars: Sequence[tuple[str, float]]) -> str:
    """Horizontal bars with their values; lengths are relative to the largest."""
    if not bars:
        return (
            f'<figure><figcaption>{escape(title)}</figcaption><p class="empty">no data</p></figure>'
        )
    top = max(value for _, value in bars) or 1.0
    rows = "".join(
        f'<tr><th>{escape(name)}</th><td class="bar"><i style="width:{100 * value / top:.1f}%"></i>'
        f"</td><td>{value:g}</td></tr>"
        for name, value in bars
    )
    return _figure(title, f'<table class="bars">{rows}</table>')


def _no_data(title: str) -> str:
    return _figure(title, '<p class="empty">no data</p>')


def _figure(title: str, body: str) -> str:
    return f"<figure><figcaption>{escape(title)}</figcaption>{body}</figure>"


def _legend(series: Sequence[Series], drawn: Sequence[Series]) -> str:
    items = "".join(
        f'<span><i style="background:var(--c{series.index(one) % 8})"></i>'
        f"{escape(one.label)}</span>"
        for one in drawn
    )
    return f'<div class="legend">{items}</div>'


def _frame(series: Sequence[Series], y_range: tuple[float, float] | None) -> _Frame:
    xs = [x for s in series for x in s.xs]
    ys = [y for s in series for y in (*s.ys, *s.lows, *s.highs) if y is not None]
    x_low, x_high = min(xs), max(xs)
    y_low, y_high = y_range or (min(ys), max(ys))
    if y_range is None:
        margin = 0.06 * (y_high - y_low) or abs(y_high) * 0.1 or 1.0
        y_low, y_high = y_low - margin, y_high + margin
    return _Frame(
        x_low=x_low, x_high=x_high if x_high > x_low else x_low + 1, y_low=y_low, y_high=y_high
    )


def _ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round positions inside [low, high] at steps of 1, 2 or 5 x a power of ten."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _axes(frame: _Frame, x_label: str) -> str:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = []
    for value in _ticks(frame.y_low, frame.y_high):
        y = frame.y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">{value:g}</text>')
    for value in _ticks(frame.x_low, frame.x_high, 6):
        x = frame.x(value)
        parts.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{value:g}</text>')
    parts.append(
        f'<text x="{right}" y="{_HEIGHT - 3}" text-anchor="end" class="axis">'
        f"{escape(x_label)}</text>"
    )
    return "".join(parts)


def _runs(one: Series) -> list[list[int]]:
    """Index runs without gaps."""
    runs: list[list[int]] = [[]]
    for index, y in enumerate(one.ys):
        if y is None:
            runs.append([])
        else:
            runs[-1].append(index)
    return [run for run in runs if run]


def _line(frame: _Frame, one: Series, colour: str) -> str:
    parts = []
    for run in _runs(one):
        points = [(frame.x(one.xs[i]), frame.y(one.ys[i] or 0.0)) for i in run]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="line" style="stroke:{colour}" points="{path}"/>')
        if one.markers or len(run) == 1:
            parts += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" style="fill:{colour}"/>'
                for x, y in points
            ]
    return "".join(parts)


def _band(frame: _Frame, one: Series, colour: str) -> str:
    if one.markers or not one.lows:
        return ""
    indices = [
        i for i, (a, b) in enumerate(zip(one.lows, one.highs, strict=True)) if None not in (a, b)
    ]
    upper = [f"{frame.x(one.xs[i]):.1f},{frame.y(one.highs[i] or 0.0):.1f}" for i in indices]
    lower = [
        f"{frame.x(one.xs[i]):.1f},{frame.y(one.lows[i] or 0.0):.1f}" for i in reversed(indices)
    ]
    return f'<polygon class="band" style="fill:{colour}" points="{" ".join(upper + lower)}"/>'


def _whiskers(frame: _Frame, one: Series, colour: str) -> str:
    if not one.markers or not one.lows:
        return ""
    parts = []
    for x, low, high in zip(one.xs, one.lows, one.highs, strict=True):
        if low is not None and high is not None:
            parts.append(
                f'<line class="line" style="stroke:{colour}" x1="{frame.x(x):.1f}" '
                f'x2="{frame.x(x):.1f}" y1="{frame.y(low):.1f}" y2="{frame.y(high):.1f}"/>'
            )
    return "".join(parts)
