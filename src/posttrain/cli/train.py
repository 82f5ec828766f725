"""``posttrain train``: the whole loop from a run file."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from posttrain.cli.output import Output
from posttrain.cli.training import start_run
from posttrain.cli.verb import Overrides, verb
from posttrain.config.load import load_run_config

__all__ = ["app"]

app = verb(
    "train",
    "posttrain train examples/demo.toml",
    "posttrain train examples/demo.toml --set run.name=second --set run.seed=2",
    "posttrain train examples/demo.toml --set policy.model=path/to/model --dry-run",
)


@app.default
def train(
    run_file: Path | None = None,
    /,
    *,
    set_: Overrides = (),
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    output: Output = Output(),
) -> None:
    """Evaluate the base, train, evaluate again, and report what was gained and lost.

    Parameters
    ----------
    run_file:
        TOML file; left out, all defaults.
    dry_run:
        Check the run file, print the resolved configuration, and stop.
    """
    config = load_run_config(run_file, set_)
    if dry_run:
        output.document(config.model_dump(mode="json"))
        return
    run_toml = "" if run_file is None else run_file.read_text(encoding="utf-8")
    start_run(config, run_toml, output)
