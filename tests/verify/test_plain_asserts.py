from typing import Any

import pytest

from posttrain.verify.plain_asserts import read_plain_asserts
from posttrain.verify.programs.program_test import ProgramTest


def read(source: str) -> Any:
    return read_plain_asserts(ProgramTest(source, "f"))


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


def test_arithmetic_and_pure_builtins_are_computed_as_python_does():
    near, product, same = read(
        "assert abs(f([1]) - 2 / 3) < 1e-6\n"
        "assert f(3 * 19) == (3 + 5, 3 * 5)\n"
        "assert sorted(f()) == [1, 2]"
    )
    assert near.holds(0.6666667) and not near.holds(0.67)
    assert product.args == [57] and product.holds((8, 15))
    assert same.holds((2, 1)) and not same.holds([2])


def test_arithmetic_on_an_answer_that_is_no_number_is_refused_like_a_wrong_type():
    (one,) = read("assert f() * 1000 == 2")
    with pytest.raises(TypeError):
        one.holds([0] * 1000)


@pytest.mark.parametrize(
    "source",
    [
        "abs = len\nassert abs(f(1)) == 1",
        "assert pow(f(1), 2) == 1",
        "assert f(1).upper() == 'A'",
        "assert [f(1), 2] == [1, 2]",
        "assert f(1 / 0) == 1",
        "assert 0 < f(1) < 2",
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
