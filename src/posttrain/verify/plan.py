"""What one grading asks: every test of a task with its fresh ones, and in which order.

The record keeps the order of the task (visible, hidden, fresh). What is asked first is drawn anew
for each grading, so that a candidate cannot tell visible tests from others by their place.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from posttrain.core.seeds import derive_rng, derive_seed
from posttrain.core.task import GeneratorSpec, Task
from posttrain.tasks.values import decode_value
from posttrain.verify.fault import TaskFaultError
from posttrain.verify.programs.program_test import ProgramTest
from posttrain.verify.programs.running import Case
from posttrain.verify.split import split_program

__all__ = ["OracleCase", "Phase", "PlannedTest", "StdioCase", "plan_tests", "shuffled"]

_OWN_PACKAGE = "posttrain."


class Phase(StrEnum):
    """Who may know a test."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    FRESH = "fresh"


@dataclass(frozen=True, kw_only=True, slots=True)
class OracleCase:
    """Arguments whose expected value is what the task's reference returns."""

    args: list[Any]
    kwargs: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class StdioCase:
    """Standard input and the standard output that must follow."""

    stdin: bytes
    stdout: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedTest:
    """One test; ``number`` counts within its phase."""

    phase: Phase
    number: int
    body: Case | OracleCase | ProgramTest | StdioCase

    @property
    def name(self) -> str:
        """How a failure names it."""
        return f"{self.phase.value} test {self.number}"


def plan_tests(task: Task, seed: int) -> tuple[PlannedTest, ...]:
    """All tests of one grading in the task's order.

    Raises:
        TaskFaultError: there are none, one is malformed, or the generator fails.
    """
    verifier = task.verifier
    raw = {Phase.VISIBLE: verifier.visible, Phase.HIDDEN: verifier.hidden}
    if task.generator is not None:
        raw[Phase.FRESH] = tuple(_fresh(task.generator, derive_seed(seed, "fresh", task.id)))
    planned = [
        PlannedTest(phase=phase, number=number, body=body)
        for phase, tests in raw.items()
        for number, body in enumerate(_bodies(task, tests))
    ]
    if not planned:
        raise TaskFaultError("the task has no tests")
    return tuple(planned)


def shuffled(num_tests: int, task: Task, seed: int) -> list[int]:
    """Positions in the order of asking."""
    order = list(range(num_tests))
    derive_rng(seed, "order", task.id).shuffle(order)
    return order


def _bodies(
    task: Task, tests: Sequence[Mapping[str, Any]]
) -> list[Case | OracleCase | ProgramTest | StdioCase]:
    found: list[Case | OracleCase | ProgramTest | StdioCase] = []
    for test in tests:
        try:
            found.extend(_read(task, test))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TaskFaultError(
                f"a test cannot be read: {type(error).__name__} {error}"
            ) from error
    return found


def _read(
    task: Task, test: Mapping[str, Any]
) -> Sequence[Case | OracleCase | ProgramTest | StdioCase]:
    if task.verifier.type == "stdio":
        return [StdioCase(stdin=test["stdin"].encode(), stdout=test["stdout"].encode())]
    entry_point = task.verifier.entry_point or ""
    if "program" in test:
        programs = split_program(test["program"], entry_point)
        return [ProgramTest(source, entry_point) for source in programs]
    args, kwargs = decode_value(test.get("args", [])), decode_value(test.get("kwargs", {}))
    if type(args) is not list or type(kwargs) is not dict:
        raise TypeError("args is a list and kwargs an object")
    if test.get("oracle") == "reference":
        return [OracleCase(args=args, kwargs=kwargs)]
    return [Case(args, kwargs, decode_value(test["expect"]))]


def _fresh(generator: GeneratorSpec, seed: int) -> Sequence[Mapping[str, Any]]:
    module_name, _, function_name = generator.ref.partition(":")
    if not module_name.startswith(_OWN_PACKAGE):
        raise TaskFaultError(
            f"generator {generator.ref!r} is not one of posttrain's own, and others are not run"
        )
    try:
        function = getattr(importlib.import_module(module_name), function_name)
        cases = function(generator.parameters, derive_seed(generator.seed, seed), generator.n)
    except Exception as error:
        raise TaskFaultError(f"generator {generator.ref!r} failed: {error!r}") from error
    if len(cases) != generator.n:
        raise TaskFaultError(
            f"generator {generator.ref!r} gave {len(cases)} of {generator.n} tests"
        )
    return list(cases)
