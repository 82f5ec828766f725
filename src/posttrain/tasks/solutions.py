"""Read ``solutions.jsonl``: what is to be graded, one solution a line.

A solution is exactly one of a ``completion`` (model text, from which the code is extracted), a
``solution`` (code as it is) and ``files`` (paths with their text).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import model_validator

from posttrain.tasks.complaint import Record, parse_record
from posttrain.tasks.completion import extract_code
from posttrain.tasks.jsonl import read_json_lines

__all__ = ["Solution", "SolutionLine", "read_solutions"]

_FORMS = ("completion", "solution", "files")


@dataclass(frozen=True, kw_only=True, slots=True)
class Solution:
    """One solution of one task; exactly one of the three forms is set."""

    task_id: str
    solution_id: str
    completion: str | None = None
    solution: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str | None:
        """The code to judge; None when a completion holds none or the solution is files."""
        return self.solution if self.completion is None else extract_code(self.completion)


class SolutionLine(Record):
    """One line of ``solutions.jsonl``."""

    task_id: str
    solution_id: str = ""
    completion: str | None = None
    solution: str | None = None
    files: dict[str, str] | None = None

    @model_validator(mode="after")
    def _has_one_form(self) -> "SolutionLine":
        given = [name for name in _FORMS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"{' and '.join(given) or 'no form'} given; "
                f"a solution has exactly one of {', '.join(_FORMS)}"
            )
        return self


def read_solutions(path: Path) -> list[Solution]:
    """The solutions of a file in its order; ``solution_id`` defaults to the line's position."""
    solutions = []
    for position, (where, obj) in enumerate(read_json_lines(path)):
        line = parse_record(SolutionLine, obj, where)
        solutions.append(
            Solution(
                task_id=line.task_id,
                solution_id=line.solution_id or str(position),
                completion=line.completion,
                solution=line.solution,
                files=line.files or {},
            )
        )
    return solutions
