"""Which tasks one step attempts: a pure function of state, seed and step.

    arm        share           cells are weighted by
    uniform    uniform_share   their unlocked tasks (so each task is equally likely: the control)
    stale      stale_share     steps since they were last drawn from (share of what uniform leaves)
    favoured   the rest        P(low <= pass rate <= high) under their posterior

Within an arm, cells get their expected number of groups up to rounding (systematic sampling). A
cell gives its tasks in a seeded order, none a second time before all were used, and no task twice
in one step.

Nothing here raises for want of tasks. No cell inside the favoured band widens the band; too few
unlocked tasks borrow locked ones, easiest first; a pool smaller than the step gives a smaller step.
``Plan`` tells all three.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from posttrain.core.seeds import derive_rng
from posttrain.core.task import Task
from posttrain.curriculum.cell import Cell, CellState, posterior
from posttrain.curriculum.spec import CurriculumSpec
from posttrain.curriculum.systematic import systematic_shares
from posttrain.stats.beta import Beta

__all__ = ["Arm", "Band", "Pick", "Plan", "favoured_band", "plan_draw"]

_WIDENING = 0.1


class Arm(StrEnum):
    """Why a task was drawn."""

    FAVOURED = "favoured"
    STALE = "stale"
    UNIFORM = "uniform"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pick:
    """One drawn task."""

    task: Task
    arm: Arm


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """The pass rates that are favoured; ``widened`` when no cell was inside the stated ones."""

    low: float
    high: float
    widened: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The draw of one step."""

    picks: tuple[Pick, ...]
    band: Band
    num_borrowed: int
    """Tasks that no phase has unlocked yet."""
    num_missing: int
    """Groups that the whole pool could not fill."""


def plan_draw(
    cells: Sequence[Cell],
    states: Mapping[str, CellState],
    spec: CurriculumSpec,
    *,
    max_difficulty: float,
    seed: int,
    step: int,
    num_groups: int,
) -> Plan:
    """Draw up to ``num_groups`` different tasks."""
    rng = derive_rng(seed, "curriculum", step)
    state_of = {cell.key: states.get(cell.key, CellState()) for cell in cells}
    queues = {c.key: _queue(c, state_of[c.key], seed, max_difficulty) for c in cells}
    open_cells = [cell for cell in cells if queues[cell.key]]
    rates = _rates(open_cells, state_of, spec, step)
    band = favoured_band([rate.mean for rate in rates.values()], spec)
    weights = {
        Arm.UNIFORM: {key: float(len(queues[key])) for key in rates},
        Arm.STALE: {key: float(max(step - state_of[key].step, 1)) for key in rates},
        Arm.FAVOURED: {key: rate.mass(band.low, band.high) for key, rate in rates.items()},
    }
    picks = _fill(_arm_sizes(spec, num_groups, rng), weights, queues, rng)
    borrowed = _borrow(cells, max_difficulty, num_groups - len(picks))
    picks.extend(Pick(task=task, arm=Arm.FAVOURED) for task in borrowed)
    return Plan(
        picks=tuple(picks),
        band=band,
        num_borrowed=len(borrowed),
        num_missing=num_groups - len(picks),
    )


def _rates(
    cells: Sequence[Cell], states: Mapping[str, CellState], spec: CurriculumSpec, step: int
) -> dict[str, Beta]:
    return {
        cell.key: posterior(cell, states[cell.key], step, spec.decay, spec.prior_strength)
        for cell in cells
    }


def _fill(
    sizes: Sequence[tuple[Arm, int]],
    weights: Mapping[Arm, Mapping[str, float]],
    queues: Mapping[str, list[Task]],
    rng: random.Random,
) -> list[Pick]:
    """The picks of each arm in turn; a task taken by one arm is gone for the next."""
    return [
        Pick(task=task, arm=arm)
        for arm, count in sizes
        for task in _take(weights[arm], queues, count, rng)
    ]


def favoured_band(means: Sequence[float], spec: CurriculumSpec) -> Band:
    """The stated band, widened on both sides by tenths until it holds one of ``means``."""
    low, high = spec.low, spec.high
    while means and not any(low <= mean <= high for mean in means):
        low, high = max(0.0, low - _WIDENING), min(1.0, high + _WIDENING)
    return Band(low=low, high=high, widened=(low, high) != (spec.low, spec.high))


def _queue(cell: Cell, state: CellState, seed: int, max_difficulty: float) -> list[Task]:
    """Unlocked tasks in the order of their use: those of this round, then those of the next."""
    open_tasks = [task for task in cell.tasks if not _is_locked(task, max_difficulty)]
    this_round = [task for task in open_tasks if task.id not in state.used]
    next_round = [task for task in open_tasks if task.id in state.used]
    derive_rng(seed, "order", cell.key, state.rounds).shuffle(this_round)
    derive_rng(seed, "order", cell.key, state.rounds + 1).shuffle(next_round)
    return this_round + next_round


def _is_locked(task: Task, max_difficulty: float) -> bool:
    return task.difficulty is not None and task.difficulty > max_difficulty


def _arm_sizes(spec: CurriculumSpec, num_groups: int, rng: random.Random) -> list[tuple[Arm, int]]:
    """Groups by arm; a fraction of a group is settled by chance, so shares hold on average."""
    num_uniform = min(math.floor(spec.uniform_share * num_groups + rng.random()), num_groups)
    rest = num_groups - num_uniform
    num_stale = min(math.floor(spec.stale_share * rest + rng.random()), rest)
    return [(Arm.UNIFORM, num_uniform), (Arm.STALE, num_stale), (Arm.FAVOURED, rest - num_stale)]


def _take(
    weights: Mapping[str, float],
    queues: Mapping[str, list[Task]],
    count: int,
    rng: random.Random,
) -> list[Task]:
    """Up to ``count`` tasks from the front of the queues; what one lacks the others give."""
    taken: list[Task] = []
    while len(taken) < count:
        supplied = [key for key in weights if queues[key]]
        if not supplied:
            break
        shares = systematic_shares([weights[key] for key in supplied], count - len(taken), rng)
        for key, share in zip(supplied, shares, strict=True):
            taken.extend(queues[key][:share])
            del queues[key][:share]
    return taken


def _borrow(cells: Sequence[Cell], max_difficulty: float, count: int) -> list[Task]:
    """Locked tasks, easiest first."""
    locked = [t for cell in cells for t in cell.tasks if _is_locked(t, max_difficulty)]
    return sorted(locked, key=lambda task: (task.difficulty or 0.0, task.id))[: max(count, 0)]
