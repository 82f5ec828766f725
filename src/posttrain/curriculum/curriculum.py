"""Which tasks the policy meets now, how hard they may be, and what they pay.

    draw(step) ──► groups are attempted and judged ──► observe(step) ──► state, phase, metrics
        ▲                                                                  │
        └──────────────────────────────────────────────────────────────────┘

``draw`` changes nothing: it is a function of (state, seed, step), so a step that was lost can be
drawn again. Only ``observe`` moves the state, once per step.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from posttrain.core.task import Task
from posttrain.curriculum.cell import Cell, CellState, form_cells, posterior
from posttrain.curriculum.draw import Arm, Plan, favoured_band, plan_draw
from posttrain.curriculum.outcome import GroupOutcome
from posttrain.curriculum.phase import Phase, PhaseState, advance_phase
from posttrain.curriculum.snapshot import Snapshot
from posttrain.curriculum.spec import CurriculumSpec
from posttrain.stats.beta import Beta

__all__ = ["Curriculum"]


class Curriculum:
    """Stratified sampling by estimated pass rate, with phases.

    Raises ``ValueError`` for a pool with two tasks of the same id. An empty pool draws nothing.
    """

    def __init__(self, pool: Sequence[Task], spec: CurriculumSpec, seed: int) -> None:
        self.spec = spec
        self._seed = seed
        self._cells = form_cells(pool)
        self._cell_of = {task.id: cell for cell in self._cells for task in cell.tasks}
        self._now = Snapshot()
        self._now = self._now.in_phase(self._move(PhaseState(), 0))

    @property
    def phase(self) -> Phase:
        """The phase that the next draw belongs to."""
        return self.spec.phases[self._now.phase.index]

    def plan(self, step: int, num_groups: int) -> Plan:
        """The draw of ``step`` with the reason of each pick."""
        return plan_draw(
            self._cells,
            self._now.cells,
            self.spec,
            max_difficulty=self.phase.max_difficulty,
            seed=self._seed,
            step=step,
            num_groups=num_groups,
        )

    def draw(self, step: int, num_groups: int) -> list[Task]:
        """Different tasks for ``step``: ``num_groups`` of them, fewer only if the pool is smaller.

        Changes nothing; a function of state, seed and step.
        """
        return [pick.task for pick in self.plan(step, num_groups).picks]

    def observe(self, step: int, outcomes: Sequence[GroupOutcome]) -> None:
        """Learn from the groups of ``step``: one outcome per drawn task, in any order.

        Raises ``ValueError``, and changes nothing, for a task that is not in the pool.
        """
        unknown = sorted({o.task_id for o in outcomes} - self._cell_of.keys())
        if unknown:
            raise ValueError(f"outcomes of tasks that are not in the pool: {unknown[:3]}")
        plan = self.plan(step, len(outcomes))
        ordered = sorted(outcomes, key=lambda o: (o.task_id, o.passes, o.judged))
        cells = self._learned(step, ordered)
        arms = self._counted(plan, ordered)
        self._now = Snapshot(
            step=step,
            phase=self._now.phase,
            cells=cells,
            arms=arms,
            num_borrowed=plan.num_borrowed,
            num_missing=plan.num_missing,
        )
        self._now = self._now.in_phase(self._move(self._now.phase, step + 1))

    def state(self) -> dict[str, Any]:
        """All that ``load_state`` needs, as JSON values."""
        return self._now.to_json()

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Return to a state; raises ``ValueError`` if ``state`` is not one.

        Cells that the pool does not have are forgotten, and a phase beyond the last is the last.
        """
        loaded = Snapshot.from_json(state)
        last = len(self.spec.phases) - 1
        self._now = loaded.limited_to({cell.key for cell in self._cells}, last)

    def metrics(self) -> dict[str, float]:
        """Values under ``curriculum/*``; what was not measured yet is left out.

        ``below``, ``in_band`` and ``above`` are the shares of the unlocked cells whose estimated
        pass rate lies there; ``pass_rate`` is its mean over the unlocked tasks, ``coverage`` the
        share of unlocked cells tried. ``favoured_mixed``, ``stale_mixed`` and ``uniform_mixed``
        are the shares of mixed groups among all groups of that arm. ``borrowed`` and ``missing``
        count groups of the last step that had to take locked tasks, or had none.
        """
        phase, now, spec = self.phase, self._now, self.spec
        cells = [c for c in self._cells if self._unlocked_count(c, phase.max_difficulty)]
        means = [self._rate(cell).mean for cell in cells]
        band = favoured_band(means, spec)
        figures: dict[str, float | None] = {
            "phase": now.phase.index,
            "unlocked_difficulty": phase.max_difficulty,
            "pass_rate": self._mean_rate(cells, phase.max_difficulty),
            "below": _share([mean < spec.low for mean in means]),
            "in_band": _share([spec.low <= mean <= spec.high for mean in means]),
            "above": _share([mean > spec.high for mean in means]),
            "coverage": _share([self._state_of(cell).is_tried for cell in cells]),
            "band_low": band.low,
            "band_high": band.high,
            "widened": band.widened,
            "borrowed": now.num_borrowed,
            "missing": now.num_missing,
            **{f"{arm.value}_mixed": now.mixed_share(arm) for arm in Arm},
        }
        return {f"curriculum/{k}": float(v) for k, v in figures.items() if v is not None}

    def _learned(self, step: int, ordered: Sequence[GroupOutcome]) -> dict[str, CellState]:
        cells = dict(self._now.cells)
        for outcome in ordered:
            cell = self._cell_of[outcome.task_id]
            failures = outcome.judged - outcome.passes
            state = cells.get(cell.key, CellState()).drawn(outcome.task_id)
            cells[cell.key] = state.observed(step, outcome.passes, failures, self.spec.decay)
        return cells

    def _counted(self, plan: Plan, ordered: Sequence[GroupOutcome]) -> dict[Arm, tuple[int, int]]:
        arm_of = {pick.task.id: pick.arm for pick in plan.picks}
        arms = dict(self._now.arms)
        for outcome in ordered:
            arm = arm_of.get(outcome.task_id)
            if arm is not None and outcome.judged > 0:
                mixed, groups = arms.get(arm, (0, 0))
                arms[arm] = (mixed + outcome.is_mixed, groups + 1)
        return arms

    def _move(self, state: PhaseState, next_step: int) -> PhaseState:
        return advance_phase(
            state,
            self.spec.phases,
            next_step,
            self._measured_rate,
            patience=self.spec.patience,
            relock_gap=self.spec.relock_gap,
        )

    def _measured_rate(self, max_difficulty: float) -> float | None:
        """Mean pass rate of the tried cells up to a difficulty; None below ``min_coverage``."""
        tried = [cell for cell in self._cells if self._state_of(cell).is_tried]
        covered = sum(self._unlocked_count(cell, max_difficulty) for cell in tried)
        total = sum(self._unlocked_count(cell, max_difficulty) for cell in self._cells)
        if covered < self.spec.min_coverage * total:
            return None
        return self._mean_rate(tried, max_difficulty)

    def _mean_rate(self, cells: Sequence[Cell], max_difficulty: float) -> float | None:
        """Estimated pass rate over the tasks of ``cells`` up to a difficulty; None without any."""
        counts = [self._unlocked_count(cell, max_difficulty) for cell in cells]
        if not sum(counts):
            return None
        weighed = (self._rate(c).mean * n for c, n in zip(cells, counts, strict=True))
        return math.fsum(weighed) / sum(counts)

    def _unlocked_count(self, cell: Cell, max_difficulty: float) -> int:
        return sum(t.difficulty is None or t.difficulty <= max_difficulty for t in cell.tasks)

    def _state_of(self, cell: Cell) -> CellState:
        return self._now.cells.get(cell.key, CellState())

    def _rate(self, cell: Cell) -> Beta:
        spec, state = self.spec, self._state_of(cell)
        return posterior(cell, state, self._now.step + 1, spec.decay, spec.prior_strength)


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
