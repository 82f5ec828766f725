"""HumanEval: the docstring's examples are visible, the release's ``check`` is hidden.

Some checks call a helper that the prompt defines above the function (``poly``, ``encode_shift``),
so each hidden program begins with what the prompt holds before the function.
"""

from pathlib import Path
from typing import Any

from pydantic import BaseModel

from posttrain.core.task import Source, Split, Task, VerifierSpec
from posttrain.tasks.importers.docstring import read_examples
from posttrain.tasks.importers.source_file import (
    ANSWER_FORM,
    PUBLIC_SET_LIMITS,
    find_source,
    read_rows,
    user_prompt,
)
from posttrain.tasks.values import encode_value

__all__ = ["HumanEvalRow", "completion_prompt", "import_humaneval"]

FILE_NAMES = ("HumanEval.jsonl.gz", "HumanEval.jsonl")
SOURCE = Source(
    name="openai/human-eval", license="MIT", revision="6d43fb980f9fee3c892a914eda09951f772ad10d"
)

# Docstring examples that the release's own reference and check contradict.
_WRONG_EXAMPLES: dict[str, list[list[Any]]] = {
    "HumanEval/47": [[[-10, 4, 6, 1000, 10, 20]]],
    "HumanEval/130": [[1], [3], [4]],
    "HumanEval/148": [["Earth", "Mercury"]],
}


class HumanEvalRow(BaseModel):
    """One line of the release."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str


def import_humaneval(src: Path) -> list[Task]:
    """The 164 tasks of ``src``, a file or the folder that holds it."""
    rows = read_rows(find_source(src, FILE_NAMES), HumanEvalRow)
    return [_task(row) for row in rows]


def completion_prompt(stub: str) -> str:
    """Ask for the whole function of which ``stub`` is the signature with its docstring."""
    return f"Complete this Python function. {ANSWER_FORM}\n\n```python\n{stub.strip()}\n```"


def _task(row: HumanEvalRow) -> Task:
    function_start = row.prompt.rfind(f"def {row.entry_point}(")
    return Task(
        id=row.task_id.lower(),
        domain="code",
        family="humaneval",
        split=Split.EVAL,
        prompt=user_prompt(completion_prompt(row.prompt)),
        verifier=VerifierSpec(
            type="function",
            entry_point=row.entry_point,
            visible=_visible_cases(row, row.prompt[function_start + len("def ") :]),
            hidden=({"program": row.prompt[:function_start].lstrip() + row.test.strip() + "\n"},),
        ),
        reference=row.prompt + row.canonical_solution,
        limits=PUBLIC_SET_LIMITS,
        tags=("python", "public"),
        source=SOURCE,
    )


def _visible_cases(row: HumanEvalRow, stub: str) -> tuple[dict[str, Any], ...]:
    wrong = _WRONG_EXAMPLES.get(row.task_id, [])
    return tuple(
        {"args": encode_value(example.args), "expect": encode_value(example.value)}
        for example in read_examples(stub, row.entry_point)
        if example.args not in wrong
    )
