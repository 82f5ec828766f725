"""The live terminal board of a run; plain lines where the output is not a terminal.

    event log ── listener ──► BoardState ◄── refresh thread of rich ── render ──► terminal

The listener only updates the state, so a slow terminal never slows a run. Rich is imported here
and in the CLI's output module only.
"""

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from posttrain.observe.board_state import BoardState, EvalRow
from posttrain.observe.plain_lines import plain_printer
from posttrain.store.events import Event, Listener

__all__ = ["LiveBoard", "open_board", "render_board"]

_SPARKS = "▁▂▃▄▅▆▇█"


class LiveBoard:
    """A listener with a refreshing display; use as a context manager."""

    def __init__(self, console: Console) -> None:
        self._state = BoardState()
        self._live = Live(
            get_renderable=lambda: render_board(self._state),
            console=console,
            refresh_per_second=4,
            transient=False,
        )

    def __call__(self, event: Event) -> None:
        """Fold one event in; the display follows at its own pace."""
        self._state.apply(event)

    def __enter__(self) -> "LiveBoard":
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()


def open_board(stream: TextIO, *, quiet: bool = False) -> AbstractContextManager[Listener]:
    """The right view for ``stream``: a live board on a terminal, lines elsewhere, none if quiet."""
    if quiet:
        return nullcontext(lambda event: None)
    console = Console(file=stream)
    if console.is_terminal:
        return LiveBoard(console)
    return nullcontext(plain_printer(stream))


def render_board(state: BoardState) -> Panel:
    """The whole board as one renderable; safe on any state, also an empty one."""
    title = f"posttrain · {state.run or 'starting'}"
    parts: list[RenderableType] = [
        _headline(state),
        _progress(state),
        _rewards(state),
        _evaluations(state),
    ]
    if state.notes:
        parts.append(Text("\n".join(state.notes), style="dim"))
    return Panel(Group(*parts), title=title, title_align="left", border_style="blue")


def _headline(state: BoardState) -> Text:
    elapsed = state.now_s - state.started_at_s if state.started_at_s else 0.0
    words = [
        f"step {state.step}/{state.steps}",
        f"phase {state.phase or '-'}",
        state.ended or state.stage,
        f"policy v{state.policy_version}",
        f"{_clock(elapsed)} gone",
    ]
    if state.eta_s is not None:
        words.append(f"ETA {_clock(state.eta_s)}")
    elif state.expected_s:
        words.append(f"expected {_clock(state.expected_s)}")
    return Text(" · ".join(words), style="bold")


def _progress(state: BoardState) -> Table:
    grid = Table.grid(padding=(0, 2))
    current = state.current
    if current is None:
        return grid
    span = max(state.now_s - (current.first_sample_at_s or current.started_at_s), 1e-9)
    grid.add_row(
        "attempts",
        ProgressBar(total=max(current.attempts, 1), completed=current.judged, width=28),
        f"{current.sampled} sampled, {current.grading} in sandboxes, {current.judged} judged, "
        f"{current.passed} passed, {current.dropped} lost",
    )
    tokens = state.metrics.get("rate/tokens_per_s", current.tokens / span)
    verdicts = state.metrics.get("rate/verdicts_per_s", current.judged / span)
    grid.add_row("speed", f"{tokens:.0f} tokens/s", f"{verdicts:.1f} verdicts/s")
    if state.failures:
        common = ", ".join(f"{name} {count}" for name, count in state.failures.most_common(6))
        grid.add_row("failures", common, "")
    return grid


_CURVES = (
    ("reward", "reward/mean"),
    ("correct", "reward/correct/mean"),
    ("partial", "reward/partial/mean"),
    ("process", "reward/process/mean"),
    ("groups mixed", "groups/mixed"),
    ("groups solved", "groups/solved_all"),
    ("groups unsolved", "groups/solved_none"),
    ("KL", "kl"),
    ("entropy", "entropy"),
)


def _rewards(state: BoardState) -> Table:
    table = Table.grid(padding=(0, 2))
    for label, name in _CURVES:
        history = state.history.get(name)
        if history:
            table.add_row(label, f"{history[-1]:.3f}", Text(sparkline(history), style="cyan"))
    return table


def _evaluations(state: BoardState) -> Table:
    table = Table.grid(padding=(0, 2))
    for row in list(state.evaluations.values())[-7:]:
        table.add_row(f"eval {row.label}", _eval_text(row))
    return table


def _eval_text(row: EvalRow) -> str:
    if not row.finished:
        share = f", {row.passed / row.done:.3f} passed" if row.done else ""
        return f"{row.done}/{row.total}{share}"
    return ", ".join(
        f"{name} {value['value']:.3f}" + _interval(value)
        for track in (row.target, row.regression)
        for name, value in track.items()
        if isinstance(value, dict) and isinstance(value.get("value"), int | float)
    )


def _interval(value: dict[str, Any]) -> str:
    low, high = value.get("low"), value.get("high")
    return f" [{low:.3f}, {high:.3f}]" if low is not None and high is not None else ""


def sparkline(values: Any, width: int = 40) -> str:
    """The last ``width`` values as block characters, lowest to highest of those shown."""
    shown = list(values)[-width:]
    low, high = min(shown), max(shown)
    span = (high - low) or 1.0
    return "".join(_SPARKS[round((v - low) / span * (len(_SPARKS) - 1))] for v in shown)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
