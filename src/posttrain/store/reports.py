"""``reports/``: evaluation reports by step and variant, each written as one change.

eval_000010.json            the step's evaluation
eval_000030@0.2.json        the same weights at another temperature
mbpp_000000.json            another set beside the target track
"""

import re
from pathlib import Path
from typing import Any

import orjson

from posttrain.core.errors import StoreError
from posttrain.store.disk import storing, write_atomically

__all__ = ["drop_reports_after", "read_report", "report_path", "write_report"]

_NAME = re.compile(r"[a-z]+_(\d{6,})(@[0-9.]+)?\.json")


def report_path(folder: Path, step: int, *, kind: str = "eval", variant: str = "") -> Path:
    """Where the report lies; ``variant`` is empty or begins with ``@``."""
    return folder / f"{kind}_{step:06d}{variant}.json"


def write_report(path: Path, report: dict[str, Any]) -> None:
    """Replace the report at ``path``."""
    write_atomically(path, orjson.dumps(report, option=orjson.OPT_INDENT_2) + b"\n")


def read_report(path: Path) -> dict[str, Any] | None:
    """The report at ``path``, or None when there is none."""
    if not path.exists():
        return None
    with storing(path):
        content = path.read_bytes()
    try:
        report: dict[str, Any] = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise StoreError(f"{str(path)!r} is not JSON ({error}); remove it to redo it") from error
    return report


def drop_reports_after(folder: Path, step: int) -> None:
    """Remove reports on later steps."""
    with storing(folder):
        for path in folder.iterdir() if folder.is_dir() else ():
            match = _NAME.fullmatch(path.name)
            if match and int(match[1]) > step:
                path.unlink()
