"""Writing files so that a reader sees the old content or the new one, never a part.

A file is written beside its place, forced to disk, renamed, and its folder is forced too. An
operating-system error becomes a ``StoreError`` that says which path, why, and what to do.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from posttrain.core.errors import StoreError

__all__ = ["force_folder", "storing", "write_atomically"]

_REMEDIES = {
    errno.ENOSPC: "the disk is full; free space there",
    errno.EDQUOT: "the disk quota is used up; free space there",
    errno.EFBIG: "the file size limit is reached; raise it (ulimit -f)",
    errno.EACCES: "permission is denied; choose another run.root or change the permissions",
    errno.EPERM: "permission is denied; choose another run.root or change the permissions",
    errno.EROFS: "the file system is read-only; choose another run.root",
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
            f"cannot store {str(path)!r}: {reason}, then go on with `posttrain resume`; "
            "what was stored before is intact"
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


def force_folder(folder: Path) -> None:
    """Force the names in ``folder`` to disk, so that a rename outlives a crash."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
