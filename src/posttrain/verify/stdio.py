"""Judge a ``stdio`` task: one run of the program for each case, its real stdin and stdout.

    compare "exact"   equal bytes; one line break at the end may be missing or too many
            "tokens"  equal sequences of tokens between white space
            "float"   like tokens, but numbers may differ by atol + rtol * |expected|

All runs of an attempt share its time limits. The exit status must be 0: output alone is no
evidence that a program came to its end.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Limits, Task
from posttrain.core.verdict import Failure, FailureKind
from posttrain.sandbox.protocol import ExecSpec, Sandbox
from posttrain.verify.bundle import STDIO
from posttrain.verify.conclude import check_consulted, ended_badly, limit_failure
from posttrain.verify.fault import TaskFaultError
from posttrain.verify.plan import StdioCase
from posttrain.verify.programs.frame import dump

__all__ = ["COMPARISONS", "StdioAnswer", "is_equal_output", "run_stdio"]

COMPARISONS = ("exact", "tokens", "float")
DEFAULT_TOLERANCE = 1e-6
_MIN_LEFT_S = 0.01
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_ERROR_NAME = re.compile(rb"((?:[A-Za-z_]\w*\.)*[A-Z]\w{0,99})(: |$)")
_SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})

StdioAnswer = Failure | None
"""Why a case failed; None for a pass."""


def run_stdio(
    sandbox: Sandbox, task: Task, cases: Sequence[StdioCase], *, code: str, seed: int
) -> tuple[list[StdioAnswer], ExecResult]:
    """An answer for each case, in this order, and the runs as one record.

    Cases that no time is left for fail like the one that used it up.

    Raises:
        TaskFaultError: the task names a comparison that does not exist.
        InfraFaultError: a sandbox ended before the program was started.
    """
    compare = task.verifier.options.get("compare", COMPARISONS[0])
    if compare not in COMPARISONS:
        raise TaskFaultError(f"compare is {compare!r}; allowed are {', '.join(COMPARISONS)}")
    answers: list[StdioAnswer] = []
    total: ExecResult | None = None
    for case in cases:
        limits = _limits_left(task.limits, total)
        if limits is None:
            answers.append(Failure(kind=FailureKind.TIMEOUT, detail="no time left"))
            continue
        spec = ExecSpec(limits=limits, program=STDIO, payload=dump([code, seed]), stdin=case.stdin)
        result = sandbox.run(spec)
        check_consulted(result)
        answers.append(_judge(task, case, result, compare))
        total = _summed(total, result)
    if total is None:
        raise TaskFaultError("the task has no tests")
    return answers, total


def is_equal_output(
    expect: bytes, actual: bytes, compare: str, *, atol: float = 0.0, rtol: float = 0.0
) -> bool:
    """True when ``actual`` is the expected output under one of ``COMPARISONS``."""
    if compare == "exact":
        return actual.removesuffix(b"\n") == expect.removesuffix(b"\n")
    left, right = expect.split(), actual.split()
    if compare == "tokens":
        return left == right
    if atol == 0.0 and rtol == 0.0:
        atol = rtol = DEFAULT_TOLERANCE
    return len(left) == len(right) and all(
        _is_close(one, other, atol, rtol) for one, other in zip(left, right, strict=True)
    )


def _is_close(expect: bytes, actual: bytes, atol: float, rtol: float) -> bool:
    if expect == actual:
        return True
    if not (_NUMBER.fullmatch(expect) and _NUMBER.fullmatch(actual)):
        return False
    one, other = float(expect), float(actual)
    return math.isfinite(other) and abs(other - one) <= atol + rtol * abs(one)


def _limits_left(limits: Limits, total: ExecResult | None) -> Limits | None:
    if total is None:
        return limits
    wall_s, cpu_s = limits.wall_s - total.wall_s, limits.cpu_s - total.cpu_s
    if min(wall_s, cpu_s) < _MIN_LEFT_S:
        return None
    return replace(limits, wall_s=wall_s, cpu_s=cpu_s)


def _judge(task: Task, case: StdioCase, result: ExecResult, compare: str) -> StdioAnswer:
    if result.outcome is not Outcome.OK:
        return limit_failure(result) or _uncaught(result) or ended_badly(result)
    tolerances = {"atol": task.verifier.atol, "rtol": task.verifier.rtol}
    if is_equal_output(case.stdout, result.stdout, compare, **tolerances):
        return None
    return Failure(kind=FailureKind.WRONG_ANSWER)


def _uncaught(result: ExecResult) -> Failure | None:
    """The exception that stderr ends with: a label, which the program itself could choose."""
    if result.outcome is not Outcome.NONZERO:
        return None
    lines = result.stderr.strip().splitlines()
    match = _ERROR_NAME.match(lines[-1]) if lines else None
    if match is None:
        return None
    name = match[1].decode()
    kind = FailureKind.SYNTAX if name in _SYNTAX_ERRORS else FailureKind.EXCEPTION
    return Failure(kind=kind, detail=name)


def _summed(total: ExecResult | None, result: ExecResult) -> ExecResult:
    """Both as one record: times added, the first outcome that is not ok."""
    if total is None:
        return result
    first = total if total.outcome is not Outcome.OK else result
    peaks = [x for x in (total.peak_memory_bytes, result.peak_memory_bytes) if x is not None]
    return replace(
        first,
        cpu_s=total.cpu_s + result.cpu_s,
        wall_s=total.wall_s + result.wall_s,
        run_delay_s=total.run_delay_s + result.run_delay_s,
        peak_memory_bytes=max(peaks, default=None),
        consulted=total.consulted or result.consulted,
    )
