"""Control groups: find the hierarchy that can be written, make groups for lanes, remove them.

    v1      one folder per controller (memory, pids, cpuacct), each a hierarchy of its own
    v2      one folder with all controllers, which the parent must have switched on
    hybrid  v1 controllers beside a mounted v2 tree that has none of them

A sandbox owns one folder, ``posttrain-PID-START-N``, and one group in it for each lane. A small
shell process outlives a killed driver just long enough to remove them; whatever even that leaves
behind is removed by the next sandbox on the machine, once the process in its name is dead.
"""

import contextlib
import itertools
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

__all__ = ["CgroupTree", "Hierarchy", "Layout", "find_layout"]

_PREFIX = "posttrain-"
_V1_CONTROLLERS = {"memory", "pids", "cpuacct"}
_V2_CONTROLLERS = {"memory", "pids", "cpu"}
_REMOVE_TIMEOUT_S = 5.0
_GUARDIAN = """
read -r _
tries=0
while [ $tries -lt 200 ]; do
  left=0
  for base in "$@"; do
    rmdir "$base"/lane-* "$base" 2>/dev/null
    [ -d "$base" ] && left=1
  done
  [ $left = 0 ] && exit 0
  tries=$((tries + 1))
  sleep 0.05
done
"""
"""Waits until its standard input ends, that is until the driver is gone."""

_numbers = itertools.count()


class Hierarchy(StrEnum):
    """Which kind of control groups holds the limits."""

    V1 = "v1"
    V2 = "v2"
    HYBRID = "hybrid"

    @property
    def is_unified(self) -> bool:
        """True when all controllers share one folder."""
        return self is Hierarchy.V2


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """Where groups can be made: the parent folder of each controller."""

    hierarchy: Hierarchy
    parents: dict[str, Path]
    """By controller: ``memory``, ``pids``, ``cpu`` (v2) or ``cpuacct`` (v1)."""


def find_layout(proc: Path = Path("/proc")) -> Layout | None:
    """The layout in which this process can make groups with a memory limit, or None.

    Nothing is left behind. ``proc`` is where ``self/mounts`` and ``self/cgroup`` are read from.
    """
    mounts = [line.split() for line in (proc / "self/mounts").read_text().splitlines()]
    own = _own_groups(proc)
    unified = [Path(mount[1]) for mount in mounts if mount[2] == "cgroup2"]
    parents = _v1_parents([mount for mount in mounts if mount[2] == "cgroup"], own)
    if "memory" in parents:
        kind = Hierarchy.HYBRID if unified else Hierarchy.V1
        return Layout(hierarchy=kind, parents=parents)
    for root in unified:
        parent = _v2_parent(root, own.get("", "/"))
        if parent is not None:
            return Layout(
                hierarchy=Hierarchy.V2,
                parents=dict.fromkeys(_v2_controllers(parent), parent),
            )
    return None


def _own_groups(proc: Path) -> dict[str, str]:
    groups = {}
    for line in (proc / "self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = path
    return groups


def _v1_parents(mounts: list[list[str]], own: dict[str, str]) -> dict[str, Path]:
    """The parent folder of each wanted controller that has one."""
    found = {}
    for mount in mounts:
        for controller in _V1_CONTROLLERS.intersection(mount[3].split(",")):
            parent = _v1_parent(Path(mount[1]), own.get(controller, "/"))
            if parent is not None:
                found[controller] = parent
    return found


def _v1_parent(root: Path, own: str) -> Path | None:
    """The own group where it is visible below the mount, else the mount, if writable."""
    for parent in (root / own.lstrip("/"), root):
        if (parent / "cgroup.procs").exists() and os.access(parent, os.W_OK):
            return parent
    return None


def _v2_controllers(parent: Path) -> set[str]:
    switched_on = set((parent / "cgroup.subtree_control").read_text().split())
    return switched_on & _V2_CONTROLLERS


def _v2_parent(root: Path, own: str) -> Path | None:
    """The nearest group, upwards from the own one, that can give its children a memory limit.

    A group that holds processes cannot switch controllers on for children, except the root; the
    kernel refuses that by itself, and also to move processes across a border that is not ours.
    """
    group = root / own.lstrip("/")
    for parent in (group, *group.parents):
        if not parent.is_relative_to(root):
            break
        if os.access(parent, os.W_OK) and os.access(parent / "cgroup.procs", os.W_OK):
            for controller in _V2_CONTROLLERS - _v2_controllers(parent):
                with contextlib.suppress(OSError):
                    (parent / "cgroup.subtree_control").write_text(f"+{controller}")
            with contextlib.suppress(OSError):
                if "memory" in _v2_controllers(parent):
                    return parent
    return None


class CgroupTree:
    """The groups of one sandbox; makes its folders at once, ``close`` removes them."""

    def __init__(self, layout: Layout) -> None:
        self.hierarchy = layout.hierarchy
        name = f"{_PREFIX}{os.getpid()}-{_start_time(os.getpid())}-{next(_numbers)}"
        self._lock = threading.Lock()
        self._num_groups = 0
        self._idle: list[dict[str, Path]] = []
        self._bases = {controller: parent / name for controller, parent in layout.parents.items()}
        for parent in set(layout.parents.values()):
            _remove_stale(parent)
        for base in set(self._bases.values()):
            base.mkdir()
            if self.hierarchy.is_unified:
                wanted = " ".join(f"+{controller}" for controller in self._bases)
                (base / "cgroup.subtree_control").write_text(wanted)
        self._guardian = subprocess.Popen(
            ["sh", "-c", _GUARDIAN, "sh", *map(str, set(self._bases.values()))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def take(self, pid: int) -> dict[str, Path]:
        """A group that holds ``pid`` and nothing else, as its folder by controller."""
        with self._lock:
            group = self._reusable() or self._new_group()
        for folder in set(group.values()):
            (folder / "cgroup.procs").write_text(str(pid))
        return group

    def give_back(self, group: dict[str, Path]) -> None:
        """Let a later lane have the group, once its processes are gone."""
        with self._lock:
            self._idle.append(group)

    def close(self) -> None:
        """Remove every group; to be called when their processes have been ended. Idempotent."""
        deadline = time.monotonic() + _REMOVE_TIMEOUT_S
        for base in set(self._bases.values()):
            while not _remove_tree(base) and time.monotonic() < deadline:
                time.sleep(0.005)
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guardian.wait(timeout=_REMOVE_TIMEOUT_S)

    def _reusable(self) -> dict[str, Path] | None:
        for index, group in enumerate(self._idle):
            if all(not (folder / "cgroup.procs").read_text() for folder in group.values()):
                return self._idle.pop(index)
        return None

    def _new_group(self) -> dict[str, Path]:
        self._num_groups += 1
        group = {
            controller: base / f"lane-{self._num_groups}"
            for controller, base in self._bases.items()
        }
        for folder in set(group.values()):
            folder.mkdir()
        return group


def _remove_tree(base: Path) -> bool:
    """Try once; True when nothing is left."""
    with contextlib.suppress(OSError):
        for group in base.glob("lane-*"):
            group.rmdir()
        base.rmdir()
    return not base.exists()


def _remove_stale(parent: Path) -> None:
    for base in _owned_by_the_dead(parent):
        _remove_tree(base)


def _owned_by_the_dead(parent: Path) -> Iterator[Path]:
    for base in parent.glob(f"{_PREFIX}*-*-*"):
        pid, started, _ = base.name.removeprefix(_PREFIX).split("-", 2)
        if _start_time(int(pid)) != started:
            yield base


def _start_time(pid: int) -> str | None:
    """Start of a process in clock ticks after boot, or None when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]
