"""What ``train`` and ``resume`` share: the live view, the report page, the figures at the end."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from posttrain.cli.figures import show_side_by_side
from posttrain.cli.output import Output
from posttrain.config.run import RunConfig
from posttrain.core.errors import PosttrainError
from posttrain.observe.board import open_board
from posttrain.policy.model_store import resolve_model
from posttrain.store.events import Listener

__all__ = ["resume_run", "start_run"]

Drive = Callable[[Sequence[Listener]], dict[str, Any]]


def start_run(config: RunConfig, run_toml: str, output: Output) -> None:
    """Make a run, drive it to its end under a live view, and print its figures."""
    resolve_model(config.policy.model)
    # Loads torch, which takes seconds; by then the run file and the model are known to be right.
    from posttrain.loop.assemble import train

    directory = config.run.root / config.run.name
    _finish(
        lambda listeners: train(config, run_toml=run_toml, listeners=listeners), directory, output
    )


def resume_run(directory: Path, output: Output) -> None:
    """Go on with the run in ``directory``, as ``start_run`` would have."""
    _let_idle_threads_sleep()
    # Loads torch, which takes seconds; by then there is known to be a run.
    from posttrain.loop.assemble import resume

    _finish(lambda listeners: resume(directory, listeners=listeners), directory, output)


def _let_idle_threads_sleep() -> None:
    """Tell OpenMP not to spin, or waiting torch threads take the graders' cores.

    It reads this once, when torch is loaded.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _finish(drive: Drive, directory: Path, output: Output) -> None:
    """Drive a run under a live view, then print its figures.

    With ``--json`` the view goes to standard error, so that the document stands alone.
    """
    stream = sys.stderr if output.json else sys.stdout
    with _naming(directory), open_board(stream, quiet=output.quiet) as listener:
        report = drive([listener])
    if output.json:
        output.document(report)
    else:
        _show(report, output)


@contextmanager
def _naming(directory: Path) -> Iterator[None]:
    """Add to a bug's traceback where the run is and how it goes on."""
    try:
        yield
    except PosttrainError:
        raise
    except Exception as bug:
        bug.add_note(f"the run is in {directory}; go on with: posttrain resume {directory}")
        raise


def _show(report: dict[str, Any], output: Output) -> None:
    figures = report["headline"]
    target, regression = figures["target"], figures["regression"]
    best = f"T {figures['best_temperature']:g}"
    policies = {
        "base": target["base"],
        f"base, best {best}": target["base_at_best"],
        "trained": target["trained"],
        f"trained, {best}": target["trained_at_best"],
    }
    gains = {
        "trained - base": target["trained_minus_base"],
        f"trained - base, best {best}": target["trained_minus_base_at_best"],
        f"both at {best}": target["trained_at_best_minus_base_at_best"],
    }
    known = {name: _without_parts(regression[name]) for name in ("base", "trained")}
    show_side_by_side(output, "Target track: held-out tasks, 95 % intervals", policies)
    show_side_by_side(output, "Gain, paired by task", gains)
    show_side_by_side(output, "Regression track: what must not be lost", known)
    change = {"trained - base": _without_parts(regression["comparison"])}
    show_side_by_side(output, "Change, paired by item", change)
    if figures["mbpp"]:
        named = {name.replace("_", " "): value for name, value in figures["mbpp"].items()}
        show_side_by_side(output, "MBPP, beside the target track", named)
    _show_cheat(report["cheat"], output)
    output.line(f"report: {report['report']}")


def _without_parts(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures over all items; those of single sources are in the report."""
    return {name: figure for name, figure in figures.items() if "/" not in name}


def _show_cheat(cheat: dict[str, Any] | None, output: Output) -> None:
    if cheat is not None:
        output.line(
            f"planted cheat on {cheat['task_id']}: {cheat['name']}; {cheat['status']}, "
            f"{cheat['kind']} ({cheat['evidence']}), paid {cheat['value']}"
        )
