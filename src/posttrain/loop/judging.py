"""Opening the sandbox and the judge for as long as one command needs them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from posttrain.core.task import Task
from posttrain.core.verdict import Verdict
from posttrain.loop.bench import Bench
from posttrain.sandbox.backends import open_sandbox
from posttrain.verify.judge import Judge

__all__ = ["num_usable_cores", "open_bench", "open_judge"]


def num_usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0))


@contextmanager
def open_judge(
    backend: str = "namespace", *, unsafe: bool = False, workers: int = 0
) -> Iterator[Judge]:
    """A judge on its own sandbox; whatever it started is gone afterwards.

    ``workers`` 0 stands for the usable cores. Raises ``PrerequisiteError`` when the backend
    cannot run here, or protects nothing and ``unsafe`` is not given.
    """
    sandbox = open_sandbox(backend, unsafe=unsafe, slots=workers or num_usable_cores())
    try:
        judge = Judge(sandbox)
        try:
            yield judge
        finally:
            judge.close()
    finally:
        sandbox.close()


@contextmanager
def open_bench(
    backend: str = "namespace", *, unsafe: bool = False, workers: int = 0
) -> Iterator[Bench]:
    """A bench that grades with ``workers`` threads (0: the usable cores)."""
    with open_judge(backend, unsafe=unsafe, workers=workers) as judge:

        def grade(task: Task, code: str | None, seed: int) -> Verdict:
            return judge.grade(task, code, seed=seed)

        yield Bench(grade=grade, workers=workers or num_usable_cores())
