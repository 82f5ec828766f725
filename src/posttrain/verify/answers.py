"""Get an answer to every test of a ``function`` task, by the cheapest way that its tests allow.

Where the driver itself can judge all tests (cases, plain asserts), one sandboxed process is
enough; a single test that needs its program run moves all of them to a test process, so that they
stay in one order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from posttrain.core.execution import ExecResult
from posttrain.core.task import Task, Trust
from posttrain.sandbox.protocol import Sandbox
from posttrain.verify.fault import InfraFaultError, TaskFaultError, UnexplainedError
from posttrain.verify.plain_asserts import read_plain_asserts, run_plain_asserts
from posttrain.verify.programs.asking import Candidate
from posttrain.verify.programs.channel import Channel, GoneError
from posttrain.verify.programs.compare import Rules
from posttrain.verify.programs.frame import MalformedError, RefusedError, Tree, load
from posttrain.verify.programs.pack import pack
from posttrain.verify.programs.program_test import ProgramTest
from posttrain.verify.programs.result import Ending, Result
from posttrain.verify.programs.running import Case, Run, run_case, run_tests
from posttrain.verify.session import joined, joined_pair, running_candidate, running_tests

__all__ = ["Answers", "FunctionTest", "answer_tests"]

FunctionTest = Case | ProgramTest


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """Results in the order of asking, fewer than tests when something ended early."""

    results: tuple[Ending, ...]
    candidate: ExecResult
    tests: ExecResult | None = None
    """The test process, where there was one of its own."""
    is_complete: bool = True
    """False when the test process ended before it said that it had finished."""


def answer_tests(
    sandbox: Sandbox, task: Task, tests: Sequence[FunctionTest], *, code: str, seed: int
) -> Answers:
    """Run the candidate against ``tests``, in this order.

    Raises:
        InfraFaultError: a sandbox failed, through no fault of the candidate.
        TaskFaultError: a test holds a value that cannot travel.
    """
    rules = Rules(task.verifier.atol, task.verifier.rtol, task.verifier.unordered)
    try:
        if task.verifier.trust is Trust.SHARED:
            return _in_one_process(sandbox, task, _job(task, tests, rules, code))
        runs = [_direct_run(test, rules) for test in tests]
        direct = [run for run in runs if run is not None]
        if len(direct) == len(runs):
            return _directly(sandbox, task, direct, code, seed)
        return _through_test_process(sandbox, task, _job(task, tests, rules, None), code, seed)
    except RefusedError as error:
        raise TaskFaultError(f"a test cannot travel to its process: {error}") from error
    except BlockingIOError as error:
        raise InfraFaultError("a sandbox did not end at its wall time") from error


def _direct_run(test: FunctionTest, rules: Rules) -> Run | None:
    if isinstance(test, Case):
        return lambda candidate: run_case(candidate, test, rules)
    asserts = read_plain_asserts(test)
    if asserts is None:
        return None
    return lambda candidate: run_plain_asserts(candidate, asserts)


def _job(
    task: Task, tests: Sequence[FunctionTest], rules: Rules, code: str | None
) -> dict[str, Tree]:
    return {
        "entry_point": task.verifier.entry_point or "",
        "rules": list(rules),
        "tests": [_test_tree(test) for test in tests],
        "code": code,
        "forbid": list(task.verifier.options.get("forbid", ())),
    }


def _test_tree(test: FunctionTest) -> Tree:
    if isinstance(test, ProgramTest):
        return ["program", test.source]
    return ["case", *map(pack, test)]


def _directly(sandbox: Sandbox, task: Task, runs: Sequence[Run], code: str, seed: int) -> Answers:
    with joined(task.limits) as (channel, end):
        host = running_candidate(
            sandbox,
            task.limits,
            code=code,
            verifier=task.verifier,
            seed=seed,
            end=end,
        )
        with host as process:
            results = tuple(run_tests(Candidate(channel), runs))
            channel.close()
            return Answers(results=results, candidate=process.wait())


def _through_test_process(
    sandbox: Sandbox, task: Task, job: dict[str, Tree], code: str, seed: int
) -> Answers:
    with joined(task.limits) as (verdict, verdict_end), joined_pair() as (asking, answering):
        host = running_candidate(
            sandbox,
            task.limits,
            code=code,
            verifier=task.verifier,
            seed=seed,
            end=answering,
        )
        ends = (verdict_end, asking)
        with host as candidate:
            with running_tests(sandbox, task.limits, job=job, ends=ends) as tests:
                results, is_complete = _read_results(verdict, job)
                tests_exec = tests.wait()
            return Answers(
                results=results,
                candidate=candidate.wait(),
                tests=tests_exec,
                is_complete=is_complete,
            )


def _in_one_process(sandbox: Sandbox, task: Task, job: dict[str, Tree]) -> Answers:
    with joined(task.limits) as (verdict, verdict_end):
        both = running_tests(sandbox, task.limits, job=job, ends=(verdict_end,))
        with both as process:
            results, is_complete = _read_results(verdict, job)
            return Answers(results=results, candidate=process.wait(), is_complete=is_complete)


def _read_results(verdict: Channel, job: dict[str, Tree]) -> tuple[tuple[Ending, ...], bool]:
    """Results up to the end, and whether the end was announced.

    Only a candidate that shares the test process (trust ``shared``) could write here what that
    process does not; from an isolated one such a frame is a fault of ours.
    """
    results: list[Ending] = []
    try:
        while True:
            frame = load(verdict.receive())
            if frame == ["end"]:
                return tuple(results), True
            results.append(_read_ending(frame, room=len(job["tests"]) - len(results)))
    except GoneError:
        return tuple(results), False
    except MalformedError as error:
        if job["code"] is None:
            raise UnexplainedError(f"the test process sent {error}") from error
        return (*results, Ending(Result.FORGED, str(error))), True


def _read_ending(frame: Tree, room: int) -> Ending:
    match frame:
        case [str(result), str(detail)] if result in list(Result):
            if room > 0 or result == Result.FORGED:
                return Ending(Result(result), detail)
    raise MalformedError("a result of no known form")
