"""Families on dictionaries."""

import random

from posttrain.tasks.basics.draw import scores, words
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

_KEY_OF_WORD = {
    "first letter": "w[0]",
    "last letter": "w[-1]",
    "length": "len(w)",
    "first two letters": "w[:2]",
    "last two letters": "w[-2:]",
}

COUNT_ITEMS = Family(
    name="count_items",
    topic="dicts",
    arguments="xs",
    function_names=("count_items", "frequencies", "tally"),
    choices=grid(how=("plus",), k=range(0, 12)) + grid(how=("times",), k=range(2, 8)),
    words=lambda p: {"more": f" {p['how']} {p['k']}" if p["k"] else ""},
    train_statements=(
        "returns a dict from each item of the list `xs` to how often it occurs{more}",
        "counts the items of `xs` in a dict, where each value is the count{more}",
        "maps every item of `xs` to the number of times it occurs in `xs`{more}",
    ),
    eval_statements=(
        "makes a dict from each item that appears in `xs` to its number of appearances{more}",
        "tallies the list `xs` as a dict of each item and its count{more}",
    ),
    body=lambda p: (
        "return {x: xs.count(x)"
        + {"plus": " + ", "times": " * "}[p["how"]]
        + f"{p['k']} for x in xs}}"
    ),
    draw=lambda rng, p: ([rng.choice("abc") for _ in range(rng.randint(0, 7))],),
    difficulty=0.5,
)

KEEP_VALUES = Family(
    name="keep_values",
    topic="dicts",
    arguments="d",
    function_names=("keep_entries", "filter_dict", "select_items"),
    choices=grid(k=range(0, 20, 2), how=("greater than", "less than")),
    train_statements=(
        "returns a dict with only those entries of the dict `d` whose value is {how} {k}",
        "keeps the entries of the dictionary `d` with a value {how} {k}",
        "returns the items of `d` that have values {how} {k}, as a dict",
    ),
    eval_statements=(
        "removes from `d` every entry whose value is not {how} {k} and returns the new dict",
        "takes a dictionary `d` and builds one of the entries where the value is {how} {k}",
    ),
    body=lambda p: (
        "return {key: value for key, value in d.items() if value "
        + {"greater than": ">", "less than": "<"}[p["how"]]
        + f" {p['k']}}}"
    ),
    draw=lambda rng, p: (scores(rng),),
    difficulty=0.3,
)

MERGE_DICTS = Family(
    name="merge_dicts",
    topic="dicts",
    arguments="a, b",
    function_names=("merge_dicts", "combine", "merge"),
    choices=grid(
        rule=("the sum", "the larger", "the smaller", "the product"), factor=(1, 2, 3, 5, 10)
    ),
    words=lambda p: {
        "after": f", and multiplies all values by {p['factor']} at the end"
        if p["factor"] > 1
        else ""
    },
    train_statements=(
        "merges the dicts `a` and `b`, where a key in both gets {rule} of its two values{after}",
        "combines two dicts into one, taking {rule} of the two values when both have the "
        "key{after}",
    ),
    eval_statements=(
        "makes one dict with all keys of `a` and `b`, where a shared key has {rule} of both "
        "values{after}",
        "unites the dictionaries `a` and `b`, using {rule} of the values for a common key{after}",
    ),
    body=lambda p: (
        "merged = dict(a)\nfor key, value in b.items():\n    merged[key] = "
        + {
            "the sum": "a[key] + value",
            "the larger": "max(a[key], value)",
            "the smaller": "min(a[key], value)",
            "the product": "a[key] * value",
        }[p["rule"]]
        + " if key in a else value\n"
        + f"return {{key: value * {p['factor']} for key, value in merged.items()}}"
    ),
    draw=lambda rng, p: tuple(
        {key: rng.randint(0, 9) for key in rng.sample("abcd", rng.randint(0, 3))} for _ in "ab"
    ),
    difficulty=lambda p: 0.7 if p["factor"] == 1 else 0.85,
)

GROUP_WORDS = Family(
    name="group_words",
    topic="dicts",
    arguments="words",
    function_names=("group_words", "group_by", "make_index"),
    choices=grid(key=tuple(_KEY_OF_WORD), least=(1, 3, 4, 5)),
    words=lambda p: {"only": f" of at least {p['least']} letters" if p["least"] > 1 else ""},
    train_statements=(
        "groups the words{only} in the list `words` by their {key}, in a dict of lists",
        "returns a dict that maps each {key} to the list of the words{only} that have it",
    ),
    eval_statements=(
        "builds a dict from the {key} of a word to all words{only} that share it",
        "collects the words{only} of the list `words` in lists by {key} and returns them as a dict",
    ),
    body=lambda p: (
        "groups = {}\nfor w in words:\n"
        f"    if len(w) >= {p['least']}:\n"
        f"        groups.setdefault({_KEY_OF_WORD[p['key']]}, []).append(w)\n"
        "return groups"
    ),
    draw=lambda rng, p: (words(rng),),
    difficulty=lambda p: 0.6 if p["least"] == 1 else 0.75,
)

SCALE_VALUES = Family(
    name="scale_values",
    topic="dicts",
    arguments="d",
    function_names=("scale_values", "multiply_values"),
    choices=grid(factor=range(2, 12), plus=(0, 1, 2)),
    words=lambda p: {"more": f" plus {p['plus']}" if p["plus"] else ""},
    train_statements=(
        "returns a dict with the keys of `d` and {factor} times each value{more}",
        "maps each key of the dict `d` to its value times {factor}{more}",
    ),
    eval_statements=(
        "returns a new dict in which each value of `d` is replaced by {factor} times the "
        "value{more}",
        "takes a dict `d` and returns one with the same keys and the values times {factor}{more}",
    ),
    body="return {{key: {factor} * value + {plus} for key, value in d.items()}}",
    draw=lambda rng, p: (scores(rng),),
    difficulty=0.35,
)

RANKED_KEY = Family(
    name="ranked_key",
    topic="dicts",
    arguments="d",
    function_names=("best_key", "find_key", "winner"),
    choices=grid(
        which=("largest", "smallest"),
        prefix=("", "Winner: ", "key=", "#", "-> ", "The answer is ", "* ", "got ", "It is "),
    ),
    words=lambda p: {"before": f' with "{p["prefix"]}" in front of it' if p["prefix"] else ""},
    train_statements=(
        "returns the key that has the {which} value in the dict `d`{before}",
        "finds the entry of `d` with the {which} value and returns its key{before}",
    ),
    eval_statements=(
        "gives back the key of the {which} value of the dict `d`{before}",
        "looks for the {which} value in `d` and returns the key of it{before}",
    ),
    body=lambda p: (
        f"key = {'max' if p['which'] == 'largest' else 'min'}(d, key=d.get)\n"
        + (f'return "{p["prefix"]}" + key' if p["prefix"] else "return key")
    ),
    draw=lambda rng, p: (_different_scores(rng),),
    difficulty=0.45,
)

FAMILIES = (COUNT_ITEMS, KEEP_VALUES, MERGE_DICTS, GROUP_WORDS, SCALE_VALUES, RANKED_KEY)


def _different_scores(rng: random.Random) -> dict[str, int]:
    """Two to four keys, no value twice, so that the rank of each key is clear."""
    size = rng.randint(2, 4)
    return dict(zip(rng.sample("abcdefgh", size), rng.sample(range(40), size), strict=True))
