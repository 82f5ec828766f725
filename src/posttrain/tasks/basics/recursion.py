"""Families with sequences and nested lists."""

import random
from typing import Any

from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

_SIGNS = {"plus": "+", "times": "*", "minus": "-"}

FACTORIAL = Family(
    name="factorial",
    topic="recursion",
    arguments="n",
    function_names=("factorial_{verb}_{k}",),
    choices=grid(verb=("plus", "times", "minus"), k=range(2, 10)),
    train_statements=(
        "returns the factorial of n {verb} {k}",
        "calculates the factorial of a number {verb} {k}",
        "computes 1 * 2 * ... * n and returns the result {verb} {k}",
    ),
    eval_statements=(
        "returns n! {verb} {k}, where n! is the factorial of n",
        "takes a number and returns its factorial {verb} {k}",
    ),
    body=lambda p: (
        "result = 1\nfor i in range(2, n + 1):\n    result *= i\n"
        f"return result {_SIGNS[p['verb']]} {p['k']}"
    ),
    draw=lambda rng, p: (rng.randint(0, 20),),
    difficulty=0.98,
)

SUM_FROM = Family(
    name="sum_from",
    topic="recursion",
    arguments="n",
    function_names=("{what}_from_{start}",),
    choices=grid(what=("sum", "squares"), start=range(1, 13)),
    words=lambda p: {"terms": "numbers" if p["what"] == "sum" else "squares of the numbers"},
    train_statements=(
        "returns the sum of the {terms} from {start} to n, including n",
        "adds up the {terms} from {start} to n",
    ),
    eval_statements=(
        "calculates the sum of all {terms} between {start} and n, both included",
        "sums the {terms} from {start} up to and including n",
    ),
    body=lambda p: (
        f"return sum({'i' if p['what'] == 'sum' else 'i * i'} for i in range({p['start']}, n + 1))"
    ),
    draw=lambda rng, p: (rng.randint(p["start"], p["start"] + 25),),
    difficulty=0.98,
)

COUNT_DOWN = Family(
    name="count_down",
    topic="recursion",
    arguments="n",
    function_names=("count_down_to_{last}", "countdown_to_{last}"),
    choices=grid(last=range(0, 12)),
    train_statements=(
        "returns the list of the numbers from n down to {last}",
        "counts down from n to {last} and returns the numbers as a list",
    ),
    eval_statements=(
        "returns a list that begins with n and goes down to {last}",
        "makes the list n, n - 1, and so on until {last}",
    ),
    body="return list(range(n, {last} - 1, -1))",
    draw=lambda rng, p: (rng.randint(p["last"], p["last"] + 20),),
    difficulty=0.98,
)

RECURRENCE = Family(
    name="recurrence",
    topic="recursion",
    arguments="n",
    function_names=("fibonacci_{first}_{second}", "sequence_{first}_{second}"),
    choices=grid(first=range(0, 6), second=range(1, 7)),
    train_statements=(
        "returns the n-th term of a sequence like Fibonacci's that starts with t(0) = {first} and "
        "t(1) = {second}, where each later term is the sum of the two before it",
        "returns {first} for n = 0, {second} for n = 1, and otherwise the sum of the results for "
        "n - 1 and n - 2",
    ),
    eval_statements=(
        "computes term n of a sequence: term 0 is {first}, term 1 is {second}, each later term is "
        "the sum of the two terms before it",
        "returns s(n), where s(0) is {first}, s(1) is {second}, and s(n) is s(n - 1) + s(n - 2)",
    ),
    body="""
previous, current = {first}, {second}
for _ in range(n):
    previous, current = current, previous + current
return previous
""",
    draw=lambda rng, p: (rng.randint(0, 18),),
    difficulty=0.98,
)

NESTED_TOTAL = Family(
    name="nested_total",
    topic="recursion",
    arguments="xs",
    function_names=("nested_sum_plus_{plus}", "deep_sum_plus_{plus}"),
    choices=grid(plus=range(1, 18)),
    train_statements=(
        "returns the sum of all numbers in a nested list plus {plus}",
        "adds up all numbers of a list, which may contain lists inside lists, and returns the sum "
        "plus {plus}",
    ),
    eval_statements=(
        "sums the numbers at every level of a nested list and gives this sum plus {plus}",
        "takes a list that can hold further lists and returns the total of all numbers in it plus "
        "{plus}",
    ),
    body="""
def total(item):
    return sum(map(total, item)) if isinstance(item, list) else item
return total(xs) + {plus}
""",
    draw=lambda rng, p: (_nested(rng, depth=3),),
    difficulty=1.00,
)


def _nested(rng: random.Random, *, depth: int) -> list[Any]:
    """A list of up to three items, each a number or a list of less depth."""
    items: list[Any] = []
    for _ in range(rng.randint(0, 3)):
        is_list = depth > 1 and rng.random() < 0.6
        items.append(_nested(rng, depth=depth - 1) if is_list else rng.randint(0, 9))
    return items


FAMILIES = (FACTORIAL, SUM_FROM, COUNT_DOWN, RECURRENCE, NESTED_TOTAL)
