"""Cells: the tasks of one family in one fifth of the difficulty scale, and what is known of them.

A single task of a procedural pool is rarely drawn twice, so pass rates are estimated per cell.
``Cell`` is fixed by the pool; ``CellState`` is what the run has found out, and is all that a
checkpoint has to hold.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from posttrain.core.task import Task
from posttrain.stats.beta import Beta

__all__ = ["NUM_BUCKETS", "Cell", "CellState", "form_cells", "posterior", "prior"]

NUM_BUCKETS = 5
_UNKNOWN_PASS_RATE = 0.5
_MIN_PRIOR_MEAN = 0.05
"""No prior is so sure of itself that evidence could not move it soon."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """Tasks drawn as alike, sorted by id; ``difficulty`` is their mean, None when unknown."""

    key: str
    difficulty: float | None
    tasks: tuple[Task, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CellState:
    """Evidence of one cell as of ``step``, the last step that drew from it (-1: never).

    ``passes`` and ``failures`` are decayed counts of attempts. ``used`` are the tasks drawn since
    all were last used up, ``rounds`` how often that happened.
    """

    passes: float = 0.0
    failures: float = 0.0
    step: int = -1
    rounds: int = 0
    used: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_tried(self) -> bool:
        """True when at least one attempt was ever judged."""
        return self.passes + self.failures > 0.0

    def observed(self, step: int, passes: int, failures: int, decay: float) -> "CellState":
        """The state with the attempts of one group of ``step`` added.

            count <- count * decay^(step - last step) + news

        News that are older than the last step are decayed instead.
        """
        gap = step - self.step if self.step >= 0 else 0
        old, new = decay ** max(gap, 0), decay ** max(-gap, 0)
        return CellState(
            passes=self.passes * old + passes * new,
            failures=self.failures * old + failures * new,
            step=max(step, self.step),
            rounds=self.rounds,
            used=self.used,
        )

    def drawn(self, task_id: str) -> "CellState":
        """The state with one task used; a task that was used already begins the next round."""
        again = task_id in self.used
        return CellState(
            passes=self.passes,
            failures=self.failures,
            step=self.step,
            rounds=self.rounds + again,
            used=frozenset({task_id}) if again else self.used | {task_id},
        )


def form_cells(pool: Sequence[Task]) -> tuple[Cell, ...]:
    """The pool cut by family and difficulty, sorted by key; raises ``ValueError`` on double ids."""
    by_key: dict[str, list[Task]] = defaultdict(list)
    for task in pool:
        by_key[_key(task)].append(task)
    if len({task.id for task in pool}) != len(pool):
        raise ValueError("the pool holds two tasks with the same id; ids must be unique")
    return tuple(_cell(key, by_key[key]) for key in sorted(by_key))


def _key(task: Task) -> str:
    if task.difficulty is None:
        return f"{task.family}@?"
    return f"{task.family}@{min(int(task.difficulty * NUM_BUCKETS), NUM_BUCKETS - 1)}"


def _cell(key: str, tasks: Sequence[Task]) -> Cell:
    known = [task.difficulty for task in tasks if task.difficulty is not None]
    return Cell(
        key=key,
        difficulty=sum(sorted(known)) / len(known) if known else None,
        tasks=tuple(sorted(tasks, key=lambda task: task.id)),
    )


def prior(cell: Cell, strength: float) -> Beta:
    """Beta(s m, s (1 - m)) with m = 1 - difficulty, kept off the ends; m = 0.5 if unknown."""
    mean = _UNKNOWN_PASS_RATE if cell.difficulty is None else 1.0 - cell.difficulty
    mean = min(max(mean, _MIN_PRIOR_MEAN), 1.0 - _MIN_PRIOR_MEAN)
    return Beta(strength * mean, strength * (1.0 - mean))


def posterior(cell: Cell, state: CellState, step: int, decay: float, strength: float) -> Beta:
    """The pass rate's distribution at ``step``: prior plus the evidence that has not decayed."""
    start = prior(cell, strength)
    fresh = decay ** max(step - state.step, 0) if state.step >= 0 else 0.0
    return Beta(start.a + state.passes * fresh, start.b + state.failures * fresh)
