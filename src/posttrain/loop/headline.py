"""The figures that a run is judged by: the base two ways, the trained model two ways, paired.

Lowering the temperature alone sharpens a model, so the honest headline compares the trained model
with the base at the temperature that suits the base best (chosen on training tasks, never on
target tasks). All differences are paired by task or item, with 95 % intervals.
"""

from typing import Any

from posttrain.evaluate.regression import compare_regression
from posttrain.evaluate.report import choices_of, outcomes_of, prose_of
from posttrain.evaluate.target import compare_target
from posttrain.loop.measure import Figures

__all__ = ["headline"]

Report = dict[str, Any]


def headline(base: Figures, final: Figures, temperature: float) -> Report:
    """Figures by policy and differences by pair; ``temperature`` is the base's best."""
    return {
        "best_temperature": temperature,
        "target": {
            "base": _target(base.own),
            "base_at_best": _target(base.best),
            "trained": _target(final.own),
            "trained_at_best": _target(final.best),
            "trained_minus_base": _compare(base.own, final.own),
            "trained_minus_base_at_best": _compare(base.best, final.own),
            "trained_at_best_minus_base_at_best": _compare(base.best, final.best),
        },
        "regression": {
            "base": base.own["tracks"]["regression"],
            "trained": final.own["tracks"]["regression"],
            "comparison": compare_regression(
                choices_of(base.own),
                choices_of(final.own),
                prose_of(base.own),
                prose_of(final.own),
            ),
        },
        "mbpp": _beside(base.mbpp, final.mbpp),
        "gate": final.own["gate"],
    }


def _beside(base: Report | None, final: Report | None) -> Report | None:
    if base is None or final is None:
        return None
    return {
        "base": _target(base),
        "trained": _target(final),
        "trained_minus_base": _compare(base, final),
    }


def _target(report: Report) -> Report:
    target: Report = report["tracks"]["target"]
    return target


def _compare(a: Report, b: Report) -> Report:
    return compare_target(outcomes_of(a), outcomes_of(b))
