"""A judged attempt as one JSON object and back: ``rollout_from_line(rollout_to_line(r)) == r``.

The key's parts lie flat beside the other fields. Bytes that are no UTF-8 text become
``{"base64": …}``. Token ids, log-probs and the reward come back bit for bit, because resume
trains on what is read here.
"""

import base64
from collections.abc import Mapping
from typing import Any

from posttrain.core.errors import StoreError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.plain import to_plain
from posttrain.core.reward import LayerScore, Reward
from posttrain.core.rollout import AttemptKey, Rollout, StopReason, Turn
from posttrain.core.task import Trust
from posttrain.core.verdict import (
    Failure,
    FailureKind,
    Finding,
    Status,
    TestCount,
    TestCounts,
    Validity,
    Verdict,
)

__all__ = ["rollout_from_line", "rollout_to_line"]

Line = Mapping[str, Any]


def rollout_to_line(rollout: Rollout) -> dict[str, Any]:
    """The JSON object of one attempt."""
    verdict = rollout.verdict
    return {
        **rollout.key._asdict(),
        "family": rollout.family,
        "difficulty": rollout.difficulty,
        "tries": rollout.tries,
        "policy_version_first": rollout.policy_version_first,
        "policy_version_last": rollout.policy_version_last,
        "temperature": rollout.temperature,
        "turns": to_plain(rollout.turns),
        "verdict": {
            "task_id": verdict.task_id,
            "status": verdict.status.value,
            "trust": verdict.trust.value,
            "validity": verdict.validity.value,
            "tests": to_plain(verdict.tests),
            "failure": to_plain(verdict.failure),
            "tamper": to_plain(verdict.tamper),
            "suspicion": to_plain(verdict.suspicion),
            "exec": _exec_to_line(verdict.exec),
            "code": verdict.code,
        },
        "reward": to_plain(rollout.reward),
        "timings_s": dict(rollout.timings_s),
    }


def rollout_from_line(line: Line) -> Rollout:
    """The attempt of one line; raises ``StoreError`` naming the field that is missing or odd."""
    try:
        return Rollout(
            key=AttemptKey(line["run"], line["step"], line["task_id"], line["index"]),
            family=line["family"],
            difficulty=line["difficulty"],
            tries=line["tries"],
            turns=tuple(_turn(turn) for turn in line["turns"]),
            policy_version_first=line["policy_version_first"],
            policy_version_last=line["policy_version_last"],
            temperature=line["temperature"],
            verdict=_verdict(line["verdict"]),
            reward=_reward(line["reward"]),
            timings_s=dict(line["timings_s"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"a stored rollout has no usable {error}; the file was changed or is of another version"
        ) from error


def _turn(line: Line) -> Turn:
    return Turn(
        prompt_ids=tuple(line["prompt_ids"]),
        token_ids=tuple(line["token_ids"]),
        logprobs=tuple(line["logprobs"]),
        text=line["text"],
        stop_reason=StopReason(line["stop_reason"]),
    )


def _verdict(line: Line) -> Verdict:
    failure = line["failure"]
    return Verdict(
        task_id=line["task_id"],
        status=Status(line["status"]),
        trust=Trust(line["trust"]),
        validity=Validity(line["validity"]),
        tests=TestCounts(**{kind: TestCount(**count) for kind, count in line["tests"].items()}),
        failure=failure and Failure(kind=FailureKind(failure["kind"]), detail=failure["detail"]),
        tamper=tuple(Finding(**finding) for finding in line["tamper"]),
        suspicion=tuple(Finding(**finding) for finding in line["suspicion"]),
        exec=_exec(line["exec"]),
        code=line["code"],
    )


def _reward(line: Line) -> Reward:
    return Reward(
        value=line["value"],
        validity=Validity(line["validity"]),
        layers=tuple(LayerScore(**layer) for layer in line["layers"]),
        penalty=line["penalty"],
    )


def _exec_to_line(result: ExecResult) -> dict[str, Any]:
    return {
        "outcome": result.outcome.value,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "peak_memory_bytes": result.peak_memory_bytes,
        "stdout": _bytes_to_line(result.stdout),
        "stderr": _bytes_to_line(result.stderr),
        "truncated": result.truncated,
        "limit_hit": result.limit_hit,
        "consulted": result.consulted,
        "detail": result.detail,
    }


def _exec(line: Line) -> ExecResult:
    parts = {
        **line,
        "outcome": Outcome(line["outcome"]),
        "stdout": _bytes(line["stdout"]),
        "stderr": _bytes(line["stderr"]),
    }
    return ExecResult(**parts)


def _bytes_to_line(content: bytes) -> str | dict[str, str]:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _bytes(line: str | dict[str, str]) -> bytes:
    return line.encode() if isinstance(line, str) else base64.b64decode(line["base64"])
