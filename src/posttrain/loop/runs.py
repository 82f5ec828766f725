"""What there is to say about runs: a row for each, or one in full, read from its files alone."""

from contextlib import closing
from pathlib import Path
from typing import Any

from posttrain.core.errors import StoreError
from posttrain.store.checkpoints import list_checkpoints
from posttrain.store.events import Event, read_events
from posttrain.store.ledger import Ledger
from posttrain.store.metrics import read_metrics
from posttrain.store.reports import read_report
from posttrain.store.run_directory import RunDirectory

__all__ = ["has_attempts", "list_runs", "show_run"]

_ENDINGS = {"run_finished": "finished", "run_interrupted": "interrupted"}


def list_runs(root: Path) -> list[dict[str, Any]]:
    """One row a run: name, status, steps done, last mean reward; a damaged run says so."""
    return [_row_or_damage(directory) for directory in RunDirectory.list(root)]


def show_run(path: Path) -> dict[str, Any]:
    """The row of one run with attempts by state, checkpoints, reports and the final object."""
    directory = RunDirectory.open(path)
    return {
        **_row(directory),
        "attempts": _attempts(directory),
        "checkpoints": [found.step for found in list_checkpoints(directory.checkpoints)],
        "reports": sorted(file.name for file in directory.reports.glob("*.json")),
        "final": read_report(directory.reports / "final.json"),
    }


def has_attempts(directory: RunDirectory) -> bool:
    """True once the run has planned an attempt."""
    return directory.ledger.exists() and bool(_attempts(directory))


def _attempts(directory: RunDirectory) -> dict[str, int]:
    with closing(Ledger(directory.ledger)) as ledger:
        return {state.value: number for state, number in ledger.counts().items()}


def _row_or_damage(directory: RunDirectory) -> dict[str, Any]:
    try:
        return _row(directory)
    except StoreError as error:
        return {"name": directory.name, "status": "damaged", "reason": str(error)}


def _row(directory: RunDirectory) -> dict[str, Any]:
    manifest = directory.read_json("manifest.json")
    config = directory.read_json("config.json")
    metrics = read_metrics(directory.metrics)
    events = list(read_events(directory.events))
    last = metrics[-1] if metrics else {}
    return {
        "name": directory.name,
        "path": str(directory.path),
        "status": _status(events),
        "created_at": manifest.get("created_at"),
        "steps_done": last.get("step", 0),
        "steps": config.get("run", {}).get("steps"),
        "model": config.get("policy", {}).get("model"),
        "reward_mean": last.get("reward/mean"),
        "pass_rate": last.get("verdict/pass_rate"),
    }


def _status(events: list[Event]) -> str:
    """From the last event; a run that says nothing more was killed or is still driven."""
    for event in reversed(events):
        if event.kind in _ENDINGS:
            return _ENDINGS[event.kind]
        if event.kind != "warning":
            return "open"
    return "new"
