import io

from rich.console import Console

from posttrain.observe.board import open_board, render_board, sparkline
from posttrain.observe.board_state import BoardState
from posttrain.store.events import Event


def _event(kind: str, at_s: float = 0.0, **fields: object) -> Event:
    return Event(seq=1, at_s=at_s, kind=kind, fields=dict(fields))


def _text(state: BoardState) -> str:
    console = Console(file=io.StringIO(), width=120, record=True)
    console.print(render_board(state))
    return console.export_text()


def test_an_empty_state_renders() -> None:
    assert "starting" in _text(BoardState())


def test_a_step_in_progress_shows_what_is_sampled_graded_and_judged() -> None:
    state = BoardState()
    state.apply(_event("run_started", 10.0, run="demo", model="m", steps=4))
    state.apply(_event("step_started", 11.0, step=2, phase="widen", attempts=16))
    state.apply(_event("answer_sampled", 12.0, step=2, tokens=30, sampled=5))
    state.apply(
        _event(
            "attempt_judged", 13.0, status="passed", layers={"correct": 1.0}, judged=3, grading=2
        )
    )
    text = _text(state)
    assert "step 2/4" in text and "phase widen" in text
    assert "5 sampled, 2 in sandboxes, 3 judged, 1 passed" in text


def test_a_finished_step_shows_its_metrics_and_eta() -> None:
    state = BoardState()
    metrics = {"reward/mean": 0.5, "kl": 0.012, "groups/mixed": 6}
    state.apply(_event("step_finished", step=1, metrics=metrics, eta_s=125.0))
    text = _text(state)
    assert "0.500" in text and "0.012" in text and "ETA 2:05" in text


def test_evaluations_show_progress_then_values_with_intervals() -> None:
    state = BoardState()
    state.apply(_event("eval_started", label="base", tasks=10, attempts=8))
    state.apply(_event("eval_progress", label="base", done=40, total=80, passed=10))
    assert "40/80, 0.250 passed" in _text(state)
    target = {"pass@1": {"value": 0.25, "low": 0.2, "high": 0.3, "n": 10}}
    state.apply(_event("eval_finished", label="base", target=target, regression={}))
    assert "pass@1 0.250 [0.200, 0.300]" in _text(state)


def test_an_unknown_event_kind_is_ignored() -> None:
    state = BoardState()
    state.apply(_event("from_another_version", 5.0, x=1))
    assert state.now_s == 5.0


def test_outside_a_terminal_each_step_is_one_plain_line() -> None:
    stream = io.StringIO()
    with open_board(stream) as listen:
        listen(_event("step_started", step=1))
        listen(_event("step_finished", step=1, metrics={"reward/mean": 0.25}, wall_s=3.0))
    assert stream.getvalue() == "step 1: reward 0.25, 3 s\n"


def test_quiet_prints_nothing() -> None:
    stream = io.StringIO()
    with open_board(stream, quiet=True) as listen:
        listen(_event("warning", message="x"))
    assert stream.getvalue() == ""


def test_a_sparkline_spans_lowest_to_highest() -> None:
    assert sparkline([0, 1, 2]) == "▁▅█" or sparkline([0, 1, 2]) == "▁▄█"
