"""Read and write ``tasks.jsonl``: one Task a line.

Reading what was written gives equal tasks. Every complaint is a ``TaskFormatError`` of one line
that starts with ``file:line``.
"""

import base64
import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from posttrain.core.errors import TaskFormatError
from posttrain.core.plain import to_plain
from posttrain.core.task import (
    EnvironmentSpec,
    GeneratorSpec,
    Limits,
    Message,
    Source,
    Task,
    VerifierSpec,
)
from posttrain.store.disk import replacing
from posttrain.tasks.complaint import parse_record
from posttrain.tasks.jsonl import read_json_lines
from posttrain.tasks.schema import (
    Base64File,
    EnvironmentLine,
    ReferenceLine,
    TaskLine,
    VerifierLine,
)

__all__ = ["read_tasks", "task_from_line", "task_to_line", "write_tasks"]


def read_tasks(path: Path) -> list[Task]:
    """The tasks of a file (plain or ``.gz``) in its order; their ids must differ."""
    tasks: list[Task] = []
    first_seen: dict[str, str] = {}
    for where, line in read_json_lines(path):
        task = task_from_line(line, where)
        if task.id in first_seen:
            raise TaskFormatError(
                f"{where}: id {task.id!r} was already given at {first_seen[task.id]}; "
                "each task of a file needs an id of its own"
            )
        first_seen[task.id] = where
        tasks.append(task)
    return tasks


def write_tasks(path: Path, tasks: Iterable[Task]) -> None:
    """Write one line a task, replacing the file only when all lines are written."""
    with replacing(path) as write:
        for task in tasks:
            line = json.dumps(task_to_line(task), ensure_ascii=False, allow_nan=False)
            write(line.encode() + b"\n")


def task_from_line(obj: object, where: str) -> Task:
    """The Task of one parsed line; ``where`` begins every complaint."""
    line = parse_record(TaskLine, obj, where)
    return Task(
        id=line.id,
        domain=line.domain,
        family=line.family,
        split=line.split,
        prompt=tuple(Message(role=m.role, content=m.content) for m in line.prompt),
        environment=_environment(line.environment),
        verifier=_verifier(line.verifier),
        generator=GeneratorSpec(**line.generator.model_dump()) if line.generator else None,
        reference=_reference(line.reference),
        demonstration=line.demonstration,
        difficulty=line.difficulty,
        limits=Limits(**line.limits.model_dump()),
        tags=line.tags,
        source=Source(**line.source.model_dump()),
    )


def task_to_line(task: Task) -> dict[str, Any]:
    """The JSON object of one task, keys in the documented order."""
    return {
        "id": task.id,
        "domain": task.domain,
        "family": task.family,
        "split": task.split.value,
        "prompt": to_plain(task.prompt),
        "environment": {
            "template": task.environment.template,
            "files": {name: _file_text(data) for name, data in task.environment.files.items()},
            "tools": list(task.environment.tools),
            "max_turns": task.environment.max_turns,
        },
        "verifier": _verifier_line(task.verifier),
        "generator": to_plain(task.generator),
        "reference": None if task.reference is None else {"solution": task.reference},
        "demonstration": task.demonstration,
        "difficulty": task.difficulty,
        "limits": to_plain(task.limits),
        "tags": list(task.tags),
        "source": to_plain(task.source),
    }


def _environment(line: EnvironmentLine) -> EnvironmentSpec:
    return EnvironmentSpec(
        template=line.template,
        files={name: _file_bytes(content) for name, content in line.files.items()},
        tools=line.tools,
        max_turns=line.max_turns,
    )


def _verifier(line: VerifierLine) -> VerifierSpec:
    return VerifierSpec(
        type=line.type,
        entry_point=line.entry_point,
        trust=line.trust,
        visible=tuple(line.visible),
        hidden=tuple(line.hidden),
        atol=line.atol,
        rtol=line.rtol,
        unordered=line.unordered,
        options=line.options,
    )


def _verifier_line(verifier: VerifierSpec) -> dict[str, Any]:
    fields = {f.name: getattr(verifier, f.name) for f in dataclasses.fields(verifier)}
    options: Mapping[str, Any] = fields.pop("options")
    fields["visible"], fields["hidden"] = list(verifier.visible), list(verifier.hidden)
    fields["trust"] = verifier.trust.value
    return fields | dict(options)


def _reference(line: str | ReferenceLine | None) -> str | None:
    return line.solution if isinstance(line, ReferenceLine) else line


def _file_bytes(content: str | Base64File) -> bytes:
    if isinstance(content, Base64File):
        return base64.b64decode(content.base64)
    return content.encode()


def _file_text(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
