"""Families with sequences and nested lists."""

import random
from typing import Any

from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

RECURRENCE = Family(
    name="recurrence",
    topic="recursion",
    arguments="n",
    function_names=("sequence", "term", "nth_term"),
    choices=grid(first=(0, 1, 2, 3), second=(1, 2, 5), a=(1, 2), b=(1, 2, 3)),
    train_statements=(
        "returns the n-th term of the sequence with t(0) = {first}, t(1) = {second} and "
        "t(n) = {a} * t(n - 1) + {b} * t(n - 2)",
        "returns {first} for n = 0, {second} for n = 1, and otherwise {a} times the result for "
        "n - 1 plus {b} times the result for n - 2",
    ),
    eval_statements=(
        "computes term number `n` of a sequence: term 0 is {first}, term 1 is {second}, each later "
        "term is {a} times the one before it plus {b} times the one before that",
        "returns s(n), where s(0) is {first}, s(1) is {second}, and s(n) is "
        "{a} * s(n - 1) + {b} * s(n - 2) from n = 2 on",
    ),
    body="""
previous, current = {first}, {second}
for _ in range(n):
    previous, current = current, {a} * current + {b} * previous
return previous
""",
    draw=lambda rng, p: (rng.randint(0, 17),),
    difficulty=0.5,
)

NESTED_TOTAL = Family(
    name="nested_total",
    topic="recursion",
    arguments="xs",
    function_names=("nested_sum", "deep_sum", "total"),
    choices=grid(plus=range(0, 18)),
    words=lambda p: {"more": f" plus {p['plus']}" if p["plus"] else ""},
    train_statements=(
        "returns the sum of all numbers in the nested list `xs`{more}",
        "adds up all numbers of `xs`, which may contain lists inside lists, and returns the "
        "sum{more}",
    ),
    eval_statements=(
        "sums the numbers at every level of the nested list `xs` and gives this sum{more}",
        "takes a list `xs` that can hold further lists and returns the total of all numbers in "
        "it{more}",
    ),
    body="""
def total(item):
    return sum(map(total, item)) if isinstance(item, list) else item
return total(xs) + {plus}
""",
    draw=lambda rng, p: (_nested(rng, depth=3),),
    difficulty=0.8,
)

NESTED_DEPTH = Family(
    name="nested_depth",
    topic="recursion",
    arguments="xs",
    function_names=("nested_depth", "max_depth", "depth"),
    choices=grid(plus=range(0, 18)),
    words=lambda p: {"more": f" plus {p['plus']}" if p["plus"] else ""},
    train_statements=(
        "returns how deeply lists are nested in `xs` (a flat list has depth 1){more}",
        "computes the nesting depth of the list `xs`, where [] and [1] have depth 1, and returns "
        "it{more}",
    ),
    eval_statements=(
        "finds the greatest number of lists around one place in the list `xs`, 1 for a flat list, "
        "and returns this number{more}",
        "takes a list `xs` and returns its number of levels, one for a list without lists "
        "inside{more}",
    ),
    body="""
def depth(item):
    return 1 + max(map(depth, item), default=0) if isinstance(item, list) else 0
return depth(xs) + {plus}
""",
    draw=lambda rng, p: (_nested(rng, depth=rng.randint(1, 4)),),
    difficulty=0.85,
)

COUNT_DOWN = Family(
    name="count_down",
    topic="recursion",
    arguments="n",
    function_names=("count_down", "countdown"),
    choices=grid(step=(1, 2, 3, 4, 5), last=(0, 1, 2, 3, 5)),
    train_statements=(
        "returns the list n, n - {step}, n - 2*{step} and so on, as long as the numbers are at "
        "least {last}",
        "counts down from `n` in steps of {step} to a list and stops before a number below {last}",
    ),
    eval_statements=(
        "returns a list that begins with `n` and goes down by {step} each time, with no number "
        "smaller than {last}",
        "lists the numbers from `n` downwards in steps of {step}, down to {last} at the lowest",
    ),
    body="return list(range(n, {last} - 1, -{step}))",
    draw=lambda rng, p: (rng.randint(p["last"] - 1, p["last"] + 18 + p["step"]),),
    difficulty=0.5,
)


def _nested(rng: random.Random, *, depth: int) -> list[Any]:
    """A list of up to three items, each a number or a list of less depth."""
    items: list[Any] = []
    for _ in range(rng.randint(0, 3)):
        is_list = depth > 1 and rng.random() < 0.6
        items.append(_nested(rng, depth=depth - 1) if is_list else rng.randint(0, 9))
    return items


FAMILIES = (RECURRENCE, NESTED_TOTAL, NESTED_DEPTH, COUNT_DOWN)
