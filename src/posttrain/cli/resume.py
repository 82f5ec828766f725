"""``posttrain resume``: go on with a run that was interrupted or killed."""

from pathlib import Path

from posttrain.cli.output import Output
from posttrain.cli.training import resume_run
from posttrain.cli.verb import verb
from posttrain.store.run_directory import RunDirectory

__all__ = ["app"]

app = verb("resume", "posttrain resume runs/demo")


@app.default
def resume(run: Path, /, *, output: Output = Output()) -> None:
    """Continue from the last checkpoint; no attempt is trained twice and none is lost.

    Parameters
    ----------
    run:
        The run's directory. A finished run prints its figures again.
    """
    resume_run(RunDirectory.open(run).path, output)
