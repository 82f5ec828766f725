"""Version 2 is read and written in a folder that looks like it: a machine has one kind only."""

from pathlib import Path

import pytest

from posttrain.core.task import Limits
from posttrain.sandbox.cgroup_meter import CgroupMeter
from posttrain.sandbox.cgroups import Hierarchy, find_layout

MIB = 1024 * 1024


@pytest.fixture
def unified(tmp_path: Path) -> Path:
    """A mounted version 2 tree whose root has processes and ``user`` below it has none."""
    for group in (tmp_path / "tree", tmp_path / "tree/user", tmp_path / "tree/user/session"):
        group.mkdir(parents=True)
        (group / "cgroup.procs").touch()
        (group / "cgroup.subtree_control").touch()
    return tmp_path / "tree"


def _proc(tmp_path: Path, mounts: str, cgroup: str) -> Path:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mounts").write_text(mounts)
    (tmp_path / "proc/self/cgroup").write_text(cgroup)
    return tmp_path / "proc"


def test_without_any_hierarchy_there_is_no_layout(tmp_path: Path) -> None:
    assert find_layout(_proc(tmp_path, "proc /proc proc rw 0 0\n", "0::/\n")) is None


def test_version_2_is_used_where_the_memory_controller_is_on(tmp_path: Path, unified: Path) -> None:
    (unified / "user/cgroup.subtree_control").write_text("cpu memory pids\n")
    proc = _proc(tmp_path, f"none {unified} cgroup2 rw 0 0\n", "0::/user\n")
    layout = find_layout(proc)
    assert layout is not None and layout.hierarchy is Hierarchy.V2
    assert layout.parents == dict.fromkeys(("cpu", "memory", "pids"), unified / "user")


def test_version_1_controllers_are_found_in_hierarchies_of_their_own(tmp_path: Path) -> None:
    lines = []
    for controllers in ("memory", "cpu,cpuacct", "pids"):
        (tmp_path / controllers / "own").mkdir(parents=True)
        (tmp_path / controllers / "own/cgroup.procs").touch()
        lines.append(f"cgroup {tmp_path / controllers} cgroup rw,{controllers} 0 0\n")
    layout = find_layout(
        _proc(tmp_path, "".join(lines), "3:memory:/own\n2:cpu,cpuacct:/own\n1:pids:/own\n")
    )
    assert layout is not None and layout.hierarchy is Hierarchy.V1
    assert {name: parent.parent.name for name, parent in layout.parents.items()} == {
        "memory": "memory",
        "cpuacct": "cpu,cpuacct",
        "pids": "pids",
    }


@pytest.fixture
def group(tmp_path: Path) -> Path:
    contents = {
        "memory.max": "max\n",
        "memory.swap.max": "max\n",
        "memory.current": f"{20 * MIB}\n",
        "memory.peak": f"{30 * MIB}\n",
        "memory.events": "low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\n",
        "memory.stat": f"anon {15 * MIB}\nfile 0\nshmem {5 * MIB}\n",
        "pids.max": "max\n",
        "pids.events": "max 4\n",
        "cpu.stat": "usage_usec 2000000\nuser_usec 1\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def test_counters_of_a_group_are_measured_from_the_start_of_each_run(group: Path) -> None:
    meter = CgroupMeter(
        dict.fromkeys(("memory", "pids", "cpu"), group), unified=True, on_close=lambda: None
    )
    meter.begin(1, Limits(memory_bytes=10 * MIB, disk_bytes=4 * MIB, pids=8))
    (group / "memory.events").write_text("oom_kill 5\n")
    (group / "pids.events").write_text("max 5\n")
    (group / "cpu.stat").write_text("usage_usec 2500000\n")
    sample = meter.sample()
    meter.close()
    assert (sample.oom_kills, sample.pids_refused, sample.cpu_s) == (2, 1, 0.5)
    assert sample.memory_bytes == 15 * MIB


def test_the_bounds_leave_room_for_files_and_for_our_own_processes(group: Path) -> None:
    meter = CgroupMeter(
        dict.fromkeys(("memory", "pids"), group), unified=True, on_close=lambda: None
    )
    meter.begin(1, Limits(memory_bytes=10 * MIB, disk_bytes=4 * MIB, pids=8))
    meter.close()
    assert int((group / "memory.max").read_text()) == 22 * MIB
    assert int((group / "memory.swap.max").read_text()) == 0
    assert int((group / "pids.max").read_text()) == 10


def test_a_group_is_given_back_once(group: Path) -> None:
    closed: list[int] = []
    meter = CgroupMeter({"memory": group}, unified=True, on_close=lambda: closed.append(1))
    meter.close()
    meter.close()
    assert closed == [1]
