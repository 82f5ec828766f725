"""System calls that the standard library lacks, through ctypes; errors are ``OSError``.

``PyDLL`` keeps the interpreter lock held during a call. This is what makes ``clone`` and
``Borrower`` safe here: the only thread of a single-threaded interpreter continues in the child
with the lock it had.
"""

import ctypes
import mmap
import os
import sys
from collections.abc import Callable

__all__ = [
    "CLONE_NEWCGROUP",
    "CLONE_NEWIPC",
    "CLONE_NEWNET",
    "CLONE_NEWNS",
    "CLONE_NEWPID",
    "CLONE_NEWUSER",
    "CLONE_NEWUTS",
    "MS_BIND",
    "MS_NODEV",
    "MS_NOEXEC",
    "MS_NOSUID",
    "MS_PRIVATE",
    "MS_REC",
    "MS_REMOUNT",
    "Borrower",
    "clone",
    "drop_privileges",
    "mount",
    "set_child_subreaper",
    "set_dumpable",
    "set_parent_death_signal",
    "unshare",
]

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

_SYS_CLONE = {"x86_64": 56, "aarch64": 220}
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
_MACHINE = os.uname().machine
_SIGCHLD = 17
_MAP_NORESERVE = 0x4000
_CLONE_VM = 0x00000100
_CLONE_VFORK = 0x00004000

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_LINUX_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.PyDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_libc.mount.argtypes = [*[ctypes.c_char_p] * 3, ctypes.c_ulong, ctypes.c_char_p]


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def clone(flags: int) -> int:
    """Fork into the given fresh namespaces; 0 in the child, its pid in the caller."""
    nothing = ctypes.c_long(0)
    number = ctypes.c_long(_SYS_CLONE[_MACHINE])
    result = _libc.syscall(
        number, ctypes.c_ulong(flags | _SIGCHLD), nothing, nothing, nothing, nothing
    )
    return _checked(result, "clone")


class Borrower:
    """Run functions in child processes that borrow this interpreter's memory until they end.

    Such a child has its own identity, namespaces and descriptors, but no copy of the memory, so
    that it starts and ends without copying page tables or pages. The caller stands still
    meanwhile, as with ``vfork``. What the function leaves in Python objects stays. A function
    that raises or whose process is killed leaves an interpreter that must not be used any more.
    """

    STACK_BYTES = 64 * 1024 * 1024
    """Address space only: pages are made when touched. Forks of a child run on this stack too."""

    supported = sys.version_info < (3, 14)
    """From 3.14 on the interpreter measures its C stack and refuses to run on another one."""

    def __init__(self) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
        self._stack = mmap.mmap(-1, self.STACK_BYTES, flags=flags)
        bottom = ctypes.addressof(ctypes.c_char.from_buffer(self._stack))
        guard = _libc.mprotect(ctypes.c_void_p(bottom), mmap.PAGESIZE, 0)
        _checked(guard, "mprotect")
        self._top = ctypes.c_void_p(bottom + self.STACK_BYTES - mmap.PAGESIZE)

    def run(self, function: Callable[[], None], flags: int) -> int:
        """Run ``function`` in a child in fresh namespaces; returns its pid when it has ended."""

        def call(_: object) -> int:
            function()
            return 0

        entry = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(call)
        wanted = ctypes.c_int(flags | _CLONE_VM | _CLONE_VFORK | _SIGCHLD)
        return _checked(_libc.clone(entry, self._top, wanted, None), "clone")


def unshare(flags: int) -> None:
    """Move the caller into fresh namespaces."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, fstype: str, flags: int, data: str = "") -> None:
    """``mount(2)``; strings are encoded as file names, an empty one is passed as NULL."""
    names = [os.fsencode(text) if text else None for text in (source, target, fstype, data)]
    result = _libc.mount(names[0], names[1], names[2], flags, names[3])
    _checked(result, f"mount {fstype or 'bind'} on {target}")


def _prctl(option: int, value: int, what: str) -> None:
    _checked(_libc.prctl(option, value, 0, 0, 0), what)


def set_parent_death_signal(signal_number: int) -> None:
    """Ask for a signal when the parent dies."""
    _prctl(_PR_SET_PDEATHSIG, signal_number, "prctl PDEATHSIG")


def set_child_subreaper() -> None:
    """Become the parent of orphaned descendants."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, "prctl CHILD_SUBREAPER")


def set_dumpable(allowed: bool) -> None:
    """Open or close this process to tracing and to ``/proc/PID`` reads by its own user."""
    _prctl(_PR_SET_DUMPABLE, int(allowed), "prctl DUMPABLE")


def drop_privileges() -> None:
    """Give up every capability for good.

    The bounding set is left alone: without new privileges no file can grant what it bounds.
    """
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, "prctl NO_NEW_PRIVS")
    header = (ctypes.c_uint32 * 2)(_LINUX_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    number = ctypes.c_long(_SYS_CAPSET[_MACHINE])
    _checked(_libc.syscall(number, ctypes.byref(header), ctypes.byref(sets)), "capset")
