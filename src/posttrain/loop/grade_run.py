"""Grade given solutions: ``tasks.jsonl`` and ``solutions.jsonl`` in, ``results.jsonl`` out.

Results keep the order of the solutions. The file appears as one change when the last verdict is
there; memory holds only results that wait for an earlier one.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posttrain.core.clock import Clock, SystemClock
from posttrain.core.errors import TaskFormatError
from posttrain.core.task import Task
from posttrain.core.verdict import Status, Verdict
from posttrain.loop.interrupt import sigterm_as_interrupt
from posttrain.loop.judging import num_usable_cores, open_judge
from posttrain.reward.layers import RewardSpec, score
from posttrain.rollout.results import result_line
from posttrain.store.disk import replacing
from posttrain.store.jsonl import to_line
from posttrain.tasks.format import read_tasks
from posttrain.tasks.solutions import Solution, read_solutions
from posttrain.verify.batch import grade_many

__all__ = ["GradeSpec", "grade_solutions", "is_over_error_share"]

Progress = Callable[[dict[str, Any], int], None]
"""(result line, total); called in input order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GradeSpec:
    """What is graded, where the results go, and with what."""

    tasks: Path
    solutions: Path
    out: Path | None = None
    workers: int = 0
    """0 stands for the usable cores."""
    backend: str = "namespace"
    unsafe: bool = False
    seed: int = 0
    reward: RewardSpec = field(default_factory=RewardSpec)


def grade_solutions(
    spec: GradeSpec, progress: Progress | None = None, clock: Clock | None = None
) -> dict[str, Any]:
    """Grade all solutions and return the summary of ``grade --json``.

    Raises ``TaskFormatError`` for a solution of an unknown task before anything runs.
    """
    clock = clock or SystemClock()
    tasks = {task.id: task for task in read_tasks(spec.tasks)}
    solutions = read_solutions(spec.solutions)
    items = [(_task_of(tasks, solution, spec), code_of(solution)) for solution in solutions]
    started_s = clock.monotonic_s()
    counts = dict.fromkeys(Status, 0)
    with sigterm_as_interrupt(), replacing(spec.out) as write:
        for line in _result_lines(items, solutions, spec):
            counts[Status(line["status"])] += 1
            write(to_line(line))
            if progress is not None:
                progress(line, len(solutions))
    wall_s = clock.monotonic_s() - started_s
    return {
        "tasks": len({task.id for task, _ in items}),
        "solutions": len(solutions),
        **{status.value: number for status, number in counts.items()},
        "wall_s": wall_s,
        "solutions_per_s": len(solutions) / wall_s if wall_s > 0 else None,
        "out": None if spec.out is None else str(spec.out),
    }


def is_over_error_share(summary: dict[str, Any], max_error_share: float) -> bool:
    """True when more of the solutions than allowed ended as ``error``."""
    return bool(summary["error"] > max_error_share * summary["solutions"])


def code_of(solution: Solution) -> str | None:
    """The code of a solution; of files, the only Python one."""
    if not solution.files:
        return solution.code
    sources = [text for path, text in solution.files.items() if path.endswith(".py")]
    return sources[0] if len(sources) == 1 else None


def _task_of(tasks: dict[str, Task], solution: Solution, spec: GradeSpec) -> Task:
    if solution.task_id not in tasks:
        raise TaskFormatError(
            f"{spec.solutions}: solution {solution.solution_id!r} is for task "
            f"{solution.task_id!r}, which {spec.tasks} does not hold; "
            "give the tasks file that the solutions were made for"
        )
    return tasks[solution.task_id]


def _result_lines(
    items: list[tuple[Task, str | None]], solutions: list[Solution], spec: GradeSpec
) -> Iterator[dict[str, Any]]:
    workers = spec.workers or num_usable_cores()
    with open_judge(spec.backend, unsafe=spec.unsafe, workers=workers) as judge:
        graded = grade_many(judge, items, workers=workers, seed=spec.seed)
        for number, verdict in _in_order(graded):
            yield result_line(
                verdict,
                score(verdict, spec.reward),
                solution_id=solutions[number].solution_id,
            )


def _in_order(graded: Iterable[tuple[int, Verdict]]) -> Iterator[tuple[int, Verdict]]:
    early: dict[int, Verdict] = {}
    following = 0
    for number, verdict in graded:
        early[number] = verdict
        while following in early:
            yield following, early.pop(following)
            following += 1
