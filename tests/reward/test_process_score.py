import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.reward.process import CHECKS, MAX_CODE_CHARS, process_score

TIDY = '''"""Solve the task."""
import math

LIMIT = 10


def area(radius):
    squared = radius * radius
    return min(LIMIT, math.pi * squared)


if __name__ == "__main__":
    area(2)
'''
ONE_LOST = 1 - 1 / len(CHECKS)


def test_tidy_code_scores_one():
    assert process_score(TIDY) == 1.0


@pytest.mark.parametrize("code", [None, "", "# only a remark\n", "def f(:\n", "a\0b", "(" * 5000])
def test_code_that_is_missing_or_does_not_parse_scores_zero(code):
    assert process_score(code) == 0.0


def test_code_of_absurd_length_scores_zero_unread():
    assert process_score("x = 1\n" * MAX_CODE_CHARS) == 0.0


@pytest.mark.parametrize(
    "flaw",
    [
        "def f(x):\n    return x\n\nf(3)\n",
        "def f(x):\n    print(x)\n    return x\n",
        "def f(x):\n    return x\n\n\ndef g(x):\n    assert x\n",
        "import os\n\n\ndef f(x):\n    return x\n",
        "from math import *\n\n\ndef f(x):\n    return x\n",
        "def f(x):\n    y = 3\n    return x\n",
        "def f(x):\n    return x\n    x += 1\n",
        "def f(x):\n    try:\n        return x\n    except:\n        return 0\n",
        "def f(x=[]):\n    return x\n",
        "def f(x):\n    return x == None\n",
        "def f(x):\n    sum = x\n    return sum\n",
        "def f(x):\n    return x  \n",
        "def f(x):\n    return x  #" + "-" * 90 + "\n",
        "def f(x):\n"
        + "".join(f"{'    ' * depth}if x > {depth}:\n" for depth in range(1, 7))
        + "    " * 7
        + "return x\n",
    ],
)
def test_each_flaw_costs_exactly_one_check(flaw):
    assert process_score(flaw) == pytest.approx(ONE_LOST)


@pytest.mark.parametrize(
    "code",
    [
        "n = int(input())\nprint(n * 2)\n",
        "import sys\n\nfor line in sys.stdin:\n    print(line.strip())\n",
        "print(open(0).read().upper())\n",
    ],
)
def test_a_program_that_reads_standard_input_may_print_from_its_top_level(code):
    assert process_score(code) == 1.0


def test_long_chains_of_elif_count_as_one_level():
    chain = "".join(f"    elif x == {n}:\n        return {n}\n" for n in range(60))
    assert process_score("def f(x):\n    if x < 0:\n        return 0\n" + chain) == 1.0


def test_reading_code_prints_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert process_score('def f(x):\n    return x + "\\d"\n') == 1.0


def test_a_typical_solution_is_scored_within_a_millisecond():
    best_s = min(_duration_s() for _ in range(30))
    assert best_s < 1e-3


def _duration_s() -> float:
    begin = time.perf_counter()
    process_score(TIDY)
    return time.perf_counter() - begin


@given(st.text(max_size=200))
def test_any_text_scores_between_zero_and_one(text):
    assert 0.0 <= process_score(text) <= 1.0
