"""Reports of evaluations (``reports/eval_*.json``), and comparing two of them.

    {"step", "policy", "tracks": {"target": {NAME: estimate}, "regression": {NAME: estimate}},
     "gate": null | {"decision", "reason", "spec"},
     "outcomes": [TaskOutcome], "choices": [ChoiceOutcome], "prose": [ChunkOutcome]}

The raw outcomes stay in the report, so that any two reports can be paired later.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from posttrain.core.errors import TaskFormatError
from posttrain.core.plain import to_plain
from posttrain.evaluate.choices import ChoiceOutcome
from posttrain.evaluate.comparison import Plain
from posttrain.evaluate.gate import GateSpec, gate
from posttrain.evaluate.prose import ChunkOutcome
from posttrain.evaluate.regression import compare_regression, summarize_regression
from posttrain.evaluate.target import TaskOutcome, compare_target, summarize_target

__all__ = ["choices_of", "compare_reports", "eval_report", "outcomes_of", "prose_of"]

R = TypeVar("R")


def eval_report(
    *,
    step: int,
    policy: str,
    outcomes: Sequence[TaskOutcome],
    choices: Sequence[ChoiceOutcome] = (),
    prose: Sequence[ChunkOutcome] = (),
    base: Mapping[str, Any] | None = None,
    gate_spec: GateSpec | None = None,
) -> Plain:
    """The report of one evaluation; gated against the report ``base`` if that is given."""
    report: Plain = {
        "step": step,
        "policy": policy,
        "tracks": {
            "target": summarize_target(outcomes),
            "regression": summarize_regression(choices, prose),
        },
        "gate": None,
        "outcomes": to_plain(tuple(outcomes)),
        "choices": to_plain(tuple(choices)),
        "prose": to_plain(tuple(prose)),
    }
    if base is not None:
        report["gate"] = compare_reports(base, report, gate_spec)["gate"]
    return report


def compare_reports(
    a: Mapping[str, Any], b: Mapping[str, Any], gate_spec: GateSpec | None = None
) -> Plain:
    """What ``compare --json`` prints: ``metrics`` by track/name, b against a, and the gate."""
    target = compare_target(outcomes_of(a), outcomes_of(b))
    regression = compare_regression(choices_of(a), choices_of(b), prose_of(a), prose_of(b))
    metrics = {f"target/{name}": figure for name, figure in target.items()}
    metrics.update({f"regression/{name}": figure for name, figure in regression.items()})
    return {"metrics": metrics, "gate": gate(target, regression, gate_spec)}


def outcomes_of(report: Mapping[str, Any]) -> list[TaskOutcome]:
    """The target outcomes of a report; raises ``TaskFormatError`` for a broken one."""
    lines = _lines(report, "outcomes")
    return [_record(TaskOutcome, {**o, "passed": tuple(o.get("passed", ()))}) for o in lines]


def choices_of(report: Mapping[str, Any]) -> list[ChoiceOutcome]:
    """The multiple-choice outcomes of a report; raises ``TaskFormatError`` for a broken one."""
    return [_record(ChoiceOutcome, line) for line in _lines(report, "choices")]


def prose_of(report: Mapping[str, Any]) -> list[ChunkOutcome]:
    """The prose chunks of a report; raises ``TaskFormatError`` for a broken one."""
    return [_record(ChunkOutcome, line) for line in _lines(report, "prose")]


def _lines(report: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    lines = report.get(key, [])
    if not (isinstance(lines, list) and all(isinstance(line, dict) for line in lines)):
        raise TaskFormatError(f"the report's {key!r} is not a list of objects; evaluate again")
    return lines


def _record(kind: type[R], line: Mapping[str, Any]) -> R:
    try:
        return kind(**line)
    except TypeError as error:
        raise TaskFormatError(f"the report is no evaluation of this version: {error}") from error
