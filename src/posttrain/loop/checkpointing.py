"""Saving a run so that a killed driver goes on as if it had not been killed, and going on.

A checkpoint holds learner (weights, optimizer, generators), curriculum and step under one
manifest. What the run directory has beyond it is brought back to it:

    | found after the checkpoint's step           | becomes                                   |
    |---------------------------------------------|-------------------------------------------|
    | a step whose attempts are all stored        | judged; trained again without sampling    |
    | a step with an attempt that is not judged   | removed whole, redrawn with equal seeds   |
    | metrics, evaluation reports                 | removed; they are computed again          |

Weights, attempts and metrics are functions of seeds and earlier state alone, so what is computed
again equals what was lost.
"""

import errno
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from safetensors import SafetensorError

from posttrain.core.errors import StoreError
from posttrain.loop.parts import Parts
from posttrain.store.checkpoints import latest_checkpoint, prune, save_checkpoint
from posttrain.store.disk import storing, write_atomically
from posttrain.store.event_kinds import EventKind
from posttrain.store.ledger import Ledger
from posttrain.store.metrics import cut_metrics
from posttrain.store.reports import drop_reports_after
from posttrain.store.rollout_log import drop_rollouts_after, stored_steps
from posttrain.store.run_directory import RunDirectory

__all__ = ["Position", "load_position", "restore", "rewind", "save"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """Where a driver goes on."""

    step: int
    """Steps whose update is in the weights."""
    checkpoint: Path | None
    """None: the weights are the base model's."""
    stored: tuple[int, ...] = ()
    """Later steps that are trained from stored attempts, in order."""
    num_returned: int = 0
    num_discarded: int = 0


def save(parts: Parts, step: int) -> None:
    """Write the checkpoint of ``step`` and prune older ones."""
    started_s = parts.clock.monotonic_s()
    parts.emit(EventKind.STAGE_CHANGED, stage="checkpoint", step=step)
    state = {
        "step": step,
        "policy_version": parts.learner.version,
        "curriculum": parts.curriculum.state(),
        "attempts": {state.value: number for state, number in parts.ledger.counts().items()},
    }

    def fill(folder: Path) -> None:
        try:
            parts.learner.save(folder / "learner")
        except SafetensorError as error:  # its only errors in writing are those of the disk
            raise OSError(errno.ENOSPC, str(error)) from error
        write_atomically(folder / "state.json", orjson.dumps(state, option=orjson.OPT_INDENT_2))

    saved = save_checkpoint(parts.directory.checkpoints, step, fill)
    prune(parts.directory.checkpoints, keep=parts.config.checkpoint.keep + 1)
    parts.emit(
        EventKind.CHECKPOINT_SAVED,
        step=step,
        path=saved.path.relative_to(parts.directory.path),
        wall_s=parts.clock.monotonic_s() - started_s,
    )


def rewind(directory: RunDirectory, ledger: Ledger) -> Position:
    """Bring ledger and files of a run back to its last valid checkpoint; idempotent."""
    found = latest_checkpoint(directory.checkpoints)
    step = found.step if found else 0
    ready = _stored_in_a_row(step, ledger, directory)
    returned, discarded = ledger.rewind(step, ready)
    drop_rollouts_after(directory.rollouts, step, keep=ready)
    drop_reports_after(directory.reports, step)
    cut_metrics(directory.metrics, step)
    return Position(
        step=step,
        checkpoint=found.path if found else None,
        stored=tuple(ready),
        num_returned=returned,
        num_discarded=discarded,
    )


def _stored_in_a_row(step: int, ledger: Ledger, directory: RunDirectory) -> list[int]:
    ready = set(ledger.settled_steps()) & set(stored_steps(directory.rollouts))
    row = []
    while step + 1 in ready:
        step += 1
        row.append(step)
    return row


def restore(parts: Parts, position: Position) -> None:
    """Load learner and curriculum of ``position``; raises ``StoreError`` when they disagree."""
    if position.checkpoint is None:
        return
    state = load_position(position.checkpoint)
    with storing(position.checkpoint):
        parts.learner.load(position.checkpoint / "learner")
    parts.curriculum.load_state(state["curriculum"])
    if state["step"] != position.step or state["policy_version"] != parts.learner.version:
        raise StoreError(
            f"checkpoint {str(position.checkpoint)!r} says step {state['step']} and version "
            f"{state['policy_version']}, its learner {parts.learner.version}; "
            "remove that folder to go on from the one before"
        )


def load_position(checkpoint: Path) -> dict[str, Any]:
    """The ``state.json`` of a checkpoint."""
    with storing(checkpoint):
        state: dict[str, Any] = orjson.loads((checkpoint / "state.json").read_bytes())
    return state
