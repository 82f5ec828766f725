"""Expected values that the task's reference computes, in a sandboxed process of its own.

Values for the task's own cases are kept, since every grading of the task needs them; those of
fresh cases are computed anew. A reference that does not answer makes the task invalid.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from posttrain.core.task import Task
from posttrain.sandbox.protocol import Process, Sandbox
from posttrain.verify.conclude import check_consulted
from posttrain.verify.fault import InfraFaultError, TaskFaultError
from posttrain.verify.plan import OracleCase, Phase, PlannedTest
from posttrain.verify.programs.asking import (
    Candidate,
    ForgedError,
    NotLoadedError,
    OpaqueError,
    Raised,
    RefusedReplyError,
)
from posttrain.verify.programs.channel import GoneError
from posttrain.verify.programs.frame import RefusedError, dump
from posttrain.verify.programs.pack import pack
from posttrain.verify.programs.running import Case
from posttrain.verify.session import joined, running_candidate

__all__ = ["Oracle"]

_MAX_TASKS = 512
_SLACK = 2.0
"""The reference has this many times the candidate's time, so that it never is what is slow."""
_SEED = 0
_REFERENCE_FAILURES = (
    ForgedError,
    NotLoadedError,
    OpaqueError,
    Raised,
    RefusedError,
    RefusedReplyError,
)


class Oracle:
    """Answers for references; safe to call from several threads."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._known: OrderedDict[bytes, list[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def resolve(self, task: Task, planned: Sequence[PlannedTest]) -> tuple[PlannedTest, ...]:
        """``planned`` with a ``Case`` in place of each ``OracleCase``.

        Raises:
            TaskFaultError: there is no reference, or it fails on a case.
            InfraFaultError: its sandbox failed.
        """
        values: dict[int, Any] = {}
        for is_fresh in (False, True):
            chosen = [
                (number, test.body)
                for number, test in enumerate(planned)
                if isinstance(test.body, OracleCase) and (test.phase is Phase.FRESH) is is_fresh
            ]
            if chosen:
                cases = [case for _, case in chosen]
                found = self._compute(task, cases) if is_fresh else self._recall(task, cases)
                values.update(zip((number for number, _ in chosen), found, strict=True))
        return tuple(
            replace(test, body=Case(test.body.args, test.body.kwargs, values[number]))
            if isinstance(test.body, OracleCase)
            else test
            for number, test in enumerate(planned)
        )

    def _recall(self, task: Task, cases: list[OracleCase]) -> list[Any]:
        key = _key(task, cases)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        values = self._compute(task, cases)
        with self._lock:
            self._known[key] = values
            if len(self._known) > _MAX_TASKS:
                self._known.popitem(last=False)
        return values

    def _compute(self, task: Task, cases: list[OracleCase]) -> list[Any]:
        if task.reference is None:
            raise TaskFaultError("a test asks the reference, and the task has none")
        limits = replace(
            task.limits, wall_s=task.limits.wall_s * _SLACK, cpu_s=task.limits.cpu_s * _SLACK
        )
        with joined(limits) as (channel, end):
            host = running_candidate(
                self._sandbox,
                limits,
                code=task.reference,
                verifier=task.verifier,
                seed=_SEED,
                end=end,
            )
            with host as process:
                return _ask(Candidate(channel), cases, process)


def _ask(reference: Candidate, cases: list[OracleCase], process: Process) -> list[Any]:
    try:
        reference.await_loaded()
        values = [reference.call(case.args, case.kwargs)[0] for case in cases]
        reference.finish()
        return values
    except GoneError as error:
        result = process.wait()
        check_consulted(result)
        raise TaskFaultError(f"the reference ended with {result.outcome.value}") from error
    except BlockingIOError as error:
        raise InfraFaultError("a sandbox did not end at its wall time") from error
    except _REFERENCE_FAILURES as error:
        raise TaskFaultError(f"the reference failed: {error}") from error


def _key(task: Task, cases: list[OracleCase]) -> bytes:
    try:
        asked = [dump([pack(case.args), pack(case.kwargs)]) for case in cases]
    except RefusedError as error:
        raise TaskFaultError(f"an argument cannot travel: {error}") from error
    digest = hashlib.sha256(f"{task.reference}\0{task.verifier.entry_point}".encode())
    for request in asked:
        digest.update(len(request).to_bytes(8, "big") + request)
    return digest.digest()
