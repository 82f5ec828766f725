"""Append-only files of one JSON object a line that survive a kill in the middle of a line.

A line counts once its newline is on disk. What stands behind the last newline was cut off by a
kill: readers skip it, and opening for append removes it.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from posttrain.core.errors import StoreError
from posttrain.store.disk import storing

__all__ = ["LineFile", "read_lines", "to_line"]


def to_line(record: Any) -> bytes:
    """One JSON line; keys keep their order, a number that is not finite becomes null.

    A candidate chooses the text of its errors, so half a surrogate pair, which UTF-8 lacks, is
    stored as U+FFFD instead of ending the run.
    """
    try:
        return orjson.dumps(record) + b"\n"
    except orjson.JSONEncodeError:
        return orjson.dumps(_with_whole_text(record)) + b"\n"


def _with_whole_text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_with_whole_text(key): _with_whole_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_whole_text(item) for item in value]
    return value


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Every whole line of ``path`` in order; an absent file has none.

    Raises ``StoreError`` naming the line when a whole line is not a JSON object.
    """
    if not path.exists():
        return
    with storing(path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield _parse(line, path, number)


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = None
    if not isinstance(record, dict):
        raise StoreError(
            f"{path}:{number} is not a JSON object; the file was changed from outside the run, "
            "restore it or remove that line"
        )
    return record


class LineFile:
    """Appends lines; not safe for several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with storing(path):
            self._file: BinaryIO = path.open("r+b" if path.exists() else "w+b", buffering=0)
            self._end = self._cut_torn_line()

    def _cut_torn_line(self) -> int:
        text = self._file.read()
        end = text.rfind(b"\n") + 1
        if end != len(text):
            self._file.truncate(end)
        self._file.seek(end)
        return end

    def append(self, record: Any) -> None:
        """Write one line; after a failed write the file ends at its last whole line."""
        line = to_line(record)
        with storing(self.path):
            try:
                written = self._file.write(line)
                while written < len(line):
                    written += self._file.write(line[written:])
            except OSError:
                self._file.truncate(self._end)
                self._file.seek(self._end)
                raise
            self._end += len(line)

    def sync(self) -> None:
        """Force what was appended to disk."""
        with storing(self.path):
            os.fdatasync(self._file.fileno())

    def close(self) -> None:
        """Close the file; idempotent."""
        self._file.close()
