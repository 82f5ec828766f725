"""The outer wall: the bubblewrap command line around a warm interpreter.

Behind it are the interpreter's own folder, the system's programs and libraries, a handful of
devices and a made-up user, all read-only; no home, no repository, no network, no environment.
Two walls stand around a candidate: this one holds if the namespaces of its own fork fail.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from posttrain.core.errors import PrerequisiteError
from posttrain.sandbox.staging import STAGE_PLACES
from posttrain.sandbox.wire import BOOT

__all__ = [
    "GROUP",
    "PASSWD",
    "UNPRIVILEGED_ID",
    "Interpreter",
    "find_bubblewrap",
    "wall_command",
]

UNPRIVILEGED_ID = 61_000
"""Who builds the wall when the driver is root; no account of a Debian system has this number."""

INNER_ID = 1000
"""The identity that candidate code sees."""

PASSWD = f"sandbox:x:{INNER_ID}:{INNER_ID}::/tmp/box:/bin/sh\n"
GROUP = f"sandbox:x:{INNER_ID}:\n"

_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/share/zoneinfo")
_TOP = ("/bin", "/sbin", "/lib", "/lib64")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "TZ": "UTC", "LD_BIND_NOW": "1"}
"""The last lets the zygote find all symbols once, instead of every fork again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interpreter:
    """A Python installation: the file to start and the folder that holds all it needs."""

    executable: Path
    prefix: Path

    @classmethod
    def current(cls) -> "Interpreter":
        """The one that runs this, without its virtual environment."""
        base = getattr(sys, "_base_executable", None) or sys.executable
        return cls(
            executable=Path(os.path.realpath(base)), prefix=Path(os.path.realpath(sys.base_prefix))
        )

    @property
    def is_system(self) -> bool:
        """True when the system's folders already hold it."""
        return self.prefix == Path("/usr")


def find_bubblewrap() -> str:
    """Path of ``bwrap``.

    Raises:
        PrerequisiteError: it is not installed.
    """
    found = shutil.which("bwrap")
    if found is None:
        raise PrerequisiteError(
            "bubblewrap (bwrap) is not installed: install bubblewrap: apt install bubblewrap"
        )
    return found


def wall_command(
    interpreter: Interpreter, *, control_fd: int, passwd_fd: int, group_fd: int
) -> list[str]:
    """The full command line; as root it begins with the stage that stops being root."""
    as_root = os.geteuid() == 0
    stage = _stage_place() if as_root and not interpreter.is_system else None
    command = [
        find_bubblewrap(),
        *("--unshare-user", "--uid", str(INNER_ID), "--gid", str(INNER_ID)),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv"),
        *_flat("--setenv", _ENVIRONMENT),
        *_file_systems(interpreter, stage),
        *("--ro-bind-data", str(passwd_fd), "/etc/passwd"),
        *("--ro-bind-data", str(group_fd), "/etc/group"),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"),
        *(str(interpreter.executable), "-s", "-P", "-S", "-B", "-c", BOOT, str(control_fd)),
    ]
    return _as_unprivileged(interpreter, stage, command) if as_root else command


def _file_systems(interpreter: Interpreter, stage: str | None) -> list[str]:
    arguments: list[str] = []
    for folder in _SYSTEM:
        arguments += ["--ro-bind-try", folder, folder]
    for folder in _TOP:
        if os.path.islink(folder):
            arguments += ["--symlink", os.readlink(folder), folder]
        else:
            arguments += ["--ro-bind-try", folder, folder]
    if not interpreter.is_system:
        arguments += ["--ro-bind", stage or str(interpreter.prefix), str(interpreter.prefix)]
    arguments += ["--proc", "/proc", "--tmpfs", "/dev", "--dir", "/dev/shm", "--dir", "/tmp"]
    for device in _DEVICES:
        arguments += ["--dev-bind", device, device]
    for path, target in _LINKS.items():
        arguments += ["--symlink", target, path]
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        arguments += ["--ro-bind-try", path, path]
    return arguments


def _as_unprivileged(interpreter: Interpreter, stage: str | None, command: list[str]) -> list[str]:
    source_root = str(Path(__file__).parents[2])
    start = (
        f"import sys; sys.path.insert(0, {source_root!r}); "
        "from posttrain.sandbox.staging import main; main()"
    )
    source, place = (str(interpreter.prefix), stage) if stage else ("/usr", "/usr")
    return [
        *(str(interpreter.executable), "-I", "-S", "-B", "-c", start),
        *(source, place, str(UNPRIVILEGED_ID), *command),
    ]


def _stage_place() -> str:
    for place in STAGE_PLACES:
        if os.path.isdir(place):
            return place
    raise PrerequisiteError(
        f"none of the folders {', '.join(STAGE_PLACES)} exists, and root needs one of them to show "
        "the interpreter to an unprivileged id: mkdir /mnt"
    )


def _flat(option: str, values: dict[str, str]) -> list[str]:
    return [part for name, value in values.items() for part in (option, name, value)]
