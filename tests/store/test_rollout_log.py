from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.core.errors import StoreError
from posttrain.core.execution import ExecResult, Outcome
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
from posttrain.store.jsonl import to_line
from posttrain.store.rollout_line import rollout_from_line, rollout_to_line
from posttrain.store.rollout_log import (
    drop_rollouts_after,
    read_rollouts,
    stored_steps,
    write_rollouts,
)


def _rollout(
    index: int = 0, *, stdout: bytes = b"", logprobs: tuple[float, ...] = (-0.1,), text: str = "x"
) -> Rollout:
    return Rollout(
        key=AttemptKey("run", 1, "task/1", index),
        family="family",
        difficulty=0.25,
        tries=2,
        turns=(
            Turn(
                prompt_ids=(1, 2),
                token_ids=tuple(range(len(logprobs))),
                logprobs=logprobs,
                text=text,
                stop_reason=StopReason.STOP_SEQUENCE,
            ),
        ),
        policy_version_first=3,
        policy_version_last=3,
        temperature=0.8,
        verdict=Verdict(
            task_id="task/1",
            status=Status.FAILED,
            trust=Trust.ISOLATED,
            tests=TestCounts(hidden=TestCount(passed=1, total=2)),
            failure=Failure(kind=FailureKind.TAMPER, detail="lies"),
            tamper=(Finding(kind="eq", evidence="__eq__"),),
            exec=ExecResult(outcome=Outcome.NONZERO, exit_code=1, stdout=stdout, consulted=True),
            code="def f(): ...",
        ),
        reward=Reward(
            value=-1.0,
            validity=Validity.VALID,
            layers=(LayerScore(name="correct", score=0.0, weight=1.0, contribution=0.0),),
            penalty=-1.0,
        ),
        timings_s={"verify": 0.01},
    )


@given(
    stdout=st.binary(max_size=30),
    logprobs=st.lists(st.floats(max_value=0, allow_nan=False, allow_infinity=False)),
    text=st.text(),
)
def test_a_stored_rollout_reads_back_equal(
    stdout: bytes, logprobs: list[float], text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rollouts")
    rollout = _rollout(stdout=stdout, logprobs=tuple(logprobs), text=text)
    write_rollouts(folder, 1, [rollout])
    assert read_rollouts(folder, 1) == [rollout]


def test_the_file_does_not_depend_on_the_order_of_grading(tmp_path: Path) -> None:
    rollouts = [_rollout(index) for index in range(4)]
    first = write_rollouts(tmp_path, 1, rollouts).read_bytes()
    assert write_rollouts(tmp_path, 1, reversed(rollouts)).read_bytes() == first


def test_later_steps_are_dropped_but_those_that_are_kept(tmp_path: Path) -> None:
    for step in (1, 2, 3, 4):
        write_rollouts(tmp_path, step, [])
    drop_rollouts_after(tmp_path, 2, keep=[3])
    assert stored_steps(tmp_path) == [1, 2, 3]


def test_a_line_without_a_field_is_one_clear_error() -> None:
    line = rollout_to_line(_rollout())
    del line["reward"]
    with pytest.raises(StoreError, match="no usable 'reward'"):
        rollout_from_line(line)


def test_the_key_lies_flat_in_the_line() -> None:
    assert to_line(rollout_to_line(_rollout(7))).startswith(
        b'{"run":"run","step":1,"task_id":"task/1","index":7,'
    )
