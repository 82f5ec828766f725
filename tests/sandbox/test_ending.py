import signal
from dataclasses import replace

import pytest

from posttrain.core.execution import Outcome
from posttrain.core.task import Limits
from posttrain.sandbox.ending import judge_ending
from posttrain.sandbox.meter import Sample
from posttrain.sandbox.wire import Report, Status

LIMITS = Limits(cpu_s=1.0, pids=8, disk_bytes=1000, files=10)
REPORT = Report(
    exit_code=0, signal=0, cpu_s=0.1, max_resident_bytes=1, disk_bytes=0, files=0, num_left=0
)
FINE = Status(consulted=True, setup_error=None, report=REPORT)
CRASHED = replace(FINE, report=replace(REPORT, exit_code=1))


def test_a_zero_exit_is_ok() -> None:
    assert judge_ending(FINE, Sample(), LIMITS, None) == (Outcome.OK, None)


def test_the_kernels_memory_count_outranks_the_drivers_clock() -> None:
    stopped = (Outcome.WALL_TIMEOUT, "wall_s")
    assert judge_ending(FINE, Sample(oom_kills=1), LIMITS, stopped)[0] is Outcome.OOM


def test_an_enforced_limit_outranks_the_exit_status_that_followed() -> None:
    stopped = (Outcome.OUTPUT_LIMIT, "output_bytes")
    assert judge_ending(CRASHED, Sample(), LIMITS, stopped) == stopped


def test_processor_time_over_the_limit_is_no_pass_even_with_a_zero_exit() -> None:
    assert judge_ending(FINE, Sample(cpu_s=1.1), LIMITS, None)[0] is Outcome.CPU_TIMEOUT


def test_an_init_without_a_report_is_a_dead_sandbox() -> None:
    status = replace(FINE, report=None)
    assert judge_ending(status, Sample(), LIMITS, None)[0] is Outcome.SANDBOX_DEAD


def test_a_setup_error_after_candidate_code_started_is_not_believed() -> None:
    status = Status(consulted=True, setup_error="claimed", report=None)
    assert judge_ending(status, Sample(), LIMITS, None)[0] is Outcome.SANDBOX_DEAD
    honest = replace(status, consulted=False)
    assert judge_ending(honest, Sample(), LIMITS, None)[0] is Outcome.SANDBOX_ERROR


@pytest.mark.parametrize(
    ("change", "sample", "expected"),
    [
        ({}, Sample(), (Outcome.NONZERO, None)),
        ({"signal": signal.SIGSEGV}, Sample(), (Outcome.SIGNALED, None)),
        ({"signal": signal.SIGXFSZ}, Sample(), (Outcome.DISK_LIMIT, "disk_bytes")),
        ({"disk_bytes": 1000}, Sample(), (Outcome.DISK_LIMIT, "disk_bytes")),
        ({"files": 10}, Sample(), (Outcome.DISK_LIMIT, "files")),
        ({"num_left": 7}, Sample(), (Outcome.PIDS_LIMIT, "pids")),
        ({}, Sample(pids_refused=1), (Outcome.PIDS_LIMIT, "pids")),
    ],
)
def test_a_failure_is_explained_by_what_the_kernel_refused(
    change: dict[str, int], sample: Sample, expected: tuple[Outcome, str | None]
) -> None:
    status = replace(FINE, report=replace(REPORT, exit_code=1, **change))
    assert judge_ending(status, sample, LIMITS, None) == expected
