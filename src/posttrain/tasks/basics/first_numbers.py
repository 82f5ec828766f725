"""First families on numbers: one operator, one constant."""

import random
from typing import Any

from posttrain.tasks.basics.family import Family, Parameters, grid

__all__ = ["FAMILIES"]


def _number(rng: random.Random, _: Parameters) -> tuple[int]:
    return (rng.randint(0, 60),)


def _around(rng: random.Random, p: Parameters) -> tuple[int]:
    return (p["k"] + rng.choice((-1, 0, 1, rng.randint(-15, 25))),)


def _multiple_or_not(rng: random.Random, p: Parameters) -> tuple[int]:
    return (p["k"] * rng.randint(0, 12) + rng.choice((0, 0, 1, rng.randint(0, p["k"]))),)


def _two(rng: random.Random, _: Parameters) -> tuple[Any, ...]:
    return (rng.randint(-9, 30), rng.randint(-9, 30))


FAMILIES = (
    Family(
        name="add_constant",
        topic="numbers",
        arguments="n",
        function_names=("add_{k}", "plus_{k}", "increase_by_{k}"),
        choices=grid(k=range(2, 60)),
        train_statements=("returns `n` plus {k}", "adds {k} to `n`", "increases `n` by {k}"),
        eval_statements=("returns the sum of `n` and {k}", "returns {k} more than `n`"),
        body="return n + {k}",
        draw=_number,
        difficulty=0.55,
    ),
    Family(
        name="multiply_by",
        topic="numbers",
        arguments="n",
        function_names=("multiply_by_{k}", "times_{k}"),
        choices=grid(k=range(4, 52)),
        train_statements=("multiplies `n` by {k}", "returns {k} times `n`"),
        eval_statements=("returns the product of `n` and {k}", "returns `n` multiplied by {k}"),
        body="return n * {k}",
        draw=_number,
        difficulty=0.2,
    ),
    Family(
        name="subtract_from",
        topic="numbers",
        arguments="n",
        function_names=("subtract_from_{k}", "difference_to_{k}"),
        choices=grid(k=range(10, 90)),
        train_statements=("subtracts `n` from {k}", "returns {k} minus `n`"),
        eval_statements=(
            "returns the result of {k} - `n`",
            "returns what is left of {k} after taking `n` away",
        ),
        body="return {k} - n",
        draw=_number,
        difficulty=0.8,
    ),
    Family(
        name="remainder",
        topic="numbers",
        arguments="n",
        function_names=("remainder_of_{k}", "modulo_{k}"),
        choices=grid(k=range(2, 30)),
        train_statements=(
            "returns the remainder of `n` divided by {k}",
            "returns `n` modulo {k}",
        ),
        eval_statements=(
            "divides `n` by {k} and returns the remainder",
            "returns what remains when `n` is divided by {k}",
        ),
        body="return n % {k}",
        draw=_number,
        difficulty=0.55,
    ),
    Family(
        name="power_of",
        topic="numbers",
        arguments="n",
        function_names=("power_of_{k}", "to_the_power_{k}"),
        choices=grid(k=range(4, 14)),
        train_statements=("returns `n` to the power of {k}", "raises `n` to the power {k}"),
        eval_statements=("returns `n` ** {k}", "returns the {k}. power of `n`"),
        body="return n ** {k}",
        draw=lambda rng, p: (rng.randint(0, 12),),
        difficulty=0.9,
    ),
    Family(
        name="is_greater",
        topic="numbers",
        arguments="n",
        function_names=("is_greater_than_{k}", "exceeds_{k}"),
        choices=grid(k=range(3, 80)),
        train_statements=(
            "returns True if `n` is greater than {k}, otherwise False",
            "checks whether `n` is greater than {k}",
        ),
        eval_statements=(
            "tells whether the number `n` is larger than {k}",
            "returns whether `n` is more than {k}",
        ),
        body="return n > {k}",
        draw=_around,
        difficulty=0.55,
    ),
    Family(
        name="is_multiple",
        topic="numbers",
        arguments="n",
        function_names=("is_multiple_of_{k}", "is_divisible_by_{k}"),
        choices=grid(k=(*range(3, 10), *range(11, 32))),
        train_statements=(
            "returns True if `n` is a multiple of {k}, otherwise False",
            "checks if `n` is divisible by {k}",
        ),
        eval_statements=(
            "tells whether {k} divides `n` without a remainder",
            "returns whether `n` can be divided by {k} evenly",
        ),
        body="return n % {k} == 0",
        draw=_multiple_or_not,
        difficulty=0.85,
    ),
    Family(
        name="larger_of",
        topic="numbers",
        arguments="n",
        function_names=("maximum_with_{k}", "at_least_{k}"),
        choices=grid(k=range(5, 60)),
        train_statements=(
            "returns the larger of `n` and {k}",
            "returns the maximum of `n` and {k}",
        ),
        eval_statements=(
            "returns whichever of `n` and {k} is greater",
            "compares `n` with {k} and returns the bigger one",
        ),
        body="return max(n, {k})",
        draw=_around,
        difficulty=0.93,
    ),
    Family(
        name="distance_to",
        topic="numbers",
        arguments="n",
        function_names=("distance_to_{k}", "absolute_difference_to_{k}"),
        choices=grid(k=range(3, 60)),
        train_statements=(
            "returns the absolute difference between `n` and {k}",
            "returns the distance from `n` to {k} on the number line",
        ),
        eval_statements=(
            "returns how far `n` is from {k}, as a positive number",
            "returns the absolute value of `n` minus {k}",
        ),
        body="return abs(n - {k})",
        draw=_around,
        difficulty=0.6,
    ),
    Family(
        name="sum_of_two",
        topic="numbers",
        arguments="a, b",
        function_names=("add_both_plus_{k}", "sum_plus_{k}"),
        choices=grid(k=range(2, 40)),
        train_statements=("returns `a` plus `b` plus {k}", "adds `a`, `b` and {k}"),
        eval_statements=(
            "returns the sum of `a`, `b` and {k}",
            "returns {k} more than the sum of `a` and `b`",
        ),
        body="return a + b + {k}",
        draw=_two,
        difficulty=0.93,
    ),
)
