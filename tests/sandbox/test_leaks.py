"""Nothing outlives a sandbox, however its driver ends; each test has a driver of its own."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

DATA = Path(__file__).parents[1] / "data" / "sandbox"
SOURCE = Path(__file__).parents[2] / "src"
BACKENDS = ["process", "namespace", "watchdog"]

Driver = tuple["subprocess.Popen[str]", list[psutil.Process], Path]


@pytest.fixture(params=BACKENDS)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """A driver with a run under way, every process below it, and its temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, str(DATA / "driver.py"), request.param, str(DATA / "run_code.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": folder},
        )
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "started\n"
        below = psutil.Process(process.pid).children(recursive=True)
        yield process, below, Path(folder)
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()


def _groups_of(pid: int) -> list[Path]:
    return [
        base
        for parent in Path("/sys/fs/cgroup").glob("**/cgroup.procs")
        for base in parent.parent.glob(f"posttrain-{pid}-*")
    ]


def _becomes(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_a_closed_sandbox_leaves_no_process_group_or_file(driver: Driver) -> None:
    process, below, folder = driver
    out, _ = process.communicate("close\n", timeout=30)
    assert out == "cancelled\n"
    assert process.returncode == 0
    assert not psutil.wait_procs(below, timeout=10)[1]
    assert not _groups_of(process.pid)
    assert not list(folder.iterdir())


def test_a_killed_driver_leaves_no_process_group_or_file(driver: Driver) -> None:
    process, below, folder = driver
    assert len(below) >= 4
    process.kill()
    process.wait()
    assert not psutil.wait_procs(below, timeout=10)[1]
    assert _becomes(lambda: not _groups_of(process.pid))
    assert _becomes(lambda: not list(folder.iterdir()))


def test_mounts_of_runs_never_appear_outside(driver: Driver) -> None:
    mounts = Path("/proc/self/mounts").read_text()
    assert "/tmp/box" not in mounts
    assert not any(" /mnt " in line and "pyenv" in line for line in mounts.splitlines())


def test_two_drivers_do_not_disturb_each_other() -> None:
    command = [sys.executable, str(DATA / "driver.py"), "namespace", str(DATA / "run_code.py")]
    drivers = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
        for _ in range(2)
    ]
    outputs = [process.communicate("close\n", timeout=60)[0] for process in drivers]
    assert outputs == ["started\ncancelled\n"] * 2
