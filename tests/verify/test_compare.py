import math
from collections import Counter, OrderedDict
from typing import Any

import pytest

from posttrain.verify.programs.compare import Match, Rules, compare

EXACT = Rules()
CLOSE = Rules(atol=1e-6)


@pytest.mark.parametrize(
    ("expect", "actual"),
    [
        (1, True),
        (3, 3.0),
        ([1, 2], (1, 2)),
        ([1, [2, 3]], [1, [2, 3.0]]),
        ({"a": 1}, {"a": True}),
        ({1, 2}, {1.0, 2}),
        ({1: "a"}, OrderedDict({1: "a"})),
        (0, None),
        ("1", 1),
        ({"a": 1}, Counter(a=1)),
    ],
)
def test_equal_values_of_another_type_differ_by_type(expect: Any, actual: Any) -> None:
    assert compare(expect, actual, EXACT) is Match.TYPE_DIFFERS


@pytest.mark.parametrize(
    ("expect", "actual"),
    [
        ([3, 1], [3]),
        ([3, 1], []),
        ([], [0]),
        ([1, 2], [2, 1]),
        ({1: 2}, {1: 3}),
        ({1: 2}, {}),
        ({1: 2}, {True: 2}),
        ("YES NO YES", "NO YES YES"),
        (2**53 + 1, 2**53),
        (1.0, math.nan),
        (math.inf, -math.inf),
        (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)),
    ],
)
def test_wrong_values_of_the_right_type_differ_by_value(expect: Any, actual: Any) -> None:
    assert compare(expect, actual, EXACT) is Match.VALUE_DIFFERS


def test_nan_equals_nan_and_zero_equals_minus_zero() -> None:
    assert compare([math.nan, 0.0], [math.nan, -0.0], EXACT) is Match.EQUAL


def test_a_tolerance_accepts_near_numbers_and_no_others() -> None:
    assert compare([1.0, 2.0], [1.0000005, 2.0], CLOSE) is Match.EQUAL
    assert compare([1.0, 2.0], [1.00001, 2.0], CLOSE) is Match.VALUE_DIFFERS
    assert compare(100.0, 101.0, Rules(rtol=0.02)) is Match.EQUAL


@pytest.mark.parametrize("actual", [math.nan, math.inf, -math.inf])
def test_a_tolerance_never_accepts_what_is_not_finite(actual: float) -> None:
    assert compare(1.0, actual, Rules(atol=1e300, rtol=10)) is Match.VALUE_DIFFERS
    assert compare(math.inf, 1.0, Rules(rtol=1.0)) is Match.VALUE_DIFFERS


def test_unordered_compares_items_with_their_number_in_the_outermost_list_only() -> None:
    rules = Rules(unordered=True)
    assert compare([1, 2, 2], [2, 1, 2], rules) is Match.EQUAL
    assert compare([1, 2, 2], [2, 1, 1], rules) is Match.VALUE_DIFFERS
    assert compare([[1, 2]], [[2, 1]], rules) is Match.VALUE_DIFFERS
    assert compare([1, True], [True, 1], rules) is Match.EQUAL
    assert compare([1, 1], [True, 1], rules) is Match.VALUE_DIFFERS


def test_unordered_with_a_tolerance_pairs_items_that_do_not_sort() -> None:
    rules = Rules(atol=0.1, unordered=True)
    assert compare([1.0, 2.0], [2.05, 1.05], rules) is Match.EQUAL
    assert compare([None, 1.0], [1.05, None], rules) is Match.EQUAL
    assert compare([None, 1.0], [1.5, None], rules) is Match.VALUE_DIFFERS
