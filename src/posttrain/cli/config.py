"""``posttrain config show``: the configuration that a run would have, or the schema of a file."""

from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel

from posttrain.cli.output import Output
from posttrain.cli.verb import Overrides, verb
from posttrain.config.load import load_run_config
from posttrain.config.schema import FILE_MODELS, json_schema
from posttrain.tasks.schema import TaskLine
from posttrain.tasks.solutions import SolutionLine

__all__ = ["app"]

MODELS: dict[str, type[BaseModel]] = {**FILE_MODELS, "task": TaskLine, "solution": SolutionLine}

app = verb(
    "config",
    "posttrain config show",
    "posttrain config show examples/demo.toml --set policy.temperature=0.7",
    "posttrain config show --schema run",
)


@app.command
def show(
    run_file: Path | None = None,
    /,
    *,
    set_: Overrides = (),
    schema: str | None = None,
    output: Output = Output(),
) -> None:
    """Show every setting of a run with its value, or with --schema the form of a file.

    Parameters
    ----------
    run_file:
        TOML file; left out, all defaults.
    schema:
        run, task, solution, result, rollout, metrics or report.
    """
    if schema is not None:
        output.document(json_schema(schema, MODELS))
        return
    config = load_run_config(run_file, set_).model_dump(mode="json")
    if output.json:
        output.document(config)
        return
    for key, value in _leaves(config):
        output.line(f"{key} = {value}")


def _leaves(tables: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for key, value in tables.items():
        if isinstance(value, dict):
            lines += _leaves(value, f"{prefix}{key}.")
        else:
            lines.append((prefix + key, orjson.dumps(value).decode()))
    return lines
