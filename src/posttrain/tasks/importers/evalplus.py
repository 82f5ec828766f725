"""HumanEval+ and MBPP+: base inputs are visible, plus inputs are hidden.

The releases hold inputs without outputs; what the reference returns for them is what is expected,
so each case has ``"oracle": "reference"``. MBPP+ asserts tell three things that the inputs lost:
containers (see ``lost_types``), that only the set of items counts, and a relative tolerance.
"""

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, field_validator

from posttrain.core.task import Limits, Source, Split, Task, VerifierSpec
from posttrain.tasks.importers.humaneval import completion_prompt
from posttrain.tasks.importers.lost_types import LostTypes
from posttrain.tasks.importers.mbpp import tests_prompt
from posttrain.tasks.importers.source_file import (
    find_source,
    read_rows,
    user_prompt,
)
from posttrain.tasks.values import encode_value

__all__ = ["import_humanevalplus", "import_mbppplus"]

HUMANEVAL_FILE_NAMES = (
    "HumanEvalPlus.jsonl.gz", "HumanEvalPlus.jsonl",
    "HumanEvalPlus-Mini.jsonl.gz", "HumanEvalPlus-Mini.jsonl",
)  # fmt: skip
MBPP_FILE_NAMES = (
    "MbppPlus.jsonl.gz", "MbppPlus.jsonl",
    "MbppPlus-NoExtreme.jsonl.gz", "MbppPlus-NoExtreme.jsonl",
)  # fmt: skip
HUMANEVAL_SOURCE = Source(
    name="evalplus/humanevalplus_release",
    license="Apache-2.0",
    revision="200defce9e3429d28ca215b6dd061c0f7f31c18b",
)
MBPP_SOURCE = Source(
    name="evalplus/mbppplus_release",
    license="Apache-2.0",
    revision="dadf43da556a00f7bacd71cb154f2932757d9144",
)

PLUS_LIMITS = Limits(cpu_s=10.0, wall_s=30.0)
"""One attempt runs up to a thousand inputs; 19 references need more than 0.7 s of CPU time."""

_SLOW_REFERENCES = {"Mbpp/599": Limits(cpu_s=60.0, wall_s=180.0)}
"""Sums of ranges of 10^8 numbers: 19 s for the reference."""

_MAX_SHOWN_ASSERTS = 3
_SET_COMPARISON = re.compile(r"^assert\s+set\(", re.MULTILINE)
_RELATIVE_TOLERANCE = re.compile(r"rel_tol=([\d.]+)")


class EvalPlusRow(BaseModel):
    """One line of either release."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    base_input: list[list[Any]]
    plus_input: list[list[Any]]
    atol: float = 0.0
    assertion: str = ""
    contract: str = ""

    @field_validator("base_input", "plus_input", mode="before")
    @classmethod
    def _empty_object_is_no_inputs(cls, value: Any) -> Any:
        return [] if value == {} else value

    @property
    def number(self) -> str:
        """The id without the set's name."""
        return self.task_id.rpartition("/")[2]


def import_humanevalplus(src: Path) -> list[Task]:
    """The 164 tasks of ``src``, a file or the folder that holds it."""
    rows = read_rows(find_source(src, HUMANEVAL_FILE_NAMES), EvalPlusRow)
    return [
        _task(
            row,
            family="humanevalplus",
            prompt=completion_prompt(row.prompt),
            reference=row.prompt + row.canonical_solution,
            source=HUMANEVAL_SOURCE,
        )
        for row in rows
    ]


def import_mbppplus(src: Path) -> list[Task]:
    """The 378 tasks of ``src``, a file or the folder that holds it."""
    rows = read_rows(find_source(src, MBPP_FILE_NAMES), EvalPlusRow)
    return [
        _task(
            row,
            family="mbppplus",
            prompt=tests_prompt(_statement(row.prompt), _asserts(row)[:_MAX_SHOWN_ASSERTS]),
            reference=row.canonical_solution,
            source=MBPP_SOURCE,
        )
        for row in rows
    ]


def _task(row: EvalPlusRow, *, family: str, prompt: str, reference: str, source: Source) -> Task:
    lost = LostTypes(row.assertion, row.entry_point, contract=row.contract)
    tolerance = _RELATIVE_TOLERANCE.search(row.assertion)
    return Task(
        id=f"{family}/{row.number}",
        domain="code",
        family=family,
        split=Split.EVAL,
        prompt=user_prompt(prompt),
        verifier=VerifierSpec(
            type="function",
            entry_point=row.entry_point,
            visible=tuple(_case(lost.restore(args)) for args in row.base_input),
            hidden=tuple(_case(lost.restore(args)) for args in row.plus_input),
            atol=row.atol,
            rtol=float(tolerance[1]) if tolerance else 0.0,
            unordered=bool(_SET_COMPARISON.search(row.assertion)),
        ),
        reference=reference,
        limits=_SLOW_REFERENCES.get(row.task_id, PLUS_LIMITS),
        tags=("python", "public", "plus"),
        source=source,
    )


def _case(args: list[Any]) -> dict[str, Any]:
    return {"args": encode_value(args), "oracle": "reference"}


def _asserts(row: EvalPlusRow) -> list[str]:
    return [line for line in row.assertion.splitlines() if line.startswith("assert")]


def _statement(prompt: str) -> str:
    """The sentence of an MBPP+ prompt, which is a docstring that ends with one assert."""
    return prompt.strip().strip('"').partition("\nassert ")[0].strip()
