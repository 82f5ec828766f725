import threading
import time

import pytest

from posttrain.core.errors import PolicyError, SandboxError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.reward import Reward
from posttrain.core.rollout import AttemptKey, Rollout, Turn
from posttrain.core.task import Message, Source, Split, Task, Trust, VerifierSpec
from posttrain.core.verdict import Status, Validity, Verdict
from posttrain.loop.bench import Bench, Collected, Job, Sampling, collect, plan_jobs
from posttrain.policy.protocol import SamplingParams
from posttrain.testing.training import DigestPolicy

ANSWERS = ("```python\ngood\n```", "```python\nbad\n```", "no code")


class Quiet:
    def sampled(self, job: Job, turn: Turn) -> None: ...

    def judged(self, rollout: Rollout, num_grading: int) -> None: ...


def _task(name: str) -> Task:
    return Task(
        id=name,
        domain="code",
        family="f",
        split=Split.TRAIN,
        prompt=(Message(role="user", content=name),),
        verifier=VerifierSpec(type="function"),
        source=Source(name="test", license="CC0-1.0"),
    )


def _verdict(task: Task, code: str | None, status: Status) -> Verdict:
    return Verdict(
        task_id=task.id,
        status=status,
        trust=Trust.ISOLATED,
        validity=Validity.INFRA_INVALID if status is Status.ERROR else Validity.VALID,
        exec=ExecResult(outcome=Outcome.OK),
        code=code,
    )


def _grade(task: Task, code: str | None, seed: int) -> Verdict:
    return _verdict(task, code, Status.PASSED if code == "good\n" else Status.FAILED)


def _pay(verdict: Verdict, task: Task) -> Reward:
    value = None if verdict.status is Status.ERROR else float(verdict.passed)
    return Reward(value=value, validity=verdict.validity)


def _collect(bench: Bench, policy: DigestPolicy | None = None) -> Collected:
    jobs = plan_jobs([_task("a"), _task("b")], run="r", step=1, attempts=4, seed=7)
    return collect(
        jobs,
        policy=policy or DigestPolicy(ANSWERS),
        sampling=Sampling(params=SamplingParams()),
        bench=bench,
        pay=_pay,
        watch=Quiet(),
    )


def test_the_result_depends_on_neither_the_order_nor_the_number_of_grading_threads() -> None:
    def slow_for_some(task: Task, code: str | None, seed: int) -> Verdict:
        time.sleep(seed % 5 / 1000)
        return _grade(task, code, seed)

    one = _collect(Bench(grade=_grade, workers=1)).rollouts
    many = _collect(Bench(grade=slow_for_some, workers=4)).rollouts
    assert [(r.key, r.turns, r.verdict, r.reward) for r in one] == [
        (r.key, r.turns, r.verdict, r.reward) for r in many
    ]
    assert [r.key for r in one] == [AttemptKey("r", 1, t, i) for t in "ab" for i in range(4)]


def test_answers_are_graded_while_others_are_still_sampled() -> None:
    first_verdict = threading.Event()

    class WaitingPolicy(DigestPolicy):
        def sample(self, requests, params):  # type: ignore[no-untyped-def]
            for number, item in enumerate(super().sample(requests, params)):
                if number == 1:
                    assert first_verdict.wait(timeout=5)
                yield item

    def grade(task: Task, code: str | None, seed: int) -> Verdict:
        first_verdict.set()
        return _grade(task, code, seed)

    assert len(_collect(Bench(grade=grade), WaitingPolicy(ANSWERS)).rollouts) == 8


def test_an_infrastructure_fault_is_tried_again_and_counted() -> None:
    faults = iter([True, True])

    def grade(task: Task, code: str | None, seed: int) -> Verdict:
        if next(faults, False):
            raise SandboxError("the sandbox is gone")
        return _grade(task, code, seed)

    rollouts = _collect(Bench(grade=grade, workers=1, max_tries=3)).rollouts
    assert sorted(r.tries for r in rollouts)[-2:] in ([2, 2], [1, 3])
    assert all(r.reward.value is not None for r in rollouts)


def test_an_attempt_whose_tries_are_used_up_has_no_reward_rather_than_zero() -> None:
    def grade(task: Task, code: str | None, seed: int) -> Verdict:
        return _verdict(task, code, Status.ERROR)

    rollouts = _collect(Bench(grade=grade, max_tries=2)).rollouts
    assert {r.reward.value for r in rollouts} == {None}
    assert {r.tries for r in rollouts} == {2}


def test_a_sampler_that_loses_an_answer_is_refused() -> None:
    class Forgetful(DigestPolicy):
        def sample(self, requests, params):  # type: ignore[no-untyped-def]
            yield from list(super().sample(requests, params))[1:]

    with pytest.raises(PolicyError, match="gave 7 of 8 answers"):
        _collect(Bench(grade=_grade), Forgetful(ANSWERS))


def test_a_sampler_that_answers_twice_is_refused() -> None:
    class Repeating(DigestPolicy):
        def sample(self, requests, params):  # type: ignore[no-untyped-def]
            turns = list(super().sample(requests, params))
            yield from [turns[0], turns[0]]

    with pytest.raises(PolicyError, match="came before"):
        _collect(Bench(grade=_grade), Repeating(ANSWERS))


def test_a_task_drawn_twice_in_a_step_gets_a_second_group_of_its_own() -> None:
    jobs = plan_jobs([_task("a"), _task("a")], run="r", step=1, attempts=2, seed=7)
    assert [job.key.index for job in jobs] == [0, 1, 2, 3]
    assert len({job.sample_seed for job in jobs}) == 4


def test_seeds_depend_on_the_attempts_name_alone() -> None:
    alone = plan_jobs([_task("b")], run="r", step=1, attempts=2, seed=7)
    beside = plan_jobs([_task("a"), _task("b")], run="other", step=1, attempts=2, seed=7)
    assert [job.sample_seed for job in beside[2:]] == [job.sample_seed for job in alone]
