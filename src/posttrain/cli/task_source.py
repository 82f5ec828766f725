"""What the argument TASKS names: task files, or the built-in procedural set."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from posttrain.core.errors import NotFoundError
from posttrain.core.task import Split, Task
from posttrain.tasks.basics import generate_tasks
from posttrain.tasks.format import read_tasks

__all__ = ["BASICS", "find_task", "tasks_named"]

BASICS: Final = "basics"


def tasks_named(
    sources: Sequence[str], *, per_family: int = 4, seed: int = 0, split: Split | None = None
) -> list[Task]:
    """The tasks of ``sources`` in order, each a path or ``basics``; ``split`` keeps one split.

    Raises ``NotFoundError`` and ``TaskFormatError`` as reading does.
    """
    tasks: list[Task] = []
    for source in sources:
        if source == BASICS and not Path(source).exists():
            for kind in (Split.TRAIN, Split.EVAL):
                tasks += generate_tasks(kind, per_family=per_family, seed=seed)
        else:
            tasks += read_tasks(Path(source))
    return [task for task in tasks if split is None or task.split is split]


def find_task(tasks: Sequence[Task], task_id: str, source: str) -> Task:
    """The task called ``task_id``; raises ``NotFoundError`` naming the nearest."""
    for task in tasks:
        if task.id == task_id:
            return task
    near = difflib.get_close_matches(task_id, [task.id for task in tasks], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"see: posttrain tasks list {source}"
    raise NotFoundError(f"{source} has no task {task_id!r}; {hint}")
