"""``posttrain rollout``: sample attempts and judge them, without training."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from posttrain.cli.flags import JudgingFlags, SamplingFlags
from posttrain.cli.output import Output, number
from posttrain.cli.policy_source import policy_named
from posttrain.cli.task_source import BASICS, tasks_named
from posttrain.cli.verb import AboveZero, verb
from posttrain.core.rollout import Rollout, Turn
from posttrain.loop.bench import Job
from posttrain.loop.rollout_run import RolloutSpec, roll_out
from posttrain.loop.tracks import spread_over_families

__all__ = ["app"]

app = verb(
    "rollout",
    "posttrain rollout basics --policy demo -n 4 -g 8",
    "posttrain rollout mbpp.jsonl --policy path/to/model -n 20 -g 4 --out rollouts.jsonl",
)


class Told:
    """Prints one line an attempt."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def sampled(self, job: Job, turn: Turn) -> None:
        """An answer alone is not worth a line."""

    def judged(self, rollout: Rollout, num_grading: int) -> None:
        """Print how one attempt ended."""
        verdict = rollout.verdict
        why = verdict.failure.kind.value if verdict.failure else ""
        self._output.hint(
            f"{rollout.key.task_id} #{rollout.key.index}: {verdict.status.value} "
            f"{number(rollout.reward.value)} {why}"
        )


@app.default
def rollout(
    source: str = BASICS,
    /,
    *,
    policy: str = "demo",
    num_tasks: Annotated[int, Parameter(name=["--num-tasks", "-n"]), AboveZero] = 4,
    group_size: Annotated[int, Parameter(name=["--group-size", "-g"]), AboveZero] = 8,
    out: Path | None = None,
    sampling: SamplingFlags = SamplingFlags(),
    judging: JudgingFlags = JudgingFlags(),
    output: Output = Output(),
) -> None:
    """Attempt tasks and judge the answers.

    Parameters
    ----------
    source:
        A tasks.jsonl, or basics, the built-in set.
    policy:
        demo, a model folder, RUN or RUN@STEP, or scripted:FILE.
    num_tasks:
        Tasks, families taking turns.
    group_size:
        Attempts at each task.
    out:
        Where the attempts go, one JSON line each.
    """
    tasks = spread_over_families(tasks_named([source], seed=sampling.seed), num_tasks)
    spec = RolloutSpec(
        tasks=tasks,
        group_size=group_size,
        sampling=sampling.sampling,
        seed=sampling.seed,
        out=out,
    )
    with (
        closing(policy_named(policy)) as opened,
        judging.open_bench() as bench,
    ):
        summary = roll_out(spec, opened, bench, Told(output))
    if output.json:
        output.document(summary)
        return
    output.line(
        f"{summary['attempts']} attempts at {len(tasks)} tasks: {summary['passed']} passed, "
        f"{summary['failed']} failed, {summary['error']} error; "
        f"mean reward {number(summary['reward_mean'])}, {summary['tokens']} tokens"
    )
