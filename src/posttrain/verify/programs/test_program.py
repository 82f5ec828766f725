"""Run a task's own test programs, with a stand-in for the candidate's function.

    test_program ── calls ──► candidate's process      (isolated: two descriptors)
         └── results ──► driver                        (a descriptor the candidate never holds)

Where a task's values cannot travel (trust ``shared``) the candidate's code is loaded here, after
the result channel is open; such a verdict says so. Tests are data of the driver's: in the payload,
never in a file.
"""

from collections.abc import Callable, Iterator
from typing import Any

from posttrain.verify.programs.asking import Candidate
from posttrain.verify.programs.channel import Channel
from posttrain.verify.programs.compare import Rules
from posttrain.verify.programs.frame import Tree, dump, load
from posttrain.verify.programs.program_test import ProgramTest, run_program
from posttrain.verify.programs.result import Ending
from posttrain.verify.programs.running import Case, run_case, run_tests
from posttrain.verify.programs.shared_candidate import run_shared
from posttrain.verify.programs.unpack import unpack

__all__ = ["main"]


def consult() -> None:
    """Replaced by the sandbox's loader: reports that candidate code starts."""


def main(payload: bytes, fds: tuple[int, ...]) -> None:
    """Answer ``[result, detail]`` for each test, then ``["end"]``."""
    job = load(payload)
    verdict = Channel(fds[0])
    for result, detail in _results(job, fds):
        verdict.send(dump([result.value, detail]))
    verdict.send(dump(["end"]))


def _results(job: dict[str, Any], fds: tuple[int, ...]) -> Iterator[Ending]:
    rules = Rules(*job["rules"])
    tests = [_read_test(tree, job["entry_point"]) for tree in job["tests"]]
    if job["code"] is not None:
        consult()
        yield from run_shared(job["code"], job["entry_point"], tests, rules, job["forbid"])
        return
    candidate = Candidate(Channel(fds[1]))
    yield from run_tests(candidate, [_bound(test, rules) for test in tests])


def _read_test(tree: Tree, entry_point: str) -> Case | ProgramTest:
    if tree[0] == "program":
        return ProgramTest(source=tree[1], entry_point=entry_point)
    return Case(*(unpack(part) for part in tree[1:]))


def _bound(test: Case | ProgramTest, rules: Rules) -> Callable[[Candidate], Ending]:
    if isinstance(test, ProgramTest):
        return lambda candidate: run_program(candidate, test)
    return lambda candidate: run_case(candidate, test, rules)
