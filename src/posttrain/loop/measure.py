"""The evaluations of a run, each made once and kept as a report file.

    selection@T   base, training tasks, each temperature      ─► best temperature
    base          own temperature: target, regression          ┐
    base@T        best temperature: target                     │
    mbpp_base     own temperature: MBPP                        │ and the same of the trained model,
    step          inside the run, a part of both tracks        ┘ called final instead of base

A report that is there already is read, not redone, so a resumed run goes on with the next one.
"""

from dataclasses import dataclass, replace
from typing import Any

from posttrain.evaluate.gate import GateSpec
from posttrain.evaluate.report import outcomes_of
from posttrain.loop.eval_run import EvalSpec, evaluate
from posttrain.loop.parts import Parts
from posttrain.loop.step import policy_sampling
from posttrain.loop.tracks import Tracks
from posttrain.store.event_kinds import EventKind
from posttrain.store.reports import read_report, report_path, write_report

__all__ = ["Figures", "best_temperature", "evaluate_inside", "measure"]

Report = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """The reports on one policy."""

    own: Report
    """At the sampling temperature, both tracks."""
    best: Report
    """At the base's best temperature; the same object where that is the sampling temperature."""
    mbpp: Report | None


def measure(
    parts: Parts, tracks: Tracks, *, step: int, temperature: float, base: Figures | None = None
) -> Figures:
    """Both tracks at the run's temperature, the target at ``temperature`` too, MBPP beside.

    With ``base``, the report of both tracks is gated against the base's.
    """
    name = "base" if base is None else "final"
    target = _target_spec(parts, tracks, step, name)
    gated = replace(
        target,
        choices=tracks.choices,
        prose=tracks.prose,
        base=None if base is None else base.own,
        gate=GateSpec(accuracy_margin=parts.config.evaluation.margin),
    )
    own = _report(parts, gated)
    best = own
    if temperature != target.sampling.params.temperature:
        best = _report(parts, _at(parts, target, temperature), variant=f"@{temperature:g}")
    mbpp = None
    if tracks.mbpp:
        beside = replace(target, label=f"mbpp_{name}", tasks=tracks.mbpp)
        mbpp = _report(parts, beside, kind="mbpp")
    return Figures(own=own, best=best, mbpp=mbpp)


def best_temperature(parts: Parts, tracks: Tracks) -> float:
    """Where the base passes most selection tasks; ties go to the higher temperature."""
    spec = replace(
        _target_spec(parts, tracks, 0, "selection"),
        tasks=tracks.selection,
        attempts=parts.config.evaluation.selection_attempts,
    )
    own = spec.sampling.params.temperature
    rates = []
    for temperature in sorted({*parts.config.evaluation.base_temperatures, own}):
        tried = _at(parts, spec, temperature)
        report = _report(parts, tried, kind="selection", variant=f"@{temperature:g}")
        rates.append((_pass_rate(report), temperature))
    return max(rates)[1]


def evaluate_inside(parts: Parts, tracks: Tracks, step: int) -> Report:
    """The smaller evaluation between steps."""
    spec = replace(
        _target_spec(parts, tracks, step, "step"),
        tasks=tracks.inner_target,
        attempts=parts.config.evaluation.inner_attempts,
        choices=tracks.inner_choices,
    )
    return _report(parts, spec)


def _target_spec(parts: Parts, tracks: Tracks, step: int, label: str) -> EvalSpec:
    """The target track at the run's own temperature."""
    evaluation = parts.config.evaluation
    return EvalSpec(
        label=label,
        step=step,
        seed=parts.config.run.seed,
        sampling=policy_sampling(parts, evaluation.temperature),
        tasks=tracks.target,
        attempts=evaluation.attempts,
        group_of=tracks.group_of,
    )


def _at(parts: Parts, spec: EvalSpec, temperature: float) -> EvalSpec:
    """The same at another temperature; greedy answers are all equal, so one is enough."""
    return replace(
        spec,
        label=f"{spec.label}@{temperature:g}",
        sampling=policy_sampling(parts, temperature),
        attempts=1 if temperature == 0.0 else spec.attempts,
    )


def _report(parts: Parts, spec: EvalSpec, *, kind: str = "eval", variant: str = "") -> Report:
    path = report_path(parts.directory.reports, spec.step, kind=kind, variant=variant)
    found = read_report(path)
    if found is not None:
        return found
    stage = "evaluate" if spec.step else "baseline"
    parts.emit(EventKind.STAGE_CHANGED, stage=stage, step=spec.step)
    told = replace(spec, report_path=path.relative_to(parts.directory.path).as_posix())
    report = evaluate(parts.policy, told, parts.bench, parts.emit, parts.clock)
    write_report(path, report)
    return report


def _pass_rate(report: Report) -> float:
    passed = [one for outcome in outcomes_of(report) for one in outcome.passed if one is not None]
    return sum(passed) / len(passed) if passed else 0.0
