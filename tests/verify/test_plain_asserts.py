from typing import Any

import pytest

from posttrain.verify.literal_asserts import read_literal_asserts
from posttrain.verify.programs.program_test import ProgramTest


def read(source: str) -> Any:
    return read_literal_asserts(ProgramTest(source, "f"))


def test_asserts_on_literals_are_read_with_arguments_and_operator() -> None:
    one, two = read(
        "def check(candidate):\n    assert candidate([1], k=2) == (3,)\n    assert 4 < f()"
    )
    assert (one.args, one.kwargs) == ([[1]], {"k": 2})
    assert one.holds((3,)) and not one.holds([3])
    assert two.holds(5) and not two.holds(4)


def test_truth_negation_and_singletons_are_read() -> None:
    yes, no, none = read("assert f(1)\nassert not f(2)\nassert f(3) is None")
    assert yes.holds([0]) and not yes.holds([])
    assert no.holds("") and not no.holds("a")
    assert none.holds(None) and not none.holds(0)


def test_the_operator_is_the_programs_own_and_not_a_comparison_on_types() -> None:
    (one,) = read("assert f() == 3")
    assert one.holds(3.0)


@pytest.mark.parametrize(
    "source",
    [
        "assert abs(f(1) - 2) < 1e-6",
        "assert f(x) == 1",
        "assert f(1) == f(2)",
        "assert f(*[1]) == 1",
        "assert f(**{'a': 1}) == 1",
        "assert f(1) == 1 == 1",
        "assert f(1) is 1000",
        "x = [1]\nassert f(x) == 1",
        "for n in range(3):\n    assert f(n) == n",
        "f = abs\nassert f(1) == 1",
        "def f(x):\n    return x\nassert f(1) == 1",
        "from other import f\nassert f(1) == 1",
        "from other import *\nassert f(1) == 1",
        "print(f(1))\nassert f(1) == 1",
        "def check(c):\n    assert c(1) == 1",
        "@decorated\ndef g(): pass\nassert f(1) == 1",
    ],
)
def test_whatever_needs_running_is_left_to_the_test_process(source: str) -> None:
    assert read(source) is None
