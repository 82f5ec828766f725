"""``posttrain replay``: judge a stored rollout again, and say whether the verdict is the same."""

from pathlib import Path
from typing import Any

from posttrain.cli.output import Output, number
from posttrain.cli.verb import verb
from posttrain.config.load import read_saved_config
from posttrain.loop.judging import open_bench
from posttrain.loop.replay_run import find_rollout
from posttrain.loop.replay_run import replay as replay_rollout
from posttrain.loop.tracks import training_pool
from posttrain.store.run_directory import RunDirectory

__all__ = ["app"]

app = verb("replay", "posttrain replay runs/demo 12/basics/reverse-words/3/0")


@app.default
def replay(run: Path, rollout: str, /, *, output: Output = Output()) -> int:
    """Run a stored answer's code again; exit 4 when the verdict differs.

    Parameters
    ----------
    run:
        The run's directory.
    rollout:
        STEP/TASK_ID/INDEX, as in the report and in rollouts/step_*.jsonl.
    """
    directory = RunDirectory.open(run)
    found = find_rollout(directory, rollout)
    config = read_saved_config(directory.path / "config.json")
    tasks = {task.id: task for task in training_pool(config)}
    sandbox = config.sandbox
    with open_bench(sandbox.backend, unsafe=sandbox.unsafe, workers=1) as bench:
        result = replay_rollout(found, tasks, bench, run_seed=config.run.seed)
    if output.json:
        output.document(result)
    else:
        _show(result, output)
    return 0 if result["same"] else 4


def _show(result: dict[str, Any], output: Output) -> None:
    output.hint(f"{result['text']}\n")
    output.table(
        ("", "status", "reward", "failure"),
        [(name, *_judged(result[name])) for name in ("before", "now")],
    )
    output.line("the same verdict" if result["same"] else "another verdict")


def _judged(line: dict[str, Any]) -> tuple[str, str, str]:
    failure = line["failure"]
    why = f"{failure['kind']}: {failure['detail']}" if failure else ""
    return line["status"], number(line["reward"]), why
