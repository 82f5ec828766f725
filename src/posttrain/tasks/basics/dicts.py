"""Families on dictionaries."""

import random

from posttrain.tasks.basics.draw import scores
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

_SIGN = {"greater": ">", "less": "<"}
_RULES = {
    "the sum": "a[key] + value",
    "the larger": "max(a[key], value)",
    "the smaller": "min(a[key], value)",
    "the product": "a[key] * value",
}


def _different_scores(rng: random.Random) -> dict[str, int]:
    """Two to four keys, no value twice, so that the rank of each key is clear."""
    size = rng.randint(2, 4)
    return dict(zip(rng.sample("abcdefgh", size), rng.sample(range(40), size), strict=True))


KEEP_VALUES = Family(
    name="keep_values",
    topic="dicts",
    arguments="d",
    function_names=("values_{how}_than_{k}", "keep_values_{how}_than_{k}"),
    choices=grid(k=range(1, 20, 2), how=tuple(_SIGN)),
    train_statements=(
        "returns a dictionary of only the items whose value is {how} than {k}",
        "keeps the entries of a dictionary with a value {how} than {k}",
        "filters a dict and keeps the items with values {how} than {k}",
    ),
    eval_statements=(
        "removes from a dictionary every item whose value is not {how} than {k}",
        "takes a dictionary and builds one of the entries where the value is {how} than {k}",
    ),
    body=lambda p: (
        f"return {{key: value for key, value in d.items() if value {_SIGN[p['how']]} {p['k']}}}"
    ),
    draw=lambda rng, p: (scores(rng, longest=3),),
    difficulty=0.95,
)

SCALE_VALUES = Family(
    name="scale_values",
    topic="dicts",
    arguments="d",
    function_names=("multiply_values_by_{k}", "values_times_{k}"),
    choices=grid(k=range(3, 21)),
    train_statements=(
        "multiplies each value of a dictionary by {k}",
        "returns a dict with the same keys and each value times {k}",
    ),
    eval_statements=(
        "takes a dictionary and returns a new one with all values multiplied by {k}",
        "returns a dictionary in which each value is {k} times as large",
    ),
    body="return {{key: {k} * value for key, value in d.items()}}",
    draw=lambda rng, p: (scores(rng, longest=3),),
    difficulty=0.98,
)

ADD_TO_VALUES = Family(
    name="add_to_values",
    topic="dicts",
    arguments="d",
    function_names=("add_{k}_to_values", "values_plus_{k}"),
    choices=grid(k=range(1, 20)),
    train_statements=(
        "adds {k} to each value of a dictionary",
        "returns a dict with the same keys and each value plus {k}",
        "adds {k} to all values of a dict and returns the new dict",
    ),
    eval_statements=(
        "takes a dictionary and returns one with every value increased by {k}",
        "returns a dictionary in which each value is {k} larger",
    ),
    body="return {{key: value + {k} for key, value in d.items()}}",
    draw=lambda rng, p: (scores(rng, longest=3),),
    difficulty=0.98,
)

COUNT_ITEMS = Family(
    name="count_items",
    topic="dicts",
    arguments="xs",
    function_names=("count_items_{how}_{k}", "frequencies_{how}_{k}"),
    choices=grid(how=("plus", "times"), k=range(2, 14)),
    train_statements=(
        "returns a dict from each item of a list to how often it occurs {how} {k}",
        "counts the items of a list in a dict, where each value is the count {how} {k}",
    ),
    eval_statements=(
        "makes a dict from each item of a list to its number of appearances {how} {k}",
        "maps every item of a list to its count {how} {k}",
    ),
    body=lambda p: (
        f"return {{x: xs.count(x) {'+' if p['how'] == 'plus' else '*'} {p['k']} for x in xs}}"
    ),
    draw=lambda rng, p: ([rng.choice("abc") for _ in range(rng.randint(0, 6))],),
    difficulty=0.99,
)

RANKED_KEY = Family(
    name="ranked_key",
    topic="dicts",
    arguments="d",
    function_names=("key_of_{which}_value", "{which}_value_key"),
    choices=grid(
        which=("largest", "smallest"),
        tail=("", "!", "?", ".", "*", ":", "-", "+"),
    ),
    words=lambda p: {"more": f' followed by "{p["tail"]}"' if p["tail"] else ""},
    train_statements=(
        "returns the key with the {which} value in a dictionary{more}",
        "finds the {which} value of a dict and returns its key{more}",
    ),
    eval_statements=(
        "gives back that key of a dictionary which has the {which} value{more}",
        "looks for the entry with the {which} value and returns the key{more}",
    ),
    body=lambda p: (
        f"return {'max' if p['which'] == 'largest' else 'min'}(d, key=d.get)"
        + (f' + "{p["tail"]}"' if p["tail"] else "")
    ),
    draw=lambda rng, p: (_different_scores(rng),),
    difficulty=0.98,
)

MERGE_DICTS = Family(
    name="merge_dicts",
    topic="dicts",
    arguments="a, b",
    function_names=("merge_dicts", "combine_dicts"),
    choices=grid(rule=tuple(_RULES), factor=(1, 2, 3, 5)),
    words=lambda p: {
        "after": f", and then multiplies all values by {p['factor']}" if p["factor"] > 1 else ""
    },
    train_statements=(
        "merges two dicts, where a key in both gets {rule} of its two values{after}",
        "combines two dicts into one, taking {rule} of the two values when both have the "
        "key{after}",
    ),
    eval_statements=(
        "makes one dict with all keys of a and b, where a shared key has {rule} of both "
        "values{after}",
        "unites two dictionaries, using {rule} of the values for a common key{after}",
    ),
    body=lambda p: (
        "merged = dict(a)\n"
        "for key, value in b.items():\n"
        f"    merged[key] = {_RULES[p['rule']]} if key in a else value\n"
        f"return {{key: value * {p['factor']} for key, value in merged.items()}}"
    ),
    draw=lambda rng, p: tuple(
        {key: rng.randint(0, 9) for key in rng.sample("abcd", rng.randint(0, 3))} for _ in "ab"
    ),
    difficulty=1.00,
)

FAMILIES = (
    KEEP_VALUES,
    SCALE_VALUES,
    ADD_TO_VALUES,
    COUNT_ITEMS,
    RANKED_KEY,
    MERGE_DICTS,
)
