"""Fix the trust of imported tasks once, by running their references, before any candidate runs.

A task is ``isolated`` when its reference passes with candidate and tests in two processes. Where
it passes only in one (values that are not plain data), the task is ``shared``, and every verdict
on it says so. A reference that passes in neither keeps the task as it is, and is named.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from posttrain.core.task import Task, Trust
from posttrain.core.verdict import Status, Verdict
from posttrain.verify.batch import grade_many
from posttrain.verify.judge import Judge

__all__ = ["fix_trust"]

_WORKERS = 2
_SEED = 0


def fix_trust(
    judge: Judge, tasks: Sequence[Task], *, workers: int = _WORKERS
) -> tuple[list[Task], list[dict[str, Any]]]:
    """The tasks with their trust, and a report: one entry for each that is not simply isolated.

    An entry has ``id``, ``trust``, ``status`` of the reference under that trust, and ``cause``.
    """
    fixed = list(tasks)
    report: dict[int, dict[str, Any]] = {}
    for number, verdict in _failing(judge, tasks, range(len(tasks)), workers):
        report[number] = _entry(tasks[number], verdict, _cause(verdict))
    for number in report:
        fixed[number] = _with_trust(tasks[number], Trust.SHARED)
    for number, _ in _failing(judge, fixed, sorted(report), workers):
        fixed[number] = tasks[number]
    for number, entry in report.items():
        if fixed[number].verifier.trust is Trust.SHARED:
            entry.update(trust=Trust.SHARED.value, status="passed")
    return fixed, [report[number] for number in sorted(report)]


def _failing(
    judge: Judge, tasks: Sequence[Task], numbers: Sequence[int], workers: int
) -> list[tuple[int, Verdict]]:
    chosen = [n for n in numbers if tasks[n].verifier.type == "function" or tasks[n].reference]
    items = ((tasks[n], tasks[n].reference) for n in chosen)
    graded = grade_many(judge, items, workers=workers, seed=_SEED)
    return [(chosen[position], verdict) for position, verdict in graded if not verdict.passed]


def _with_trust(task: Task, trust: Trust) -> Task:
    return replace(task, verifier=replace(task.verifier, trust=trust))


def _entry(task: Task, verdict: Verdict, cause: str) -> dict[str, Any]:
    return {
        "id": task.id,
        "trust": task.verifier.trust.value,
        "status": verdict.status.value,
        "cause": cause,
    }


def _cause(verdict: Verdict) -> str:
    if verdict.failure is None:
        return "no failure was recorded"
    if verdict.status is Status.ERROR:
        return verdict.failure.detail
    return f"{verdict.failure.kind.value}: {verdict.failure.detail}"
