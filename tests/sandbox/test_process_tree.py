"""Processes are found below their root, and only waiting for a core counts as run delay."""

import os
import subprocess
import sys
import time

import pytest

from posttrain.sandbox.process_tree import descendants, run_delay_s

SPIN_S = 0.4
SPINNERS = f"""
import os, time
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
os.fork()
end = time.monotonic() + {SPIN_S}
while time.monotonic() < end:
    pass
print(flush=True)
time.sleep(30)
"""
SLEEPER = "import time; print(flush=True); time.sleep(30)"


def delay_of(code: str) -> tuple[float, int]:
    """Run delay and number of processes below a shell that runs the code, once it has printed."""
    command = ["sh", "-c", '"$0" -c "$1"; true', sys.executable, code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        time.sleep(0.1)
        found = run_delay_s(shell.pid), len(descendants(shell.pid))
        os.killpg(shell.pid, 9)
    return found


def test_two_that_share_a_core_have_waited_and_a_sleeper_has_not():
    if not os.path.exists("/proc/self/schedstat"):
        pytest.skip("the kernel keeps no account of waiting")
    sharing_s, num_processes = delay_of(SPINNERS)
    sleeping_s, _ = delay_of(SLEEPER)
    assert num_processes == 2
    assert sharing_s > SPIN_S / 8
    assert sleeping_s < sharing_s


def test_a_root_that_is_gone_has_no_descendants_and_no_delay():
    child = subprocess.Popen(["true"])
    child.wait()
    assert descendants(child.pid) == []
    assert run_delay_s(child.pid) == 0.0
