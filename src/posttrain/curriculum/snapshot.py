"""The whole state of a curriculum, and its JSON form for checkpoints.

    {"version": 1, "step": 12, "phase": {"index": 1, "streak": 0},
     "cells": {"reverse@1": {"passes": 3.4, "failures": 9.1, "step": 12, "rounds": 0,
                             "used": [task id, ...]}, ...},
     "arms": {"favoured": [mixed, groups], ...}, "num_borrowed": 0, "num_missing": 0}

Numbers survive the round trip exactly, so that a resumed run draws what the unbroken one would.
"""

import dataclasses
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from posttrain.curriculum.cell import CellState
from posttrain.curriculum.draw import Arm
from posttrain.curriculum.phase import PhaseState

__all__ = ["Snapshot"]

_VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """What a curriculum knows after ``step`` (-1 before the first)."""

    step: int = -1
    phase: PhaseState = field(default_factory=PhaseState)
    cells: Mapping[str, CellState] = field(default_factory=dict)
    arms: Mapping[Arm, tuple[int, int]] = field(default_factory=dict)
    """(mixed groups, groups) since the begin of the run."""
    num_borrowed: int = 0
    num_missing: int = 0

    def in_phase(self, phase: PhaseState) -> "Snapshot":
        """The same knowledge in another phase."""
        return dataclasses.replace(self, phase=phase)

    def mixed_share(self, arm: Arm) -> float | None:
        """Share of mixed groups among those of ``arm``; None before the first."""
        mixed, groups = self.arms.get(arm, (0, 0))
        return mixed / groups if groups else None

    def limited_to(self, keys: Set[str], last_phase: int) -> "Snapshot":
        """Without other cells, and in a phase that exists."""
        phase = self.phase if self.phase.index <= last_phase else PhaseState(index=last_phase)
        cells = {key: state for key, state in self.cells.items() if key in keys}
        return dataclasses.replace(self, cells=cells, phase=phase)

    def to_json(self) -> dict[str, Any]:
        """Plain values with sorted keys."""
        return {
            "version": _VERSION,
            "step": self.step,
            "phase": {"index": self.phase.index, "streak": self.phase.streak},
            "cells": {key: _cell_to_json(self.cells[key]) for key in sorted(self.cells)},
            "arms": {arm.value: list(self.arms[arm]) for arm in sorted(self.arms)},
            "num_borrowed": self.num_borrowed,
            "num_missing": self.num_missing,
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Snapshot":
        """Inverse of ``to_json``; raises ``ValueError`` for anything else."""
        try:
            if plain["version"] != _VERSION:
                raise ValueError(f"version {plain['version']!r}, expected {_VERSION}")
            return cls(
                step=plain["step"],
                phase=PhaseState(**plain["phase"]),
                cells={key: _cell_from_json(cell) for key, cell in plain["cells"].items()},
                arms={Arm(k): (mixed, groups) for k, (mixed, groups) in plain["arms"].items()},
                num_borrowed=plain["num_borrowed"],
                num_missing=plain["num_missing"],
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"this is not the state of a curriculum: {error}") from error


def _cell_to_json(state: CellState) -> dict[str, Any]:
    return {
        "passes": state.passes,
        "failures": state.failures,
        "step": state.step,
        "rounds": state.rounds,
        "used": sorted(state.used),
    }


def _cell_from_json(plain: Mapping[str, Any]) -> CellState:
    return CellState(**{**plain, "used": frozenset(plain["used"])})
