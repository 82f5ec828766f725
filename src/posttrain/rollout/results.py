"""One line of ``results.jsonl``: a verdict and its reward, in the published form."""

from typing import Any

from posttrain.core.execution import ExecResult
from posttrain.core.plain import to_plain
from posttrain.core.reward import Reward
from posttrain.core.verdict import Verdict

__all__ = ["exec_to_line", "result_line"]


def result_line(verdict: Verdict, reward: Reward, *, solution_id: str) -> dict[str, Any]:
    """The JSON object of one graded solution; ``reward`` is null exactly for status error."""
    return {
        "task_id": verdict.task_id,
        "solution_id": solution_id,
        "status": verdict.status.value,
        "trust": verdict.trust.value,
        "reward": reward.value,
        "validity": reward.validity.value,
        "layers": to_plain(reward.layers),
        "tests": to_plain(verdict.tests),
        "failure": to_plain(verdict.failure),
        "tamper": to_plain(verdict.tamper),
        "suspicion": to_plain(verdict.suspicion),
        "exec": exec_to_line(verdict.exec),
    }


def exec_to_line(result: ExecResult) -> dict[str, Any]:
    """The published form of an execution, without its output."""
    return {
        "outcome": result.outcome.value,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "peak_memory_bytes": result.peak_memory_bytes,
        "truncated": result.truncated,
        "limit_hit": result.limit_hit,
        "consulted": result.consulted,
        "detail": result.detail,
    }
