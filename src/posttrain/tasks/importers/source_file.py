"""Find the file that an importer reads: the path itself, or a known name in a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from posttrain.core.errors import NotFoundError, TaskFormatError
from posttrain.core.task import Limits, Message
from posttrain.tasks.complaint import parse_record
from posttrain.tasks.jsonl import parse_json, read_json_lines, read_text

__all__ = ["ANSWER_FORM", "PUBLIC_SET_LIMITS", "find_source", "read_rows", "user_prompt"]

R = TypeVar("R", bound=BaseModel)

PUBLIC_SET_LIMITS = Limits(cpu_s=2.0, wall_s=6.0)
ANSWER_FORM = "Answer with only a Python code block."


def find_source(src: Path, names: Sequence[str]) -> Path:
    """``src`` when it is a file, else the first of ``names`` in that folder."""
    if src.is_file():
        return src
    for name in names:
        if (src / name).is_file():
            return src / name
    if src.is_dir():
        raise NotFoundError(f"{src} holds none of {', '.join(names)}; give the file itself")
    raise NotFoundError(f"{src} does not exist; give a file or a folder with {' or '.join(names)}")


def read_rows(path: Path, row: type[R]) -> list[R]:
    """Rows of a JSONL file, or of a JSON file that is one array; ``.gz`` is unpacked."""
    if ".jsonl" in path.suffixes:
        lines = read_json_lines(path, allow_constants=True)
        return [parse_record(row, record, where) for where, record in lines]
    records: Any = parse_json(read_text(path), str(path), allow_constants=True)
    if not isinstance(records, list):
        raise TaskFormatError(
            f"{path}: holds a {type(records).__name__}; a .json source is one array of rows, "
            "rows a line are named .jsonl"
        )
    return [parse_record(row, item, f"{path}[{n}]") for n, item in enumerate(records)]


def user_prompt(text: str) -> tuple[Message, ...]:
    """The whole prompt of an imported task: one user message."""
    return (Message(role="user", content=text),)
