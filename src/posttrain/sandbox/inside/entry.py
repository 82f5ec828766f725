"""How one child shuts itself in, before its job is known and before any candidate code exists.

Behind the wall every mount is read-only. A child adds what it may write: one tmpfs that is its
working directory (``/tmp/box``), its ``/tmp`` and its ``/dev/shm``, bounded in bytes and inodes,
and a ``/proc`` of its own process namespace. Nested user namespaces are switched off, because
with one a candidate could mount file systems that no disk limit covers.
"""

import _socket
import os
import signal
import struct
from collections.abc import Callable
from fcntl import ioctl

from posttrain.sandbox.inside import kernel

__all__ = ["BOX", "Namespaces", "PlainFolder", "remove_folder"]

BOX = "/tmp/box"
_HIDDEN = kernel.MS_NOSUID | kernel.MS_NODEV
_FOR_EACH_EXECUTION = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
)
_FOR_EACH_LANE = kernel.CLONE_NEWUSER | kernel.CLONE_NEWNET
_DEFAULT_DISK_BYTES = 64 * 1024 * 1024
_DEFAULT_FILES = 4096
_OOM_VOLUNTEER = b"1000"
"""Out of memory, the kernel is to choose among executions, not their lane."""
_SIOCSIFFLAGS = 0x8914
_IFF_UP_RUNNING = 0x41


def _write(path: str, content: bytes) -> None:
    fd = os.open(path, os.O_WRONLY)
    os.write(fd, content)
    os.close(fd)


class Namespaces:
    """Fresh user, pid, mount, ipc and uts namespaces for each execution.

    A network namespace is by far the dearest to make, so that a lane has one for all of its
    executions, which follow one another: it has no device but a loopback that is down, belongs to
    a user namespace in which no candidate has a privilege, and is empty when an execution's tree
    is dead. An execution that may use the loopback gets one of its own.
    """

    def __init__(self) -> None:
        self._uid_map = f"{os.getuid()} {os.getuid()} 1".encode()
        self._gid_map = f"{os.getgid()} {os.getgid()} 1".encode()
        self._limits = (_DEFAULT_DISK_BYTES, _DEFAULT_FILES)
        self._borrower: kernel.Borrower | None = None

    @property
    def shares_memory(self) -> bool:
        """True when the lane sees what an init leaves in its objects."""
        return self._borrower is not None

    def fork_lane(self) -> int:
        """Fork a lane with its network; 0 in the child."""
        pid = kernel.clone(_FOR_EACH_LANE)
        if pid == 0:
            self._map_identity()
            kernel.drop_privileges()
            if kernel.Borrower.supported:
                self._borrower = kernel.Borrower()
        return pid

    def run(self, init: Callable[[], None]) -> None:
        """Run ``init`` as the first process of a pid namespace; returns when that has ended."""
        if self._borrower is not None:
            pid = self._borrower.run(init, _FOR_EACH_EXECUTION)
        else:
            pid = kernel.clone(_FOR_EACH_EXECUTION)
            if pid == 0:
                init()
                os._exit(0)
        os.waitpid(pid, 0)

    def enter(self) -> None:
        """Make the private file systems; called once, in the init."""
        kernel.set_parent_death_signal(signal.SIGKILL)
        self._map_identity()
        disk_bytes, files = self._limits
        kernel.mount(
            "tmpfs", "/tmp", "tmpfs", _HIDDEN, f"size={disk_bytes},nr_inodes={files},mode=1777"
        )
        os.mkdir(BOX)
        kernel.mount("/tmp", "/dev/shm", "", kernel.MS_BIND)
        kernel.mount("proc", "/proc", "proc", _HIDDEN | kernel.MS_NOEXEC)
        _write("/proc/sys/user/max_user_namespaces", b"0")
        _write("/proc/self/oom_score_adj", _OOM_VOLUNTEER)
        _socket.sethostname("sandbox")

    def _map_identity(self) -> None:
        kernel.set_dumpable(True)
        _write("/proc/self/setgroups", b"deny")
        _write("/proc/self/uid_map", self._uid_map)
        _write("/proc/self/gid_map", self._gid_map)

    def narrow(self, *, disk_bytes: int, files: int, loopback: bool) -> str:
        """Apply the job's own limits, give up all privileges; returns the working directory."""
        wanted = (max(disk_bytes, 4096), max(files, 1) + _OWN_INODES)
        if wanted != self._limits:
            options = f"size={wanted[0]},nr_inodes={wanted[1]}"
            kernel.mount("", "/tmp", "", kernel.MS_REMOUNT | _HIDDEN, options)
        if loopback:
            kernel.unshare(kernel.CLONE_NEWNET)
            _raise_loopback()
        kernel.drop_privileges()
        return BOX

    def room_used(self) -> tuple[int, int]:
        """Bytes and inodes that the job occupies in the private file system."""
        stat = os.statvfs("/tmp")
        used_bytes = (stat.f_blocks - stat.f_bfree) * stat.f_frsize
        return used_bytes, stat.f_files - stat.f_ffree - _OWN_INODES

    def remove(self) -> None:
        """Nothing to do: the mounts die with their namespace."""


_OWN_INODES = 2
"""The root of the tmpfs and the working directory in it."""


def _raise_loopback() -> None:
    probe = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    ioctl(probe.fileno(), _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP_RUNNING))
    probe.close()


class PlainFolder:
    """No walls at all: a folder and a plain fork, for the unsafe backend."""

    shares_memory = False

    def __init__(self, base: str) -> None:
        self._base = base
        self._box = ""

    def fork_lane(self) -> int:
        """Fork; 0 in the child."""
        return os.fork()

    def run(self, init: Callable[[], None]) -> None:
        """Run ``init`` in a fork; returns when that has ended."""
        pid = os.fork()
        if pid == 0:
            init()
            os._exit(0)
        os.waitpid(pid, 0)

    def enter(self) -> None:
        """Make the working directory and adopt whatever descendants are orphaned."""
        kernel.set_parent_death_signal(signal.SIGTERM)
        os.setsid()
        kernel.set_child_subreaper()
        self._box = os.path.join(self._base, str(os.getpid()))
        os.mkdir(self._box)

    def narrow(self, *, disk_bytes: int, files: int, loopback: bool) -> str:
        """Return the working directory; nothing is held apart."""
        return self._box

    def room_used(self) -> tuple[int, int]:
        """Bytes and files in the folder."""
        total, count = 0, 0
        for folder, _, names in os.walk(self._box):
            for name in names:
                total += os.lstat(os.path.join(folder, name)).st_size
                count += 1
        return total, count

    def remove(self) -> None:
        """Delete the working directory."""
        remove_folder(self._box)


def remove_folder(folder: str) -> None:
    """Delete a folder and all in it, as far as that is possible."""
    import shutil  # what it pulls in would make every fork of a zygote dearer

    shutil.rmtree(folder, ignore_errors=True)
