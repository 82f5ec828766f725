"""First families on lists and dicts: one built-in, one index or one constant."""

import random

from posttrain.tasks.basics.draw import integers, scores, words
from posttrain.tasks.basics.family import Family, Parameters, grid

__all__ = ["FAMILIES"]


def _some(rng: random.Random, _: Parameters) -> tuple[list[int]]:
    return (integers(rng, shortest=1),)


def _many(rng: random.Random, p: Parameters) -> tuple[list[int]]:
    return (integers(rng, shortest=p["k"] + 1, longest=p["k"] + 4),)


def _with_item(rng: random.Random, p: Parameters) -> tuple[list[int]]:
    return (
        [rng.choice((p["k"], p["k"] + 1, rng.randint(0, 9))) for _ in range(rng.randint(1, 6))],
    )


FAMILIES = (
    Family(
        name="multiply_each",
        topic="lists",
        arguments="xs",
        function_names=("multiply_each_by_{k}", "times_{k}_each"),
        choices=grid(k=range(3, 31)),
        train_statements=(
            "returns a list with each number of `xs` multiplied by {k}",
            "multiplies each number in the list `xs` by {k}",
        ),
        eval_statements=(
            "returns the list of {k} * x for each x in `xs`",
            "returns a new list that holds {k} times every number of `xs`",
        ),
        body="return [x * {k} for x in xs]",
        draw=_some,
        difficulty=0.75,
    ),
    Family(
        name="sum_plus",
        topic="lists",
        arguments="xs",
        function_names=("sum_plus_{k}", "total_plus_{k}"),
        choices=grid(k=range(2, 50)),
        train_statements=(
            "returns the sum of the list `xs` plus {k}",
            "adds up the numbers in `xs` and adds {k}",
        ),
        eval_statements=(
            "returns {k} more than the sum of all numbers in `xs`",
            "returns the total of `xs`, increased by {k}",
        ),
        body="return sum(xs) + {k}",
        draw=_some,
        difficulty=0.95,
    ),
    Family(
        name="item_at",
        topic="lists",
        arguments="xs",
        function_names=("item_at_{k}", "get_item_{k}"),
        choices=grid(k=range(1, 7)),
        train_statements=(
            "returns the item of the list `xs` at index {k}",
            "returns the element at index {k} of `xs`",
        ),
        eval_statements=(
            "picks the number of `xs` whose index is {k}",
            "returns the item that stands at index {k} in `xs`",
        ),
        body="return xs[{k}]",
        draw=_many,
        difficulty=0.95,
    ),
    Family(
        name="first_items",
        topic="lists",
        arguments="xs",
        function_names=("first_{k}_items", "take_{k}"),
        choices=grid(k=range(1, 7)),
        train_statements=(
            "returns the first {k} items of the list `xs`",
            "returns a list of the first {k} elements of `xs`",
        ),
        eval_statements=(
            "keeps only the first {k} numbers of `xs`",
            "returns the list `xs` cut after {k} items",
        ),
        body="return xs[:{k}]",
        draw=_many,
        difficulty=0.9,
    ),
    Family(
        name="last_items",
        topic="lists",
        arguments="xs",
        function_names=("last_{k}_items", "take_last_{k}"),
        choices=grid(k=range(1, 7)),
        train_statements=(
            "returns the last {k} items of the list `xs`",
            "returns a list of the last {k} elements of `xs`",
        ),
        eval_statements=(
            "keeps only the last {k} numbers of `xs`",
            "returns the {k} numbers at the end of `xs` as a list",
        ),
        body="return xs[-{k}:]",
        draw=_many,
        difficulty=0.95,
    ),
    Family(
        name="append_item",
        topic="lists",
        arguments="xs",
        function_names=("append_{k}", "add_{k}_to_the_end"),
        choices=grid(k=range(0, 40)),
        train_statements=(
            "returns a new list with {k} added to the end of the list `xs`",
            "returns the list `xs` followed by the number {k}",
        ),
        eval_statements=(
            "returns `xs` + [{k}]",
            "returns a copy of `xs` that has {k} as one more last item",
        ),
        body="return xs + [{k}]",
        draw=_some,
        difficulty=0.9,
    ),
    Family(
        name="has_item",
        topic="lists",
        arguments="xs",
        function_names=("contains_{k}", "has_{k}_in_list"),
        choices=grid(k=range(0, 20)),
        train_statements=(
            "returns True if {k} is in the list `xs`, otherwise False",
            "checks if the list `xs` contains {k}",
        ),
        eval_statements=(
            "tells whether the number {k} occurs in `xs`",
            "returns whether {k} is one of the items of `xs`",
        ),
        body="return {k} in xs",
        draw=_with_item,
        difficulty=0.65,
    ),
    Family(
        name="count_item",
        topic="lists",
        arguments="xs",
        function_names=("count_{k}", "count_number_{k}"),
        choices=grid(k=range(0, 20)),
        train_statements=(
            "counts how many times {k} appears in the list `xs`",
            "returns the number of times that {k} is in the list `xs`",
        ),
        eval_statements=(
            "returns how often the number {k} occurs in `xs`",
            "counts the items of `xs` that are equal to {k}",
        ),
        body="return xs.count({k})",
        draw=_with_item,
        difficulty=0.95,
    ),
    Family(
        name="without_item",
        topic="lists",
        arguments="xs",
        function_names=("remove_{k}", "without_{k}"),
        choices=grid(k=range(0, 20)),
        train_statements=(
            "returns the list `xs` without any {k}",
            "removes every {k} from the list `xs` and returns the result",
        ),
        eval_statements=(
            "returns the items of `xs` that are not {k}",
            "returns a list of all numbers in `xs` except {k}",
        ),
        body="return [x for x in xs if x != {k}]",
        draw=_with_item,
        difficulty=0.95,
    ),
    Family(
        name="join_words",
        topic="lists",
        arguments="words",
        function_names=("join_words", "connect", "combine_words"),
        choices=grid(sep=("-", ", ", "; ", "/", " and ", ":", "+", "_", " ")),
        train_statements=(
            'joins the list of strings `words` with "{sep}"',
            'returns the strings in the list `words` joined by "{sep}"',
        ),
        eval_statements=(
            'connects all strings of `words` into one, with "{sep}" between them',
            'returns one string of all `words`, separated by "{sep}"',
        ),
        body='return "{sep}".join(words)',
        draw=lambda rng, p: (words(rng, shortest=1, longest=4),),
        difficulty=0.95,
    ),
    Family(
        name="value_or_default",
        topic="dicts",
        arguments="d, key",
        function_names=("get_or_{k}", "value_or_{k}"),
        choices=grid(k=range(0, 30)),
        train_statements=(
            "returns the value of `key` in the dict `d`, or {k} if it is not there",
            "returns d[key], or {k} if `key` is not in the dict `d`",
        ),
        eval_statements=(
            "looks `key` up in the dict `d` and returns {k} where it is missing",
            "returns the value stored in `d` under `key`, with {k} as the default",
        ),
        body="return d.get(key, {k})",
        draw=lambda rng, p: _dict_and_key(rng),
        difficulty=0.95,
    ),
)


def _dict_and_key(rng: random.Random) -> tuple[dict[str, int], str]:
    found = scores(rng, shortest=1, longest=3)
    return found, rng.choice([*found, *found, "nothing", "other"])
