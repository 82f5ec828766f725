"""``posttrain tasks``: import sets, list them, show one task, count."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from posttrain.cli.flags import JudgingFlags
from posttrain.cli.output import Output, number
from posttrain.cli.task_source import BASICS, find_task, tasks_named
from posttrain.cli.verb import AboveZero, verb
from posttrain.core.task import Task
from posttrain.loop.import_run import import_run
from posttrain.tasks.format import task_to_line

__all__ = ["app"]

PerFamily = Annotated[int, AboveZero]

app = verb(
    "tasks",
    "posttrain tasks list basics",
    "posttrain tasks stats humaneval.jsonl --json",
    "posttrain tasks show example/smallest-missing --tasks examples/cheat/tasks.jsonl",
    "posttrain tasks import humaneval HumanEval.jsonl --out humaneval.jsonl",
)


@app.command(name="import")
def import_(
    format_: Annotated[str, Parameter(name="FORMAT")],
    src: Path,
    /,
    *,
    out: Path,
    judging: JudgingFlags = JudgingFlags(),
    output: Output = Output(),
) -> None:
    """Read a public set, run its references to fix each task's trust, write tasks.jsonl.

    Parameters
    ----------
    format_:
        humaneval, humanevalplus, mbpp or mbppplus.
    src:
        The set's file or folder.
    out:
        Where tasks.jsonl goes.
    """
    summary = import_run(
        format_,
        src,
        out,
        backend=judging.backend,
        unsafe=judging.unsafe,
        workers=judging.workers,
    )
    if output.json:
        output.document(summary)
        return
    if summary["report"]:
        output.table(
            ("task", "trust", "reference", "cause"),
            [(e["id"], e["trust"], e["status"], e["cause"]) for e in summary["report"]],
        )
    output.line(
        f"{summary['tasks']} tasks: trust isolated {summary['isolated']}, "
        f"shared {summary['shared']}; written to {summary['out']}"
    )


@app.command(name="list")
def list_(
    source: str = BASICS,
    /,
    *,
    per_family: PerFamily = 4,
    output: Output = Output(),
) -> None:
    """List tasks, one a line.

    Parameters
    ----------
    source:
        A tasks.jsonl, or basics, the built-in set.
    per_family:
        Tasks per family and split of the built-in set.
    """
    tasks = tasks_named([source], per_family=per_family)
    if output.json:
        output.document({"source": source, "tasks": [_brief(task) for task in tasks]})
        return
    output.table(
        ("id", "family", "split", "verifier", "trust", "difficulty"),
        [tuple(number(value) for value in _brief(task).values()) for task in tasks],
    )


@app.command
def show(
    task_id: str, /, *, tasks: str = BASICS, per_family: PerFamily = 4, output: Output = Output()
) -> None:
    """Show one task in full.

    Parameters
    ----------
    task_id:
        As listed.
    tasks:
        The tasks.jsonl that holds it, or basics.
    per_family:
        Tasks per family and split of the built-in set.
    """
    task = find_task(tasks_named([tasks], per_family=per_family), task_id, tasks)
    line = task_to_line(task)
    if output.json:
        output.document(line)
        return
    _show(line, output)


@app.command
def stats(source: str = BASICS, /, *, per_family: PerFamily = 4, output: Output = Output()) -> None:
    """Count tasks by family, split, verifier, trust and licence.

    Parameters
    ----------
    source:
        A tasks.jsonl, or basics, the built-in set.
    per_family:
        Tasks per family and split of the built-in set.
    """
    counts = _counts(tasks_named([source], per_family=per_family))
    if output.json:
        output.document({"source": source, **counts})
        return
    output.line(f"{counts.pop('tasks')} tasks, {counts.pop('tests')} tests")
    for name, by_value in counts.items():
        output.table((name.replace("_", " "), "tasks"), [(k, str(n)) for k, n in by_value.items()])


def _brief(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "family": task.family,
        "split": task.split.value,
        "verifier": task.verifier.type,
        "trust": task.verifier.trust.value,
        "difficulty": task.difficulty,
    }


def _counts(tasks: list[Task]) -> dict[str, Any]:
    def count(values: list[str]) -> dict[str, int]:
        return dict(sorted(Counter(values).items()))

    return {
        "tasks": len(tasks),
        "tests": sum(len(t.verifier.visible) + len(t.verifier.hidden) for t in tasks),
        "by_split": count([task.split.value for task in tasks]),
        "by_verifier": count([task.verifier.type for task in tasks]),
        "by_trust": count([task.verifier.trust.value for task in tasks]),
        "by_license": count([task.source.license for task in tasks]),
        "by_family": count([task.family for task in tasks]),
    }


def _show(line: dict[str, Any], output: Output) -> None:
    output.pairs(
        {
            "id": line["id"],
            "family": line["family"],
            "split": line["split"],
            "difficulty": line["difficulty"],
            "source": f"{line['source']['name']} ({line['source']['license']})",
            "verifier": f"{line['verifier']['type']}, trust {line['verifier']['trust']}",
        }
    )
    for message in line["prompt"]:
        output.line(f"\n{message['role']}:\n{message['content']}")
    for kind in ("visible", "hidden"):
        tests = line["verifier"][kind]
        output.line(f"\n{kind} tests: {len(tests)}")
        for test in tests:
            output.line(f"  {test.get('program', test)}")
    if line["reference"]:
        output.line(f"\nreference:\n{line['reference']['solution']}")
