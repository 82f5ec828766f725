"""Verdicts on ``function`` tasks, from real sandboxed runs."""

from typing import Any

import pytest

from posttrain.core.task import GeneratorSpec, Limits
from posttrain.core.verdict import FailureKind, Status, TestCount, Validity

ADD = "def f(a, b):\n    return a + b\n"


def case(*args: Any, expect: Any) -> dict[str, Any]:
    return {"args": list(args), "expect": expect}


def failure_of(verdict: Any) -> tuple[FailureKind, str]:
    assert verdict.status is Status.FAILED and verdict.validity is Validity.VALID
    assert verdict.failure is not None
    return verdict.failure.kind, verdict.failure.detail


@pytest.fixture
def adding(make_task):
    return make_task(
        verifier={
            "visible": (case(1, 2, expect=3),),
            "hidden": (case("a", "b", expect="ab"), case(0.5, 1, expect=1.5)),
        }
    )


def test_a_right_answer_passes_with_every_test_counted(judge, adding):
    verdict = judge.grade(adding, ADD, seed=1)
    assert verdict.passed and verdict.failure is None
    assert verdict.tests.visible == TestCount(passed=1, total=1)
    assert verdict.tests.hidden == TestCount(passed=2, total=2)
    assert verdict.exec.consulted


def test_the_first_wrong_test_in_the_tasks_order_names_the_failure(judge, adding):
    code = "def f(a, b):\n    return a + b if isinstance(a, int) else 'no'\n"
    for seed in range(4):
        verdict = judge.grade(adding, code, seed=seed)
        assert failure_of(verdict) == (FailureKind.WRONG_ANSWER, "hidden test 0")
        assert verdict.tests.passed == 1


@pytest.mark.parametrize(
    ("code", "kind", "detail"),
    [
        ("def f(a, b:", FailureKind.SYNTAX, "SyntaxError at line 1"),
        ("def g(a, b): return 1", FailureKind.TARGET, "f is not defined"),
        ("f = 3", FailureKind.TARGET, "f is not callable"),
        ("import nothing_like_this", FailureKind.EXCEPTION, "ModuleNotFoundError at line 1"),
        ("import os\nos._exit(3)", FailureKind.EXIT, "left with status 3"),
        ("raise SystemExit('bye')", FailureKind.EXIT, "left with status 1"),
        ("quit(2)", FailureKind.EXIT, "left with status 2"),
        ("import os\nos.kill(os.getpid(), 11)", FailureKind.CRASH, "SIGSEGV"),
    ],
)
def test_code_that_cannot_be_called_fails_by_its_kind(judge, adding, code, kind, detail):
    verdict = judge.grade(adding, code + "\n", seed=1)
    assert failure_of(verdict) == (kind, detail)
    assert verdict.tests.passed == 0


@pytest.mark.parametrize(
    ("body", "kind", "detail"),
    [
        ("return [][1]", FailureKind.EXCEPTION, ": IndexError at line 2"),
        ("raise KeyboardInterrupt", FailureKind.EXCEPTION, ": KeyboardInterrupt at line 2"),
        ("return None", FailureKind.WRONG_TYPE, ""),
        ("return map(str, [a])", FailureKind.WRONG_TYPE, ": map"),
        ("return [0] * 2_000_000", FailureKind.OUTPUT, ": more than 1500000 items"),
    ],
)
def test_a_call_that_goes_wrong_fails_by_its_kind(judge, adding, body, kind, detail):
    verdict = judge.grade(adding, f"def f(a, b):\n    {body}\n", seed=1)
    assert failure_of(verdict) == (kind, "visible test 0" + detail)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("while True: pass", FailureKind.TIMEOUT),
        ("import time\ntime.sleep(30)", FailureKind.TIMEOUT),
        ("print('x' * 4_000_000, flush=True)", FailureKind.OUTPUT),
        ("x = bytearray(300_000_000)", FailureKind.MEMORY),
    ],
)
def test_a_limit_that_is_hit_is_the_candidates_failure(judge, adding, make_task, code, kind):
    limits = Limits(wall_s=1, cpu_s=0.5, memory_bytes=100_000_000)
    task = make_task(verifier={"visible": adding.verifier.visible}, limits=limits)
    assert failure_of(judge.grade(task, code + "\n" + ADD, seed=1))[0] is kind


def test_no_code_in_the_answer_is_a_format_failure_that_ran_nothing(judge, adding):
    verdict = judge.grade(adding, None, seed=1)
    assert failure_of(verdict)[0] is FailureKind.FORMAT
    assert verdict.tests.total == 3 and not verdict.exec.consulted


def test_exit_with_status_0_while_answers_are_owed_fails_and_is_suspicious(judge, adding):
    verdict = judge.grade(adding, "import sys\ndef f(a, b):\n    sys.exit(0)\n", seed=1)
    assert failure_of(verdict) == (FailureKind.EXIT, "left with status 0 before answering")
    assert "early_exit" in [finding.kind for finding in verdict.suspicion]
    assert verdict.tamper == ()


def test_answers_given_before_the_end_count_towards_the_share(judge, make_task):
    cases = tuple(case(n, expect=n) for n in range(10))
    code = """\
calls = []
def f(n):
    calls.append(n)
    if len(calls) > 6:
        exit()
    return n
"""
    verdict = judge.grade(make_task(verifier={"visible": cases}), code, seed=1)
    assert failure_of(verdict)[0] is FailureKind.EXIT
    assert verdict.tests.passed == 6


def test_the_order_of_asking_is_drawn_anew_for_each_seed_and_mixes_phases(judge, make_task):
    task = make_task(
        verifier={
            "visible": tuple(case(n, expect=n) for n in range(8)),
            "hidden": tuple(case(n, expect=n) for n in range(8, 16)),
        }
    )
    code = "def f(n):\n    print(n)\n    return n\n"
    orders = [judge.grade(task, code, seed=seed).exec.stdout.split() for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(map(int, orders[0])) == list(range(16))
    assert max(map(int, orders[0][:8])) > 7


def test_fresh_tests_come_from_the_tasks_generator_and_change_with_the_seed(judge, make_task):
    parameters = {"family": "affine", "a": 8, "b": 5}
    generator = GeneratorSpec(ref="posttrain.tasks.basics:fresh_cases", parameters=parameters, n=5)
    task = make_task(verifier={"visible": (case(1, expect=13),)}, generator=generator)
    code = "def f(n):\n    print(n)\n    return 8 * n + 5\n"
    first, second = (judge.grade(task, code, seed=seed) for seed in (1, 2))
    assert first.passed and second.passed
    assert first.tests.fresh == TestCount(passed=5, total=5)
    assert sorted(first.exec.stdout.split()) != sorted(second.exec.stdout.split())


def test_what_one_test_changed_does_not_reach_the_next(judge, make_task):
    code = "def f(xs):\n    xs.append(1)\n    return len(xs)\n"
    shared = [0]
    cases = tuple({"args": [shared], "expect": 2} for _ in range(3))
    assert judge.grade(make_task(verifier={"visible": cases}), code, seed=1).passed


def test_keyword_arguments_and_encoded_values_reach_the_candidate(judge, make_task):
    test = {
        "args": [{"$t": "tuple", "v": [1, 2]}],
        "kwargs": {"key": {"$t": "set", "v": [3]}},
        "expect": {"$t": "dict", "v": [[1, {"$t": "tuple", "v": [2, 3]}]]},
    }
    code = "def f(pair, *, key):\n    return {pair[0]: (pair[1], *key)}\n"
    assert judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1).passed


def test_dataclasses_and_threads_work_in_a_candidate(judge, make_task):
    code = """\
from dataclasses import dataclass
from concurrent.futures import ThreadPoolExecutor

@dataclass
class Pair:
    a: int
    b: int

def f(a):
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda pair: pair.a * pair.b, [Pair(a, 2), Pair(a, 3)]))
"""
    task = make_task(verifier={"visible": (case(2, expect=10),)})
    assert judge.grade(task, code, seed=1).passed


def test_a_forked_child_cannot_answer_in_its_parents_place(judge, make_task):
    code = """\
import os
def f(n):
    if os.fork():
        os.wait()
        return n
    return n + 1
"""
    task = make_task(verifier={"visible": tuple(case(n, expect=n) for n in range(3))})
    verdict = judge.grade(task, code, seed=1)
    assert verdict.passed and verdict.tamper == ()


def test_expected_values_of_the_reference_are_compared_like_any_other(judge, make_task):
    tests = tuple({"args": [n], "oracle": "reference"} for n in range(3))
    task = make_task(verifier={"hidden": tests}, reference="def f(n):\n    return [n, n / 2]\n")
    assert judge.grade(task, "def f(n):\n    return [n, n * 0.5]\n", seed=1).passed
    verdict = judge.grade(task, "def f(n):\n    return [n, n // 2]\n", seed=1)
    assert failure_of(verdict)[0] is FailureKind.WRONG_TYPE


def test_equal_seeds_give_equal_verdicts_also_where_the_candidate_draws(judge, make_task):
    task = make_task(verifier={"visible": tuple(case(n, expect=0) for n in range(20))})
    code = "import random\ndef f(n):\n    return random.randrange(2)\n"
    shares = [judge.grade(task, code, seed=seed).tests.passed for seed in (5, 5)]
    assert shares[0] == shares[1]
