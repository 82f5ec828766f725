"""The warm interpreter: loads one program, then forks lanes on request and runs nothing else.

    driver ──► zygote ──(L)──► lane ──► init of one execution after another (see runner)
                 │               │
                 └── each ends when its own control socket closes: the driver is gone

A lane says ``H`` when it is there, waits for ``G``, and says ``D`` (+ its init's last message,
where the lane knows it) whenever an execution is over and reaped; it stands still in between.
Before ``G`` the driver puts it in a cgroup, so that no execution has to be moved.
Forks happen with a single thread only.
"""

import _socket
import contextlib
import gc
import importlib
import os
import signal
import sys
import types
from typing import Any, NoReturn

from posttrain.sandbox.inside import entry, kernel, runner

__all__ = ["main"]

_NUM_LANE_FDS = 4
_NUM_WARM_UPS = 40
"""Enough for the interpreter to specialize the byte code on the way."""
_TEST_RUNNERS = ("pytest", "_pytest", "unittest", "doctest")


class _Server:
    """The state that zygote and lanes share."""

    def __init__(self, boot: dict[str, Any]) -> None:
        base = boot["folder"]
        self.enclosure: runner.Enclosure = entry.PlainFolder(base) if base else entry.Namespaces()
        self.program = _load(boot["program"]) if boot["program"] else None
        self.base = base


def main(control: _socket.socket, boot: dict[str, Any]) -> None:
    """Load, report ``R`` (ready) or ``F`` + reason, then serve until the driver goes away."""
    try:
        server = _Server(boot)
        _assert_clean(boot)
    except BaseException as error:  # noqa: BLE001 - the boundary: a failed load becomes a message
        control.send(b"F" + f"{type(error).__name__}: {error}".encode())
        return
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.environ.clear()
    sys.argv[:] = [""]
    gc.collect()
    gc.disable()
    gc.freeze()
    control.send(b"R")
    _serve(control, server)
    if server.base:
        entry.remove_folder(server.base)


def _load(program: dict[str, Any]) -> dict[str, Any]:
    for name in program["preload"]:
        importlib.import_module(name)
    module = types.ModuleType(program["name"])
    sys.modules[program["name"]] = module
    exec(program["code"], module.__dict__)
    warm_up = module.__dict__.get("warm_up")
    if warm_up is not None:
        for _ in range(_NUM_WARM_UPS):
            warm_up()
    return module.__dict__


def _assert_clean(boot: dict[str, Any]) -> None:
    wanted = set(boot["program"]["preload"]) if boot["program"] else set()
    if not wanted.intersection(_TEST_RUNNERS):
        loaded = [name for name in _TEST_RUNNERS if name in sys.modules]
        if loaded:
            raise ImportError(f"test runners are loaded in a candidate's interpreter: {loaded}")
    num_threads = len(os.listdir("/proc/self/task"))
    if num_threads != 1:
        raise RuntimeError(f"cannot fork: the interpreter has {num_threads} threads, not 1")


def _serve(control: _socket.socket, server: _Server) -> None:
    """Fork lanes on request; returns when the driver's end is closed."""
    while True:
        room = _socket.CMSG_SPACE(4 * _NUM_LANE_FDS)
        request, ancillary, _, _ = control.recvmsg(16, room)
        if not request:
            return
        fds = memoryview(ancillary[0][2]).cast("i").tolist()
        if server.enclosure.fork_lane() == 0:
            control.close()
            _be_lane(runner.Channel(fds), server)
        for fd in fds:
            os.close(fd)


def _be_lane(channel: runner.Channel, server: _Server) -> NoReturn:
    kernel.set_parent_death_signal(signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    channel.control.send(b"H")
    if not channel.control.recv(1):  # the driver's word that this lane is in its cgroup
        os._exit(0)
    execution = runner.Execution(channel, server.enclosure, server.program)
    with contextlib.suppress(OSError):  # the driver is gone, and with it the use of this lane
        while True:
            channel.control.send(b"D" + execution.run())
    os._exit(0)
