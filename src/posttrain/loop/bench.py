"""Sampling and grading at the same time: answers are judged while the policy still writes others.

    driver thread                          grading threads (bench.workers)
    ─────────────                          ───────────────────────────────
    policy.sample ── answer ── submit ───► run_attempt: judge, pay
          ▲                                        │
          └──── take what is judged ◄──────────────┘

    | loop     | consumes | produces | waits for                | unblocked by              |
    |----------|----------|----------|--------------------------|---------------------------|
    | driver   | jobs     | rollouts | the next answer, at the  | the sampler; a grading,   |
    |          |          |          | end the last gradings    | bounded by task limits    |
    | grading  | answers  | rollouts | the sandbox              | the task's limits         |

Only the driver thread calls the policy and the watch, so ledger and log have one owner. The
result is in key order and depends on neither the order nor the number of grading threads.
"""

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from posttrain.core.clock import Clock, SystemClock
from posttrain.core.errors import PolicyError
from posttrain.core.rollout import AttemptKey, Rollout, Turn
from posttrain.core.seeds import derive_seed
from posttrain.core.task import Message, Task
from posttrain.policy.protocol import Policy, SampleRequest, SamplingParams
from posttrain.rollout.attempt import AttemptSpec, Grade, Pay, run_attempt

__all__ = ["Bench", "Collected", "Job", "Sampling", "Watch", "collect", "plan_jobs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One attempt that is wanted."""

    key: AttemptKey
    task: Task
    sample_seed: int
    grade_seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sampling:
    """How answers are drawn, and how each one is begun."""

    params: SamplingParams
    prefill: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """Where answers are judged: the judge's call, how many at a time, tries per attempt."""

    grade: Grade
    workers: int = 2
    max_tries: int = 3


class Watch(Protocol):
    """Is told what happens; called by the driver thread only."""

    def sampled(self, job: Job, turn: Turn) -> None:
        """The policy finished the answer of ``job``."""
        ...

    def judged(self, rollout: Rollout, num_grading: int) -> None:
        """A verdict is there; ``num_grading`` answers still wait for theirs."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """The judged attempts in key order, and where the time went."""

    rollouts: list[Rollout]
    sampling_s: float
    """Until the last answer."""
    waiting_s: float
    """From the last answer to the last verdict."""


def plan_jobs(
    tasks: Sequence[Task], *, run: str, step: int, attempts: int, seed: int, purpose: str = "sample"
) -> list[Job]:
    """``attempts`` jobs for each task, in order; seeds depend on the attempt's name alone.

    A task that occurs twice gets attempts with higher indices the second time: a second group.
    """
    jobs = []
    used: dict[str, int] = {}
    for task in tasks:
        first = used.get(task.id, 0)
        used[task.id] = first + attempts
        for index in range(first, first + attempts):
            jobs.append(
                Job(
                    key=AttemptKey(run, step, task.id, index),
                    task=task,
                    sample_seed=derive_seed(seed, purpose, step, task.id, index),
                    grade_seed=derive_seed(seed, "grade", step, task.id, index),
                )
            )
    return jobs


def collect(
    jobs: Sequence[Job],
    *,
    policy: Policy,
    sampling: Sampling,
    bench: Bench,
    pay: Pay,
    watch: Watch,
    clock: Clock | None = None,
) -> Collected:
    """Sample and judge every job; raises ``PolicyError`` when an answer is missing or unasked."""
    clock = clock or SystemClock()
    version = policy.version
    started_s = clock.monotonic_s()
    rollouts: list[Rollout] = []
    waiting: set[Future[Rollout]] = set()
    answered: set[int] = set()
    pool = ThreadPoolExecutor(max_workers=bench.workers, thread_name_prefix="grading")
    try:
        for number, turn in policy.sample(_requests(jobs, policy, sampling), sampling.params):
            _check_new(number, answered, len(jobs))
            spec = _spec(jobs[number], turn, version, sampling, bench)
            watch.sampled(jobs[number], turn)
            waiting.add(pool.submit(run_attempt, spec, bench.grade, pay))
            waiting = _take(waiting, rollouts, watch, timeout_s=0.0)
        sampled_s = clock.monotonic_s()
        if len(answered) != len(jobs) or policy.version != version:
            raise PolicyError(
                f"policy {policy.name!r} gave {len(answered)} of {len(jobs)} answers, version "
                f"{version} at the begin and {policy.version} at the end; the batch is not usable"
            )
        while waiting:
            waiting = _take(waiting, rollouts, watch, timeout_s=None)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return Collected(
        rollouts=sorted(rollouts, key=lambda rollout: rollout.key),
        sampling_s=sampled_s - started_s,
        waiting_s=clock.monotonic_s() - sampled_s,
    )


def _requests(jobs: Sequence[Job], policy: Policy, sampling: Sampling) -> list[SampleRequest]:
    prompts: dict[tuple[Message, ...], tuple[int, ...]] = {}
    for job in jobs:
        if job.task.prompt not in prompts:
            prompts[job.task.prompt] = policy.encode(job.task.prompt, sampling.prefill)
    return [
        SampleRequest(
            prompt_ids=prompts[job.task.prompt], seed=job.sample_seed, prefill=sampling.prefill
        )
        for job in jobs
    ]


def _spec(job: Job, turn: Turn, version: int, sampling: Sampling, bench: Bench) -> AttemptSpec:
    return AttemptSpec(
        key=job.key,
        task=job.task,
        turn=turn,
        policy_version=version,
        temperature=sampling.params.temperature,
        seed=job.grade_seed,
        max_tries=bench.max_tries,
    )


def _check_new(number: int, answered: set[int], num_jobs: int) -> None:
    if number in answered or not 0 <= number < num_jobs:
        raise PolicyError(
            f"the sampler gave an answer numbered {number}, which was not asked for or came before"
        )
    answered.add(number)


def _take(
    waiting: set[Future[Rollout]],
    rollouts: list[Rollout],
    watch: Watch,
    *,
    timeout_s: float | None,
) -> set[Future[Rollout]]:
    done, rest = wait(waiting, timeout=timeout_s, return_when=FIRST_COMPLETED)
    for future in done:
        rollout = future.result()
        rollouts.append(rollout)
        watch.judged(rollout, len(rest))
    return rest
