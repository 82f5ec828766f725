"""Grade many solutions with a pool of threads that keeps only a few of them in memory."""

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from posttrain.core.seeds import derive_seed
from posttrain.core.task import Task
from posttrain.core.verdict import Verdict
from posttrain.verify.judge import Judge

__all__ = ["grade_many"]

_AHEAD = 2
"""Submitted gradings per worker, so that none waits for the consumer."""


def grade_many(
    judge: Judge, items: Iterable[tuple[Task, str | None]], *, workers: int, seed: int
) -> Iterator[tuple[int, Verdict]]:
    """``(position, verdict)`` as each is ready; the seed of an item depends on its position only.

    ``items`` is read lazily. Closing the iterator waits for the gradings that have started.
    """
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="judge") as pool:
        pending: dict[Future[Verdict], int] = {}
        try:
            for number, (task, code) in enumerate(items):
                own_seed = derive_seed(seed, "grade", number)
                pending[pool.submit(judge.grade, task, code, seed=own_seed)] = number
                if len(pending) >= workers * _AHEAD:
                    yield from _finished(pending)
            while pending:
                yield from _finished(pending)
        finally:
            for future in pending:
                future.cancel()


def _finished(pending: dict[Future[Verdict], int]) -> Iterator[tuple[int, Verdict]]:
    done, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in done:
        yield pending.pop(future), future.result()
