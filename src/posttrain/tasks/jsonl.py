"""JSON lines with the place that each came from, so that every complaint can name file and line.

Integers keep all their digits: some references return numbers beyond 64 bits. The non-JSON literals
``NaN`` and ``Infinity`` are refused in our own formats, where a tagged float says them; releases of
others do hold them.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from posttrain.core.errors import NotFoundError, TaskFormatError

__all__ = ["parse_json", "read_json_lines", "read_text"]


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, unpacked when its name ends in ``.gz``.

    Raises ``NotFoundError`` when there is no file that may be read and ``TaskFormatError`` when
    its bytes are not what its name says.
    """
    try:
        if not path.is_file():
            kind = "is a folder" if path.is_dir() else "does not exist"
            raise NotFoundError(f"{path} {kind}; give the path of a readable file")
        data = path.read_bytes()
    except OSError as error:
        raise NotFoundError(
            f"{path} cannot be read: {error.strerror}; give the path of a readable file"
        ) from error
    try:
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (gzip.BadGzipFile, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise TaskFormatError(
            f"{path} is not UTF-8 text{' in gzip form' if path.suffix == '.gz' else ''}: {error}"
        ) from error


def read_json_lines(
    path: Path, *, allow_constants: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (``"file:line"``, object) for each line that is not blank."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        record = parse_json(line, where, allow_constants=allow_constants)
        if not isinstance(record, dict):
            raise TaskFormatError(
                f"{where}: the line holds a {type(record).__name__}; each line is one JSON object"
            )
        yield where, record


def parse_json(text: str, where: str, *, allow_constants: bool = False) -> Any:
    """The JSON value of ``text``; a ``TaskFormatError`` names ``where`` and the column."""
    try:
        return json.loads(text, parse_constant=None if allow_constants else _refuse_constant)
    except json.JSONDecodeError as error:
        raise TaskFormatError(
            f"{where}: not valid JSON at column {error.colno}: {error.msg}; "
            "mend the line or remove it"
        ) from error
    except (ValueError, RecursionError) as error:
        raise TaskFormatError(f"{where}: not valid JSON: {error}") from error


def _refuse_constant(name: str) -> float:
    raise ValueError(f'{name} is not JSON; write {{"$t": "float", "v": "nan|inf|-inf"}}')
