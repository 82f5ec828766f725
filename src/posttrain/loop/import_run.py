"""Import a public task set: read it, run its references to fix the trust, write ``tasks.jsonl``."""

from pathlib import Path
from typing import Any

from posttrain.loop.judging import open_judge
from posttrain.tasks.format import write_tasks
from posttrain.tasks.importers import import_tasks
from posttrain.verify.trust import fix_trust

__all__ = ["import_run"]


def import_run(
    format_name: str,
    src: Path,
    out: Path,
    *,
    backend: str = "namespace",
    unsafe: bool = False,
    workers: int = 0,
) -> dict[str, Any]:
    """Write the tasks of ``src`` to ``out``; the summary names each reference that fails."""
    tasks = import_tasks(format_name, src)
    with open_judge(backend, unsafe=unsafe, workers=workers) as judge:
        fixed, report = fix_trust(judge, tasks)
    write_tasks(out, fixed)
    trusts = [task.verifier.trust.value for task in fixed]
    return {
        "format": format_name,
        "tasks": len(fixed),
        "isolated": trusts.count("isolated"),
        "shared": trusts.count("shared"),
        "report": report,
        "out": str(out),
    }
