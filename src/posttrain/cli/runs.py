"""``posttrain runs``: which runs there are, and what there is to say about one."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from posttrain.cli.output import Output, number
from posttrain.cli.verb import verb
from posttrain.loop.runs import list_runs, show_run

__all__ = ["app"]

app = verb("runs", "posttrain runs list", "posttrain runs show runs/demo --json")

COLUMNS = ("name", "status", "steps", "reward", "pass rate", "model", "made")


@app.command(name="list")
def list_(root: Path = Path("runs"), /, *, output: Output = Output()) -> None:
    """List the runs below a folder.

    Parameters
    ----------
    root:
        Folder that holds run directories.
    """
    rows = list_runs(root)
    if output.json:
        output.document({"root": str(root), "runs": rows})
    elif rows:
        output.table(COLUMNS, [_row(row) for row in rows])
    else:
        output.hint(f"no runs below {root}; start one with: posttrain train examples/demo.toml")


@app.command
def show(run: Path, /, *, output: Output = Output()) -> None:
    """Show one run: attempts, checkpoints, reports, result.

    Parameters
    ----------
    run:
        The run's directory.
    """
    found = show_run(run)
    if output.json:
        output.document(found)
        return
    output.pairs({name: _plain(value) for name, value in found.items() if name != "final"})


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    if row["status"] == "damaged":
        return (row["name"], f"damaged: {row['reason']}", "", "", "", "", "")
    made_at = row["created_at"]
    made = f"{datetime.fromtimestamp(made_at, UTC):%Y-%m-%d %H:%M}" if made_at else "-"
    return (
        row["name"],
        row["status"],
        f"{row['steps_done']}/{row['steps']}",
        number(row["reward_mean"]),
        number(row["pass_rate"]),
        str(row["model"]),
        made,
    )


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number(item)}" for name, item in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return value
