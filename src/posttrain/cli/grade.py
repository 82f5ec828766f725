"""``posttrain grade``: verdict and reward for given solutions."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from posttrain.cli.flags import JudgingFlags
from posttrain.cli.output import Output, number
from posttrain.cli.verb import verb
from posttrain.loop.grade_run import GradeSpec, grade_solutions, is_over_error_share

__all__ = ["app"]

MAX_LISTED = 20

app = verb(
    "grade",
    "posttrain grade examples/cheat/tasks.jsonl --solutions examples/cheat/solutions.jsonl",
    "posttrain grade humaneval.jsonl --solutions answers.jsonl --out results.jsonl --json",
)


@dataclass(kw_only=True, slots=True)
class Seen:
    """What is remembered of the results for reading; everything is in the results file."""

    first: list[dict[str, Any]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def __call__(self, line: dict[str, Any], total: int) -> None:
        """Take one result line."""
        if total <= MAX_LISTED:
            self.first.append(line)
        self.kinds[_kind(line)] += 1


@app.default
def grade(
    tasks: Path,
    /,
    *,
    solutions: Path,
    out: Path | None = None,
    judging: JudgingFlags = JudgingFlags(),
    max_error_share: Annotated[float, Parameter(validator=Number(gte=0, lte=1))] = 0.0,
    seed: int = 0,
    output: Output = Output(),
) -> int:
    """Judge every solution; a failed verdict is a result, not an error.

    Parameters
    ----------
    tasks:
        The tasks.jsonl that the solutions were made for.
    solutions:
        The solutions.jsonl to grade.
    out:
        Where results.jsonl goes, one line per solution in their order.
    max_error_share:
        Largest share of solutions without a verdict that still counts as done.
    seed:
        Names the fresh tests and the order of cases.
    """
    spec = GradeSpec(
        tasks=tasks,
        solutions=solutions,
        out=out,
        workers=judging.workers,
        backend=judging.backend,
        unsafe=judging.unsafe,
        seed=seed,
    )
    seen = Seen()
    summary = grade_solutions(spec, seen)
    if output.json:
        output.document(summary)
    else:
        _show(summary, seen, output)
    return 4 if is_over_error_share(summary, max_error_share) else 0


def _show(summary: dict[str, Any], seen: Seen, output: Output) -> None:
    if output.is_chatty:
        _show_results(seen, output)
    output.line(
        f"{summary['solutions']} solutions of {summary['tasks']} tasks: "
        f"{summary['passed']} passed, {summary['failed']} failed, {summary['error']} error "
        f"({number(summary['solutions_per_s'])} a second)"
    )
    if summary["out"]:
        output.hint(f"results: {summary['out']}")


def _show_results(seen: Seen, output: Output) -> None:
    if seen.first:
        output.table(
            ("solution", "status", "reward", "tests", "why"),
            [_row(line) for line in seen.first],
        )
        return
    output.table(("outcome", "solutions"), [(kind, str(n)) for kind, n in seen.kinds.most_common()])


def _row(line: dict[str, Any]) -> tuple[str, ...]:
    tests = line["tests"].values()
    passed, total = sum(t["passed"] for t in tests), sum(t["total"] for t in tests)
    return (
        f"{line['task_id']} {line['solution_id']}",
        line["status"],
        number(line["reward"]),
        f"{passed}/{total}",
        _why(line),
    )


def _why(line: dict[str, Any]) -> str:
    if line["tamper"]:
        return "tampering: " + "; ".join(f"{f['kind']} ({f['evidence']})" for f in line["tamper"])
    failure = line["failure"]
    if failure is None:
        return ""
    return f"{failure['kind']}: {failure['detail']}" if failure["detail"] else failure["kind"]


def _kind(line: dict[str, Any]) -> str:
    if line["tamper"]:
        return "tampering"
    return line["failure"]["kind"] if line["failure"] else str(line["status"])
