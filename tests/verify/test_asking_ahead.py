"""Calls asked ahead end like calls asked one by one."""

from typing import Any

import pytest

from posttrain.core.verdict import FailureKind

CHECK = "def check(candidate):\n    assert candidate(1) == 1\n    assert candidate(2) == 2\n"


def cases(*pairs: tuple[Any, Any]) -> tuple[dict[str, Any], ...]:
    return tuple({"args": [arg], "expect": expect} for arg, expect in pairs)


def test_a_program_that_failed_costs_the_tests_after_it_nothing(judge, make_task):
    verifier = {"hidden": ({"program": CHECK}, *cases((3, 3), (4, 4)))}
    verdict = judge.grade(
        make_task(verifier=verifier), "def f(n):\n    return n if n != 1 else 9\n", seed=3
    )
    assert verdict.failure.kind is FailureKind.WRONG_ANSWER
    assert (verdict.tests.hidden.passed, verdict.tests.hidden.total) == (2, 3)


def test_replies_before_an_exit_count_and_later_ones_are_owed(judge, make_task):
    code = "import os\ndef f(n):\n    if n == 2:\n        os._exit(0)\n    return n\n"
    task = make_task(verifier={"hidden": ({"program": CHECK},)})
    verdict = judge.grade(task, code, seed=1)
    assert verdict.failure.kind is FailureKind.EXIT
    assert [finding.kind for finding in verdict.suspicion if finding.kind == "early_exit"]


@pytest.mark.parametrize("size", [10, 40_000, 300_000])
def test_arguments_and_answers_of_any_size_pass_in_both_directions(judge, make_task, size):
    texts = [str(n) * size for n in range(4)]
    verifier = {"hidden": cases(*((text, [text]) for text in texts))}
    verdict = judge.grade(make_task(verifier=verifier), "def f(t):\n    return [t]\n", seed=1)
    assert verdict.passed


def test_large_answers_to_small_arguments_do_not_block_the_candidate(judge, make_task):
    verifier = {"hidden": cases(*((n, str(n) * 200_000) for n in range(8)))}
    verdict = judge.grade(
        make_task(verifier=verifier), "def f(n):\n    return str(n) * 200_000\n", seed=1
    )
    assert verdict.passed


def test_a_frame_written_after_a_failed_program_is_still_noticed(judge, make_task):
    code = (
        "import os\n"
        "def f(n):\n"
        "    if n == 2:\n"
        "        for fd in range(3, 10):\n"
        "            try:\n"
        "                os.write(fd, b'\\0\\0\\0\\2[]')\n"
        "            except OSError:\n"
        "                pass\n"
        "    return 9\n"
    )
    task = make_task(verifier={"hidden": ({"program": CHECK},)})
    assert judge.grade(task, code, seed=1).failure.kind is FailureKind.TAMPER
