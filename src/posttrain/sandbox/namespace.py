"""Backend ``namespace``: bubblewrap around the warm interpreter, namespaces around each fork."""

import os
from collections.abc import Mapping

from posttrain.core.errors import SandboxError
from posttrain.sandbox.cgroup_meter import CgroupMeter
from posttrain.sandbox.cgroups import CgroupTree, find_layout
from posttrain.sandbox.meter import Meter
from posttrain.sandbox.protocol import Capability, Level
from posttrain.sandbox.wall import GROUP, PASSWD, UNPRIVILEGED_ID, Interpreter, wall_command
from posttrain.sandbox.watchdog import TreeMeter
from posttrain.sandbox.wire import memory_file

__all__ = ["NamespaceWall", "namespace_capabilities"]

_WATCHDOG = "tree watchdog every 20 ms"


class NamespaceWall:
    """Starts interpreters behind bubblewrap; implements ``forkserver.Wall``.

    ``use_cgroups=False`` holds the limits by the watchdog even where groups could be made.
    """

    name = "namespace"
    folder = ""
    own_user_namespace = True

    def __init__(self, *, use_cgroups: bool = True) -> None:
        self._interpreter = Interpreter.current()
        self.owner = UNPRIVILEGED_ID if os.geteuid() == 0 else None
        self.path = f"{self._interpreter.executable.parent}:/usr/bin:/bin"
        layout = find_layout() if use_cgroups else None
        self._tree = CgroupTree(layout) if layout is not None else None
        self._controllers = frozenset(layout.parents) if layout is not None else frozenset()
        self.watchdog = self._tree is None

    def command(self, control_fd: int) -> tuple[list[str], tuple[int, ...]]:
        """The wall's command line and the descriptors that it reads."""
        accounts = memory_file(PASSWD.encode()), memory_file(GROUP.encode())
        command = wall_command(
            self._interpreter,
            control_fd=control_fd,
            passwd_fd=accounts[0],
            group_fd=accounts[1],
        )
        return command, accounts

    def new_meter(self, lane_pid: int) -> Meter:
        """Put the lane into a group of its own, or watch its executions from ``/proc``.

        Raises:
            SandboxError: the group could not be made or entered.
        """
        tree = self._tree
        if tree is None:
            return TreeMeter()
        try:
            group = tree.take(lane_pid)
        except OSError as error:
            raise SandboxError(f"a control group could not be used: {error}") from error
        return CgroupMeter(
            group,
            unified=tree.hierarchy.is_unified,
            on_close=lambda: tree.give_back(group),
        )

    def capabilities(self) -> Mapping[str, Capability]:
        """Level and mechanism by limit."""
        kind = f"cgroup {self._tree.hierarchy}" if self._tree is not None else ""
        return namespace_capabilities(kind, self._controllers)

    def close(self) -> None:
        """Remove the groups."""
        if self._tree is not None:
            self._tree.close()


def namespace_capabilities(cgroup: str, controllers: frozenset[str]) -> dict[str, Capability]:
    """The table for a machine; ``cgroup`` names the mechanism, empty where there is none."""
    has_cpu = not controllers.isdisjoint({"cpu", "cpuacct"})
    mechanisms = {
        "wall": "driver's clock, pid namespace",
        "cpu": (f"{cgroup}, " if has_cpu else f"{_WATCHDOG}, ") + "RLIMIT_CPU",
        "memory": cgroup if "memory" in controllers else f"{_WATCHDOG}, RLIMIT_DATA",
        "pids": (f"{cgroup}, " if "pids" in controllers else "") + "RLIMIT_NPROC",
        "disk": "tmpfs size, RLIMIT_FSIZE",
        "files": "tmpfs inodes",
        "output": "driver drains and counts",
        "network": "network namespace",
        "idle": "driver's clock",
    }
    return {
        name: Capability(level=Level.ENFORCED, mechanism=mechanism)
        for name, mechanism in mechanisms.items()
    }
