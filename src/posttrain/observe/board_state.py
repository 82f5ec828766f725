"""What a live view needs to know about a run, folded from its events one by one.

    events ──► BoardState.apply ──► board (rich) or plain lines

The state is bounded: it keeps the current step's counts, a short history per curve and the last
evaluation of each label, whatever the length of the run. Unknown kinds and fields are ignored.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from posttrain.store.events import Event

__all__ = ["BoardState", "EvalRow", "StepCounts"]

_HISTORY = 60


@dataclass(kw_only=True, slots=True)
class EvalRow:
    """The last news of one evaluation label."""

    label: str
    done: int = 0
    total: int = 0
    passed: int = 0
    finished: bool = False
    target: dict[str, Any] = field(default_factory=dict)
    regression: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True, slots=True)
class StepCounts:
    """The step in progress."""

    started_at_s: float
    attempts: int
    sampled: int = 0
    judged: int = 0
    grading: int = 0
    passed: int = 0
    dropped: int = 0
    tokens: int = 0
    layers: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    first_sample_at_s: float | None = None
    last_judged_at_s: float | None = None


@dataclass(kw_only=True, slots=True)
class BoardState:
    """Mutable on purpose: one writer (the event log's lock) and one reader that copies nothing."""

    run: str = ""
    model: str = ""
    steps: int = 0
    step: int = 0
    policy_version: int = 0
    stage: str = "start"
    phase: str = ""
    started_at_s: float = 0.0
    now_s: float = 0.0
    expected_s: float | None = None
    eta_s: float | None = None
    current: StepCounts | None = None
    metrics: dict[str, Any] = field(default_factory=dict)
    history: dict[str, deque[float]] = field(default_factory=dict)
    evaluations: dict[str, EvalRow] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    notes: deque[str] = field(default_factory=lambda: deque(maxlen=4))
    report: dict[str, Any] | None = None
    ended: str = ""

    def apply(self, event: Event) -> None:
        """Take one event in; events of unknown kind change only the clock."""
        self.now_s = event.at_s
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            handler(self, event)


def _run_started(state: BoardState, event: Event) -> None:
    fields = event.fields
    state.run, state.model = str(fields.get("run", "")), str(fields.get("model", ""))
    state.steps = int(fields.get("steps", 0))
    state.started_at_s = event.at_s
    state.expected_s = fields.get("expected_s")


def _run_resumed(state: BoardState, event: Event) -> None:
    fields = event.fields
    state.run = str(fields.get("run", ""))
    state.step = int(fields.get("step", 0))
    state.ended = ""
    state.notes.append(
        f"resumed at step {state.step}: {fields.get('replayed_steps', 0)} steps replayed, "
        f"{fields.get('discarded_attempts', 0)} unfinished attempts redrawn"
    )


def _stage_changed(state: BoardState, event: Event) -> None:
    state.stage = str(event.fields.get("stage", ""))


def _phase_changed(state: BoardState, event: Event) -> None:
    state.phase = str(event.fields.get("phase", ""))
    state.notes.append(
        f"phase {state.phase}: difficulty up to {event.fields.get('max_difficulty')}, "
        f"weights {event.fields.get('weights')}"
    )


def _eval_started(state: BoardState, event: Event) -> None:
    label = str(event.fields["label"])
    total = int(event.fields.get("tasks", 0)) * int(event.fields.get("attempts", 1))
    state.evaluations[label] = EvalRow(label=label, total=total)


def _eval_progress(state: BoardState, event: Event) -> None:
    row = state.evaluations.setdefault(
        str(event.fields["label"]), EvalRow(label=str(event.fields["label"]))
    )
    row.done, row.total = int(event.fields["done"]), int(event.fields["total"])
    row.passed = int(event.fields.get("passed", 0))


def _eval_finished(state: BoardState, event: Event) -> None:
    label = str(event.fields["label"])
    row = state.evaluations.setdefault(label, EvalRow(label=label))
    row.finished = True
    row.target = dict(event.fields.get("target") or {})
    row.regression = dict(event.fields.get("regression") or {})


def _step_started(state: BoardState, event: Event) -> None:
    state.step = int(event.fields["step"])
    state.phase = str(event.fields.get("phase", state.phase))
    state.policy_version = int(event.fields.get("policy_version", 0))
    state.current = StepCounts(
        started_at_s=event.at_s, attempts=int(event.fields.get("attempts", 0))
    )


def _answer_sampled(state: BoardState, event: Event) -> None:
    if state.current is None:
        return
    state.current.sampled = int(event.fields.get("sampled", state.current.sampled + 1))
    state.current.tokens += int(event.fields.get("tokens", 0))
    state.current.first_sample_at_s = state.current.first_sample_at_s or event.at_s


def _attempt_judged(state: BoardState, event: Event) -> None:
    current, fields = state.current, event.fields
    if current is None:
        return
    current.judged = int(fields.get("judged", current.judged + 1))
    current.grading = int(fields.get("grading", 0))
    current.passed += fields.get("status") == "passed"
    current.last_judged_at_s = event.at_s
    for name, value in (fields.get("layers") or {}).items():
        current.layers[name] += value
    if fields.get("failure"):
        current.failures[str(fields["failure"])] += 1
        state.failures[str(fields["failure"])] += 1


def _attempt_dropped(state: BoardState, event: Event) -> None:
    if state.current is not None:
        state.current.dropped += 1
    state.notes.append(f"dropped {event.fields.get('task_id')}: {event.fields.get('reason')}")


def _step_finished(state: BoardState, event: Event) -> None:
    state.metrics = dict(event.fields.get("metrics") or {})
    state.eta_s = event.fields.get("eta_s")
    state.step = int(event.fields["step"])
    for name, value in state.metrics.items():
        if isinstance(value, int | float):
            state.history.setdefault(name, deque(maxlen=_HISTORY)).append(float(value))


def _cheat_caught(state: BoardState, event: Event) -> None:
    fields = event.fields
    state.notes.append(
        f"cheat caught: {fields.get('name')} ({fields.get('finding')}) paid {fields.get('value')}"
    )


def _run_finished(state: BoardState, event: Event) -> None:
    state.report = dict(event.fields.get("report") or {})
    state.ended = "finished"


def _run_interrupted(state: BoardState, event: Event) -> None:
    state.ended = f"interrupted; go on with: {event.fields.get('command')}"


def _warning(state: BoardState, event: Event) -> None:
    state.notes.append(f"warning: {event.fields.get('message')}")


_HANDLERS: dict[str, Callable[[BoardState, Event], None]] = {
    "run_started": _run_started,
    "run_resumed": _run_resumed,
    "stage_changed": _stage_changed,
    "phase_changed": _phase_changed,
    "eval_started": _eval_started,
    "eval_progress": _eval_progress,
    "eval_finished": _eval_finished,
    "step_started": _step_started,
    "answer_sampled": _answer_sampled,
    "attempt_judged": _attempt_judged,
    "attempt_dropped": _attempt_dropped,
    "step_finished": _step_finished,
    "cheat_caught": _cheat_caught,
    "run_finished": _run_finished,
    "run_interrupted": _run_interrupted,
    "warning": _warning,
}
