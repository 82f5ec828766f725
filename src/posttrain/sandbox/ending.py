"""Decide how an execution ended, from what was observed on the driver's side of the wall.

The order matters: the kernel's out-of-memory count outranks the signal that it caused, a limit
that the driver enforced outranks the exit status that followed, and a refusal by the kernel (no
more processes, no more room) explains a failure only where there is one.
"""

import signal

from posttrain.core.execution import Outcome
from posttrain.core.task import Limits
from posttrain.sandbox.meter import Sample
from posttrain.sandbox.wire import Report, Status

__all__ = ["Ending", "judge_ending"]

Ending = tuple[Outcome, str | None]
"""The outcome, and the name of the ``Limits`` field that ended the run."""


def judge_ending(status: Status, sample: Sample, limits: Limits, stopped: Ending | None) -> Ending:
    """The ending of an execution whose tree is dead.

    ``stopped`` is what the driver itself ended it for. A dead init without a report is
    ``sandbox_dead``; a job that could not be set up is ``sandbox_error``.
    """
    if status.setup_error is not None and not status.consulted:
        return Outcome.SANDBOX_ERROR, None
    if sample.oom_kills:
        return Outcome.OOM, "memory_bytes"
    if stopped is not None:
        return stopped
    if status.report is None:
        return Outcome.SANDBOX_DEAD, None
    if max(sample.cpu_s, status.report.cpu_s) > limits.cpu_s:
        return Outcome.CPU_TIMEOUT, "cpu_s"
    if status.report.exit_code == 0 and status.report.signal == 0:
        return Outcome.OK, None
    return _explain_failure(status.report, sample, limits)


def _explain_failure(report: Report, sample: Sample, limits: Limits) -> Ending:
    if sample.pids_refused or max(report.num_left + 1, sample.num_tasks) >= limits.pids:
        return Outcome.PIDS_LIMIT, "pids"
    if report.signal == signal.SIGXFSZ or report.disk_bytes >= limits.disk_bytes:
        return Outcome.DISK_LIMIT, "disk_bytes"
    if report.files >= limits.files:
        return Outcome.DISK_LIMIT, "files"
    if report.signal:
        return Outcome.SIGNALED, None
    return Outcome.NONZERO, None
