"""MBPP, full and sanitized: ``test_list`` is visible, ``challenge_test_list`` is hidden.

The statement does not name the function, so the prompt shows the visible asserts and the entry
point is the function of the reference that the first assert calls. Each assert is one program of
its own; before it come the row's imports and set-up code, and the imports of the reference that the
assert itself relies on (the authors ran both in one namespace).
"""

import ast
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, Field

from posttrain.core.errors import TaskFormatError
from posttrain.core.task import Limits, Source, Split, Task, VerifierSpec
from posttrain.tasks.importers.source_file import (
    ANSWER_FORM,
    PUBLIC_SET_LIMITS,
    find_source,
    read_rows,
    user_prompt,
)

__all__ = ["MbppRow", "import_mbpp", "tests_prompt"]

FILE_NAMES = ("mbpp.jsonl", "mbpp.jsonl.gz", "sanitized-mbpp.json", "sanitized-mbpp.json.gz")
SOURCE = Source(
    name="google-research/mbpp",
    license="CC-BY-4.0",
    revision="sha256:ccf64ceae9c5403bf50a044cb6d505bfd2a2963ee58338ba268fd65beab92a9f",
)
SANITIZED_SOURCE = Source(
    name="google-research/mbpp (sanitized)",
    license="CC-BY-4.0",
    revision="sha256:8ac32b2799150228e2d745aed09c870b7e4444246d4727d1004576207ef40769",
)

_SLOW_REFERENCES = {123: Limits(cpu_s=10.0, wall_s=30.0)}
"""Row 123 tests every number up to 9999 for its amicable partner: 3.2 s for its reference."""

_FIRST_EVAL_ID, _LAST_EVAL_ID = 11, 600
"""The authors' test (11-510) and validation (511-600) rows; the others may be trained on."""


class MbppRow(BaseModel):
    """One row of either file."""

    task_id: int
    statement: str = Field(validation_alias=AliasChoices("text", "prompt"))
    code: str
    test_list: list[str] = Field(min_length=1)
    challenge_test_list: list[str] = Field(default_factory=list)
    test_setup_code: str = ""
    test_imports: list[str] | None = None

    @property
    def is_sanitized(self) -> bool:
        """True for a row of the sanitized file, which alone has ``test_imports``."""
        return self.test_imports is not None

    def program(self, line: str) -> str:
        """One assert with what must run before it."""
        needed = _imports_of(self.code, used_by=line)
        parts = [*needed, *(self.test_imports or []), _unix(self.test_setup_code), line.strip()]
        return "".join(part + "\n" for part in dict.fromkeys(parts) if part)


def import_mbpp(src: Path) -> list[Task]:
    """The tasks of ``src``; of a folder that holds both files, those of the full one."""
    path = find_source(src, FILE_NAMES)
    return [_task(row, path) for row in read_rows(path, MbppRow)]


def tests_prompt(statement: str, asserts: list[str]) -> str:
    """A statement followed by the tests that also name the function."""
    shown = "\n".join(line.strip() for line in asserts)
    return f"{statement.strip()} Your code should pass these tests:\n{shown}\n{ANSWER_FORM}"


def _task(row: MbppRow, path: Path) -> Task:
    try:
        return _parsed_task(row, path)
    except SyntaxError as error:
        raise TaskFormatError(
            f"{path}: task_id {row.task_id}: its code or a test is not Python: {error.msg}; "
            "mend the row or remove it"
        ) from error


def _parsed_task(row: MbppRow, path: Path) -> Task:
    family = "mbpp-sanitized" if row.is_sanitized else "mbpp"
    is_eval = _FIRST_EVAL_ID <= row.task_id <= _LAST_EVAL_ID
    return Task(
        id=f"{family}/{row.task_id}",
        domain="code",
        family=family,
        split=Split.EVAL if is_eval else Split.TRAIN,
        prompt=user_prompt(tests_prompt(_unix(row.statement), row.test_list)),
        verifier=VerifierSpec(
            type="function",
            entry_point=_entry_point(row, path),
            visible=_programs(row, row.test_list),
            hidden=_programs(row, row.challenge_test_list),
        ),
        reference=_unix(row.code),
        limits=_SLOW_REFERENCES.get(row.task_id, PUBLIC_SET_LIMITS),
        tags=("python", "public"),
        source=SANITIZED_SOURCE if row.is_sanitized else SOURCE,
    )


def _programs(row: MbppRow, asserts: list[str]) -> tuple[dict[str, Any], ...]:
    return tuple({"program": row.program(line)} for line in asserts)


def _entry_point(row: MbppRow, path: Path) -> str:
    """The first function of the reference that the first assert calls, outermost first."""
    defined = {node.name for node in ast.parse(row.code).body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(ast.parse(row.test_list[0].strip())):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Name) and function.id in defined:
            return function.id
    raise TaskFormatError(
        f"{path}: task_id {row.task_id}: the first test calls none of the reference's functions "
        f"({', '.join(sorted(defined)) or 'it has none'}); mend the row or remove it"
    )


def _imports_of(code: str, *, used_by: str) -> list[str]:
    """Top-level import statements of ``code`` that bind a name which ``used_by`` reads."""
    names = {node.id for node in ast.walk(ast.parse(used_by.strip())) if isinstance(node, ast.Name)}
    return [
        ast.unparse(statement)
        for statement in ast.parse(code).body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        and any((alias.asname or alias.name) in names for alias in statement.names)
    ]


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
