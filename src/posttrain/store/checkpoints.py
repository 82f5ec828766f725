"""Checkpoints: a folder counts only when its manifest matches every file in it.

    checkpoints/step_000010/ {files of the writer…, manifest.json}

The folder is filled under another name, its manifest (sha256 by file) is written last, then the
folder is renamed. A kill at any moment leaves the checkpoint whole or absent; a file that changed
later makes it invalid, and the one before is used.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

from posttrain.store.disk import force_folder, storing, write_atomically

__all__ = ["Checkpoint", "latest_checkpoint", "list_checkpoints", "prune", "save_checkpoint"]

_NAME = re.compile(r"step_(\d{6,})")
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """A checkpoint whose digests were right when it was looked at."""

    step: int
    path: Path


def save_checkpoint(folder: Path, step: int, fill: Callable[[Path], None]) -> Checkpoint:
    """Let ``fill`` write into a fresh folder, then make it the checkpoint of ``step``.

    Raises ``StoreError`` when the disk refuses; checkpoints that were there stay valid.
    """
    final = folder / f"step_{step:06d}"
    beside = folder / f".{final.name}.tmp"
    with storing(final):
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        try:
            fill(beside)
            _seal(beside, step)
            shutil.rmtree(final, ignore_errors=True)
            beside.rename(final)
            force_folder(folder)
        except OSError:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    return Checkpoint(step=step, path=final)


def list_checkpoints(folder: Path) -> list[Checkpoint]:
    """Valid checkpoints by ascending step; reads every byte of them."""
    found = sorted((int(match[1]), path) for path, match in _named(folder))
    return [Checkpoint(step=step, path=path) for step, path in found if _is_valid(path, step)]


def latest_checkpoint(folder: Path) -> Checkpoint | None:
    """The valid checkpoint of the highest step, or None."""
    for step, path in sorted(((int(m[1]), path) for path, m in _named(folder)), reverse=True):
        if _is_valid(path, step):
            return Checkpoint(step=step, path=path)
    return None


def prune(folder: Path, *, keep: int) -> None:
    """Remove all but the ``keep`` checkpoints of the highest steps, and unfinished ones."""
    named = sorted((int(match[1]), path) for path, match in _named(folder))
    with storing(folder):
        for _, path in named[: max(len(named) - keep, 0)]:
            shutil.rmtree(path)
        for unfinished in folder.glob(".step_*.tmp"):
            shutil.rmtree(unfinished)


def _named(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    if not folder.is_dir():
        return []
    matches = ((path, _NAME.fullmatch(path.name)) for path in folder.iterdir())
    return [(path, match) for path, match in matches if match]


def _seal(folder: Path, step: int) -> None:
    digests = {}
    for path in _files(folder):
        digests[path.relative_to(folder).as_posix()] = _digest(path)
        with path.open("rb") as file:
            os.fsync(file.fileno())
    manifest = {"step": step, "files": digests}
    write_atomically(folder / "manifest.json", orjson.dumps(manifest, option=orjson.OPT_INDENT_2))


def _is_valid(folder: Path, step: int) -> bool:
    try:
        manifest = orjson.loads((folder / "manifest.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False
    present = {p.relative_to(folder).as_posix() for p in _files(folder)} - {"manifest.json"}
    files: dict[str, str] = manifest["files"]
    return (
        manifest["step"] == step
        and present == set(files)
        and all(_digest(folder / name) == digest for name, digest in files.items())
    )


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
