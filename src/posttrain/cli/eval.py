"""``posttrain eval``: one policy on both tracks."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import orjson
from cyclopts import Parameter
from cyclopts.validators import Number

from posttrain.cli.figures import show_side_by_side
from posttrain.cli.flags import JudgingFlags, SamplingFlags
from posttrain.cli.output import Output
from posttrain.cli.policy_source import policy_named
from posttrain.cli.task_source import BASICS
from posttrain.cli.verb import AboveZero, verb
from posttrain.config.run import EvaluationConfig, RunConfig, RunSection, TasksConfig
from posttrain.loop.eval_run import EvalSpec, evaluate
from posttrain.loop.tracks import build_tracks
from posttrain.store.disk import write_atomically

__all__ = ["app"]

_DEFAULT = EvaluationConfig()

app = verb(
    "eval",
    "posttrain eval basics --policy demo -k 8",
    "posttrain eval mine.jsonl --policy path/to/model -k 4 --temperature 0.2 --json",
)


@app.default
def eval_(
    *tasks: str,
    policy: str = "demo",
    attempts: Annotated[int, Parameter(name=["--attempts", "-k"]), AboveZero] = 8,
    per_family: Annotated[int, AboveZero] = _DEFAULT.final_per_family,
    regression_items: Annotated[int, Parameter(validator=Number(gte=0))] = (
        _DEFAULT.regression_items
    ),
    out: Path | None = None,
    sampling: SamplingFlags = SamplingFlags(),
    judging: JudgingFlags = JudgingFlags(),
    output: Output = Output(),
) -> None:
    """Measure pass@1 and pass@k on held-out tasks, and what the policy knows in general.

    Parameters
    ----------
    tasks:
        Files of tasks with the split eval, or basics, the built-in set.
    policy:
        demo, a model folder, RUN or RUN@STEP, or scripted:FILE.
    attempts:
        Answers per task; the k of pass@k.
    per_family:
        Tasks per family of the built-in set.
    regression_items:
        Multiple-choice items of the regression track; 0 leaves it out.
    out:
        Where the report goes, as JSON.
    """
    tracks = build_tracks(_config(tasks, per_family, regression_items, sampling.seed))
    spec = EvalSpec(
        label="eval",
        step=0,
        seed=sampling.seed,
        sampling=sampling.sampling,
        tasks=tracks.target,
        attempts=attempts,
        choices=tracks.choices,
        prose=tracks.prose,
        group_of=tracks.group_of,
    )
    with (
        closing(policy_named(policy)) as opened,
        judging.open_bench() as bench,
    ):
        report = evaluate(opened, spec, bench)
    if out is not None:
        write_atomically(out, orjson.dumps(report, option=orjson.OPT_INDENT_2) + b"\n")
    _show(report, policy, output)


def _config(tasks: tuple[str, ...], per_family: int, regression_items: int, seed: int) -> RunConfig:
    named = tasks or (BASICS,)
    return RunConfig(
        run=RunSection(seed=seed),
        tasks=TasksConfig(source=BASICS if named == (BASICS,) else tuple(map(Path, named))),
        evaluation=EvaluationConfig(
            final_per_family=per_family,
            regression_items=regression_items,
            prose_chunks=24 if regression_items else 0,
            report_mbpp=0,
        ),
    )


def _show(report: dict[str, Any], policy: str, output: Output) -> None:
    if output.json:
        output.document(report)
        return
    for name, figures in report["tracks"].items():
        show_side_by_side(output, f"{name.capitalize()} track", {policy: figures})
