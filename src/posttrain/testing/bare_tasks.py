"""Tasks that say what they are and ask nothing: for tests of whatever draws or counts tasks."""

from collections.abc import Sequence

from posttrain.core.task import Source, Split, Task, VerifierSpec

__all__ = ["DIFFICULTIES", "bare_pool", "bare_task"]

DIFFICULTIES = (0.1, 0.3, 0.5, 0.7, 0.9)


def bare_task(task_id: str, family: str, difficulty: float | None) -> Task:
    """A training task with an empty prompt and no tests."""
    return Task(
        id=task_id,
        domain="code",
        family=family,
        split=Split.TRAIN,
        prompt=(),
        verifier=VerifierSpec(type="function"),
        difficulty=difficulty,
        source=Source(name="test", license="CC0-1.0"),
    )


def bare_pool(
    families: int = 3, per_cell: int = 4, difficulties: Sequence[float] = DIFFICULTIES
) -> list[Task]:
    """``per_cell`` tasks for each family ``f0``, ``f1``, ... and each difficulty."""
    return [
        bare_task(f"f{family}/{difficulty}/{n}", f"f{family}", difficulty)
        for family in range(families)
        for difficulty in difficulties
        for n in range(per_cell)
    ]
