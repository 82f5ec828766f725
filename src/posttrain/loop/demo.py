"""The figures that a run is judged by: the base three ways, the trained model two ways, paired.

    base                at the sampling temperature               ┐ target, regression, MBPP
    base at its best    at the temperature that training tasks    │ target
                        (never target tasks) show to be best      │
    trained             at the sampling temperature               │ target, regression, MBPP
    trained at best     at the base's best temperature            ┘ target

Lowering the temperature alone sharpens a model, so the honest headline is trained against the
base at its best. Each measurement is a report file; what is there already is read, not redone.
"""

from dataclasses import dataclass
from typing import Any

from posttrain.core.plain import to_plain
from posttrain.evaluate.regression import compare_regression
from posttrain.evaluate.target import compare_target
from posttrain.loop.eval_run import EvalSpec, choices_of, evaluate, outcomes_of
from posttrain.loop.parts import Parts
from posttrain.loop.step import policy_sampling
from posttrain.loop.tracks import Tracks
from posttrain.store.event_kinds import EventKind
from posttrain.store.reports import read_report, report_path, write_report

__all__ = ["Figures", "best_temperature", "evaluate_inside", "headline", "measure"]

Report = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """The reports on one policy."""

    own: Report
    """At the sampling temperature, both tracks."""
    best: Report
    """At the base's best temperature; the same object where that is the sampling temperature."""
    mbpp: Report | None


def measure(parts: Parts, tracks: Tracks, step: int, temperature: float) -> Figures:
    """Both tracks at the run's temperature, the target at ``temperature`` too, MBPP beside."""
    name = "final" if step else "base"
    own_temperature = _own_temperature(parts)
    full = {"choices": tracks.choices, "prose": tracks.prose}
    own = _evaluate(parts, tracks, step, label=name, temperature=own_temperature, more=full)
    best = own
    if temperature != own_temperature:
        best = _evaluate(
            parts,
            tracks,
            step,
            label=f"{name}@{temperature:g}",
            temperature=temperature,
            variant=f"@{temperature:g}",
        )
    mbpp = None
    if tracks.mbpp:
        mbpp = _evaluate(
            parts,
            tracks,
            step,
            label=f"mbpp_{name}",
            temperature=own_temperature,
            kind="mbpp",
            more={"tasks": tracks.mbpp, "group_of": _mbpp_group},
        )
    return Figures(own=own, best=best, mbpp=mbpp)


def best_temperature(parts: Parts, tracks: Tracks) -> float:
    """Where the base passes most selection tasks; ties go to the higher temperature."""
    tried = sorted({*parts.config.evaluation.base_temperatures, _own_temperature(parts)})
    rates = []
    for temperature in tried:
        report = _evaluate(
            parts,
            tracks,
            0,
            label=f"selection@{temperature:g}",
            temperature=temperature,
            kind="selection",
            variant=f"@{temperature:g}",
            more={"tasks": tracks.selection},
        )
        rates.append((_pass_rate(report), temperature))
    return max(rates)[1]


def evaluate_inside(parts: Parts, tracks: Tracks, step: int) -> Report:
    """The smaller evaluation between steps."""
    inner = {
        "tasks": tracks.inner_target,
        "attempts": parts.config.evaluation.inner_attempts,
        "choices": tracks.inner_choices,
    }
    return _evaluate(
        parts, tracks, step, label="step", temperature=_own_temperature(parts), more=inner
    )


def headline(base: Figures, final: Figures, temperature: float) -> Report:
    """The comparisons of the final report, each paired with a 95 % interval."""
    regression = compare_regression(choices_of(base.own), choices_of(final.own))
    return to_plain(
        {
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
                "comparison": regression,
            },
            "mbpp": None
            if base.mbpp is None or final.mbpp is None
            else {
                "base": _target(base.mbpp),
                "trained": _target(final.mbpp),
                "trained_minus_base": _compare(base.mbpp, final.mbpp),
            },
        }
    )


def _evaluate(
    parts: Parts,
    tracks: Tracks,
    step: int,
    *,
    label: str,
    temperature: float,
    kind: str = "eval",
    variant: str = "",
    more: dict[str, Any] | None = None,
) -> Report:
    path = report_path(parts.directory.reports, step, kind=kind, variant=variant)
    found = read_report(path)
    if found is not None:
        return found
    parts.emit(EventKind.STAGE_CHANGED, stage="evaluate" if step else "baseline", step=step)
    settings: dict[str, Any] = {
        "tasks": tracks.target,
        "attempts": parts.config.evaluation.attempts,
        "group_of": tracks.group_of,
        **(more or {}),
    }
    if temperature == 0.0:
        settings["attempts"] = 1
    spec = EvalSpec(
        label=label,
        step=step,
        seed=parts.config.run.seed,
        sampling=policy_sampling(parts, temperature),
        report_path=f"reports/{path.name}",
        **settings,
    )
    report = evaluate(parts.policy, spec, parts.bench, parts.emit, parts.clock)
    write_report(path, report)
    return report


def _own_temperature(parts: Parts) -> float:
    chosen = parts.config.evaluation.temperature
    return parts.config.policy.temperature if chosen is None else chosen


def _mbpp_group(task: object) -> str:
    return "mbpp"


def _pass_rate(report: Report) -> float:
    passed = [one for outcome in outcomes_of(report) for one in outcome.passed if one is not None]
    return sum(passed) / len(passed) if passed else 0.0


def _target(report: Report) -> Report:
    target: Report = report["tracks"]["target"]
    return target


def _compare(a: Report, b: Report) -> Any:
    return compare_target(outcomes_of(a), outcomes_of(b))
