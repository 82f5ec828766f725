"""Importers of public task sets, by the name of their format."""

from collections.abc import Callable, Mapping
from pathlib import Path

from posttrain.core.errors import NotFoundError
from posttrain.core.task import Task
from posttrain.tasks.complaint import did_you_mean
from posttrain.tasks.importers.evalplus import import_humanevalplus, import_mbppplus
from posttrain.tasks.importers.humaneval import import_humaneval
from posttrain.tasks.importers.mbpp import import_mbpp

__all__ = ["FORMATS", "import_tasks"]

FORMATS: Mapping[str, Callable[[Path], list[Task]]] = {
    "humaneval": import_humaneval,
    "humanevalplus": import_humanevalplus,
    "mbpp": import_mbpp,
    "mbppplus": import_mbppplus,
}


def import_tasks(format_name: str, src: Path) -> list[Task]:
    """The tasks that ``src`` (a file or folder, plain or ``.gz``) holds in a named format.

    Trust is ``isolated`` for all: whether a reference can be judged so is found out by running
    it, which is not done here.
    """
    if format_name not in FORMATS:
        hint = did_you_mean(format_name, FORMATS) or ";"
        raise NotFoundError(f"unknown format {format_name!r}{hint} known are {', '.join(FORMATS)}")
    return FORMATS[format_name](src)
