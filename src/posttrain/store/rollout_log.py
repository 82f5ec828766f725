"""``rollouts/step_000012.jsonl``: the judged attempts of one step, written as one change.

A step's file is there whole or not at all, sorted by (task, index), so that two runs with equal
attempts have equal files whatever the order of grading was.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from posttrain.core.rollout import Rollout
from posttrain.store.disk import storing, write_atomically
from posttrain.store.jsonl import read_lines, to_line
from posttrain.store.rollout_line import rollout_from_line, rollout_to_line

__all__ = [
    "drop_rollouts_after",
    "read_rollouts",
    "rollouts_path",
    "stored_steps",
    "write_rollouts",
]

_NAME = re.compile(r"step_(\d{6,})\.jsonl")


def rollouts_path(folder: Path, step: int) -> Path:
    """Where the attempts of ``step`` lie."""
    return folder / f"step_{step:06d}.jsonl"


def write_rollouts(folder: Path, step: int, rollouts: Iterable[Rollout]) -> Path:
    """Store all attempts of ``step``, in key order; replaces what was there."""
    path = rollouts_path(folder, step)
    ordered = sorted(rollouts, key=lambda rollout: rollout.key)
    write_atomically(path, b"".join(to_line(rollout_to_line(rollout)) for rollout in ordered))
    return path


def read_rollouts(folder: Path, step: int) -> list[Rollout]:
    """The attempts of ``step`` in key order; none when the step has no file."""
    return [rollout_from_line(line) for line in read_lines(rollouts_path(folder, step))]


def stored_steps(folder: Path) -> list[int]:
    """Steps that have a file, ascending."""
    matches = (_NAME.fullmatch(path.name) for path in folder.iterdir()) if folder.is_dir() else ()
    return sorted(int(match[1]) for match in matches if match)


def drop_rollouts_after(folder: Path, step: int, *, keep: Iterable[int] = ()) -> None:
    """Remove the files of later steps but those in ``keep``."""
    kept = set(keep)
    with storing(folder):
        for later in stored_steps(folder):
            if later > step and later not in kept:
                rollouts_path(folder, later).unlink()
