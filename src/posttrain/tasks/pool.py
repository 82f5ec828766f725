"""Gather tasks into one pool, and count what a pool holds.

A source is a ``tasks.jsonl`` path, the name of a task sample of the package (``mbpp``,
``humaneval``) or tasks that are already made. Ids are unique across all sources.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from posttrain.core.errors import NotFoundError, TaskFormatError
from posttrain.core.task import Split, Task
from posttrain.tasks.complaint import did_you_mean
from posttrain.tasks.format import read_tasks
from posttrain.tasks.samples import sample_path

__all__ = ["TASK_SAMPLES", "load_pool", "pool_stats"]

TASK_SAMPLES = ("mbpp", "humaneval")

_NUM_BANDS = 5


def load_pool(
    sources: Iterable[str | Path | Sequence[Task]], *, split: Split | None = None
) -> list[Task]:
    """The tasks of all sources in their order, of one split when it is given.

    Raises ``NotFoundError`` for a source that does not exist and ``TaskFormatError`` for an id
    that two sources share, or when nothing remains.
    """
    pool: dict[str, Task] = {}
    for source in sources:
        for task in _tasks_of(source):
            if task.id in pool:
                raise TaskFormatError(
                    f"task id {task.id!r} is in more than one source; "
                    "leave one of the sources out or rename the task"
                )
            pool[task.id] = task
    chosen = [task for task in pool.values() if split in (None, task.split)]
    if not chosen:
        splits = ", ".join(sorted({task.split.value for task in pool.values()})) or "none"
        raise TaskFormatError(f"no task of split {split or 'any'}; the sources hold {splits}")
    return chosen


def pool_stats(tasks: Sequence[Task]) -> dict[str, Any]:
    """Counts by family, split, domain, verifier, trust, licence, tag and fifth of difficulty."""
    counts = {
        name: dict(sorted(Counter(itertools.chain.from_iterable(map(read, tasks))).items()))
        for name, read in _COUNTED.items()
    }
    return {
        "tasks": len(tasks),
        **counts,
        "tests": {
            "visible": sum(len(task.verifier.visible) for task in tasks),
            "hidden": sum(len(task.verifier.hidden) for task in tasks),
        },
        "with_reference": sum(task.reference is not None for task in tasks),
        "with_generator": sum(task.generator is not None for task in tasks),
        "mean_prompt_chars": _mean([_prompt_chars(task) for task in tasks]),
    }


def _tasks_of(source: str | Path | Sequence[Task]) -> Sequence[Task]:
    if isinstance(source, Path):
        return read_tasks(source)
    if not isinstance(source, str):
        return source
    if source in TASK_SAMPLES:
        return read_tasks(sample_path(source))
    if not Path(source).exists():
        hint = did_you_mean(source, TASK_SAMPLES) or ";"
        raise NotFoundError(
            f"no task source {source!r}{hint} give a tasks.jsonl file or one of "
            f"{', '.join(TASK_SAMPLES)}"
        )
    return read_tasks(Path(source))


def _band(difficulty: float | None) -> str:
    if difficulty is None:
        return "unknown"
    band = min(int(difficulty * _NUM_BANDS), _NUM_BANDS - 1)
    return f"{band / _NUM_BANDS:.1f}-{(band + 1) / _NUM_BANDS:.1f}"


def _prompt_chars(task: Task) -> int:
    return sum(len(message.content) for message in task.prompt)


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


_COUNTED: Mapping[str, Callable[[Task], Iterable[str]]] = {
    "families": lambda task: (task.family,),
    "splits": lambda task: (task.split.value,),
    "domains": lambda task: (task.domain,),
    "verifiers": lambda task: (task.verifier.type,),
    "trust": lambda task: (task.verifier.trust.value,),
    "licenses": lambda task: (task.source.license,),
    "tags": lambda task: task.tags,
    "difficulty": lambda task: (_band(task.difficulty),),
}
