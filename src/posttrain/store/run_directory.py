"""A run directory: where each file of a run lies, and how a run is made, opened and listed.

    <root>/<name>/ run.toml  config.json  manifest.json  events.jsonl  metrics.jsonl
                   ledger.sqlite  rollouts/step_000012.jsonl  checkpoints/step_000010/
                   reports/eval_000010.json  report.html

All that is needed to read, re-score and resume a run lies here. ``manifest.json`` is written last
when a run is made: a folder without it is no run. What the files mean is not known here.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import orjson

from posttrain.core.clock import SystemClock
from posttrain.core.errors import NotFoundError, StoreError, UserError
from posttrain.store.disk import storing, write_atomically

__all__ = ["RunDirectory", "RunExistsError"]

FORMAT = 1


class RunExistsError(UserError):
    """A run of that name is there already."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDirectory:
    """The paths of one run; making or opening it checks that it is one."""

    path: Path

    @classmethod
    def create(cls, root: Path, name: str, *, config: dict[str, Any], run_toml: str = "") -> Self:
        """Make ``root/name`` with its config; raises ``RunExistsError`` when the name is taken."""
        run = cls(path=root / name)
        with storing(root):
            root.mkdir(parents=True, exist_ok=True)
            try:
                run.path.mkdir()
            except FileExistsError:
                raise RunExistsError(
                    f"run {name!r} is there already in {str(root)!r}; choose another "
                    f"--set run.name=…, or go on with `posttrain resume {run.path}`"
                ) from None
            for folder in (run.rollouts, run.checkpoints, run.reports):
                folder.mkdir()
        write_atomically(run.path / "run.toml", run_toml.encode())
        run.write_json("config.json", config)
        run.write_json(
            "manifest.json", {"format": FORMAT, "name": name, "created_at": SystemClock().wall_s()}
        )
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """The run at ``path``; raises ``NotFoundError`` when there is none."""
        if not (path / "manifest.json").is_file():
            raise NotFoundError(
                f"no run at {str(path)!r}; `posttrain runs list` names those that there are"
            )
        run = cls(path=path)
        found = run.read_json("manifest.json").get("format")
        if found != FORMAT:
            raise StoreError(
                f"run {str(path)!r} has format {found!r}, this posttrain reads {FORMAT}; "
                "use the version that made it"
            )
        return run

    @classmethod
    def list(cls, root: Path) -> list[Self]:
        """The runs under ``root`` by name; none when the folder is absent."""
        if not root.is_dir():
            return []
        return [cls(path=found.parent) for found in sorted(root.glob("*/manifest.json"))]

    def remove(self) -> None:
        """Delete the run with everything in it."""
        with storing(self.path):
            shutil.rmtree(self.path)

    @property
    def name(self) -> str:
        """The run's name."""
        return self.path.name

    @property
    def events(self) -> Path:
        """The event log."""
        return self.path / "events.jsonl"

    @property
    def metrics(self) -> Path:
        """One object a step."""
        return self.path / "metrics.jsonl"

    @property
    def ledger(self) -> Path:
        """The attempts of the run."""
        return self.path / "ledger.sqlite"

    @property
    def rollouts(self) -> Path:
        """Folder of the judged attempts, one file a step."""
        return self.path / "rollouts"

    @property
    def checkpoints(self) -> Path:
        """Folder of the checkpoints."""
        return self.path / "checkpoints"

    @property
    def reports(self) -> Path:
        """Folder of the evaluation reports."""
        return self.path / "reports"

    def write_json(self, name: str, record: Any) -> Path:
        """Replace the file ``name`` (a path in the run) by ``record`` as one change."""
        path = self.path / name
        write_atomically(path, orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
        return path

    def read_json(self, name: str) -> dict[str, Any]:
        """The object in the file ``name``; raises ``StoreError`` when it is absent or damaged."""
        path = self.path / name
        with storing(path):
            content = path.read_bytes()
        try:
            record = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise StoreError(f"{str(path)!r} is not JSON ({error}); restore it") from error
        if not isinstance(record, dict):
            raise StoreError(f"{str(path)!r} holds no JSON object; restore it")
        return record
