"""One line of text per event worth reading, for logs and terminals without cursor control."""

from collections.abc import Callable, Mapping
from typing import Any, TextIO

from posttrain.store.events import Event, Listener

__all__ = ["plain_line", "plain_printer"]


def plain_printer(stream: TextIO) -> Listener:
    """A listener that writes ``plain_line`` of each event to ``stream`` as it happens."""

    def listen(event: Event) -> None:
        line = plain_line(event)
        if line is not None:
            stream.write(line + "\n")
            stream.flush()

    return listen


def plain_line(event: Event) -> str | None:
    """The line for one event, or None for those that would only flood a log."""
    render = _LINES.get(event.kind)
    return render(event.fields) if render is not None else None


def _started(fields: Mapping[str, Any]) -> str:
    expected = fields.get("expected_s")
    time = f", expected time about {expected / 60:.0f} min" if expected else ""
    return (
        f"run {fields.get('run')}: {fields.get('model')}, {fields.get('steps')} steps of "
        f"{fields.get('groups_per_step')} x {fields.get('group_size')} attempts{time}"
    )


def _eval_finished(fields: Mapping[str, Any]) -> str:
    parts = [
        f"{name} {_share(value)}"
        for name, value in (fields.get("target") or {}).items()
        if isinstance(value, Mapping) and value.get("value") is not None
    ]
    parts += [
        f"{name} {value['value']:.3f}"
        for name, value in (fields.get("regression") or {}).items()
        if isinstance(value, Mapping) and isinstance(value.get("value"), int | float)
    ]
    return f"evaluation {fields['label']}: " + ", ".join(parts)


def _share(value: Mapping[str, Any]) -> str:
    text = f"{value['value']:.3f}"
    if value.get("low") is not None and value.get("high") is not None:
        text += f" [{value['low']:.3f}, {value['high']:.3f}]"
    return text


def _step_finished(fields: Mapping[str, Any]) -> str:
    metrics = fields.get("metrics") or {}
    eta = fields.get("eta_s")
    names = (
        ("reward", "reward/mean"),
        ("correct", "reward/correct/mean"),
        ("mixed", "groups/mixed"),
        ("solved", "groups/solved_all"),
        ("unsolved", "groups/solved_none"),
        ("kl", "kl"),
        ("clip", "clip_ratio"),
        ("grad", "grad_norm"),
    )
    parts = [
        f"{label} {metrics[name]:.3g}"
        for label, name in names
        if isinstance(metrics.get(name), int | float)
    ]
    tail = f", {fields['wall_s']:.0f} s" + (f", ETA {eta / 60:.1f} min" if eta else "")
    return f"step {fields['step']}: " + ", ".join(parts) + tail


def _cheat(fields: Mapping[str, Any]) -> str:
    return (
        f"cheat caught on {fields.get('task_id')}: {fields.get('name')}, {fields.get('finding')} "
        f"({fields.get('evidence')}), status {fields.get('status')}, paid {fields.get('value')}"
    )


_LINES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "run_started": _started,
    "run_resumed": lambda f: (
        f"resumed {f.get('run')} at step {f.get('step')}: {f.get('replayed_steps')} steps "
        f"replayed, {f.get('discarded_attempts')} unfinished attempts redrawn"
    ),
    "phase_changed": lambda f: (
        f"phase {f.get('phase')} from step {f.get('step')}: difficulty up to "
        f"{f.get('max_difficulty')}, weights {f.get('weights')}"
    ),
    "eval_started": lambda f: (
        f"evaluation {f.get('label')}: {f.get('tasks')} tasks x {f.get('attempts')} at "
        f"temperature {f.get('temperature')}, {f.get('regression_items')} regression items"
    ),
    "eval_finished": _eval_finished,
    "step_finished": _step_finished,
    "attempt_dropped": lambda f: (
        f"attempt {f.get('task_id')} #{f.get('index')} lost to infrastructure: {f.get('reason')}"
    ),
    "cheat_caught": _cheat,
    "run_interrupted": lambda f: f"interrupted; go on with: {f.get('command')}",
    "warning": lambda f: f"warning: {f.get('message')}",
}
