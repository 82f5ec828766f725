"""Writing files so that a reader sees the old content or the new one, never a part.

A file is written beside its place, forced to disk, renamed, and its folder is forced too. An
operating-system error becomes a ``StoreError`` that says which path, why, and what to do.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from posttrain.core.errors import ConfigError, StoreError

__all__ = ["force_folder", "replacing", "storing", "write_atomically"]

_REMEDIES = {
    errno.ENOSPC: "the disk is full; free space there",
    errno.EDQUOT: "the disk quota is used up; free space there",
    errno.EFBIG: "the file size limit is reached; raise it (ulimit -f)",
    errno.EACCES: "permission is denied; choose another folder or change the permissions",
    errno.EPERM: "permission is denied; choose another folder or change the permissions",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOTDIR: "a part of the path is a file, not a folder; choose another path",
}


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn an ``OSError`` about ``path`` into a one-line ``StoreError``."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        reason = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        raise StoreError(
            f"cannot store {str(path)!r}: {reason}; what was stored before is intact, "
            "repeat the command, or `posttrain resume` the run"
        ) from error


def write_atomically(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content`` as one change; on an error the old content stays."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with storing(path):
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError:
            with suppress(OSError):
                beside.unlink()
            raise
        force_folder(path.parent)


@contextmanager
def replacing(path: Path | None) -> Iterator[Callable[[bytes], object]]:
    """Give a function that writes; what it wrote becomes ``path`` when the block ends well.

    None writes nowhere. Folders above ``path`` are made.

    Raises ``ConfigError`` when ``path`` is a folder, a device or a pipe: the rename would put a
    file in the place of a device for every program of the machine.
    """
    if path is None:
        yield len
        return
    with storing(path):
        is_other = path.exists() and not path.is_file()
    if is_other:
        raise ConfigError(f"{path} is not a regular file; give the path of a file to write")
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = beside.open("wb")
    try:
        yield _writer(file, path)
        with storing(path):
            file.flush()
            os.fsync(file.fileno())
            beside.replace(path)
            force_folder(path.parent)
    finally:
        with suppress(OSError):
            file.close()
        beside.unlink(missing_ok=True)


def _writer(file: BinaryIO, path: Path) -> Callable[[bytes], object]:
    def write(content: bytes) -> None:
        with storing(path):
            file.write(content)

    return write


def force_folder(folder: Path) -> None:
    """Force the names in ``folder`` to disk, so that a rename outlives a crash."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
