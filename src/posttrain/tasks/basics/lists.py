"""Families on lists of whole numbers."""

from posttrain.tasks.basics.draw import integers
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

ADD_TO_EACH = Family(
    name="add_to_each",
    topic="lists",
    arguments="xs",
    function_names=("add_to_each", "increase_all", "shift_values"),
    choices=grid(k=range(1, 25)),
    train_statements=(
        "returns a new list with {k} added to each number of the list `xs`",
        "adds {k} to every element of `xs` and returns the resulting list",
        "returns the list of x + {k} for each x in `xs`",
    ),
    eval_statements=(
        "takes a list of numbers `xs` and returns a list in which each number is {k} larger",
        "returns the numbers of `xs` after {k} was added to each of them",
    ),
    body="return [x + {k} for x in xs]",
    draw=lambda rng, p: (integers(rng),),
    difficulty=0.2,
)

KEEP_ABOVE = Family(
    name="keep_above",
    topic="lists",
    arguments="xs",
    function_names=("keep_numbers", "filter_list", "select_numbers"),
    choices=grid(k=range(-4, 16), how=("greater than", "less than")),
    train_statements=(
        "returns a list of the numbers in `xs` that are {how} {k}",
        "keeps only the elements of the list `xs` that are {how} {k}",
        "returns the elements of `xs` which are {how} {k}, in the same order",
    ),
    eval_statements=(
        "removes from the list `xs` all numbers that are not {how} {k} and returns the rest",
        "takes a list `xs` and gives back the list of those numbers that are {how} {k}",
    ),
    body=lambda p: (
        "return [x for x in xs if x "
        + {"greater than": ">", "less than": "<"}[p["how"]]
        + f" {p['k']}]"
    ),
    draw=lambda rng, p: (integers(rng, low=p["k"] - 8, high=p["k"] + 8, longest=7),),
    difficulty=0.25,
)

KTH_LARGEST = Family(
    name="kth_largest",
    topic="lists",
    arguments="xs",
    function_names=("ranked_value", "pick_ranked", "kth_value"),
    choices=grid(k=(2, 3, 4), which=("largest", "smallest"), plus=range(0, 4)),
    words=lambda p: {
        "rank": f"{('second', 'third', 'fourth')[p['k'] - 2]} {p['which']}",
        "more": f" plus {p['plus']}" if p["plus"] else "",
    },
    train_statements=(
        "returns the {rank} number of the list `xs`{more}",
        "sorts the list `xs` and returns its {rank} number{more}",
        "finds the {rank} element of `xs` and returns it{more}",
    ),
    eval_statements=(
        "looks up which number of `xs` is the {rank} one and returns that number{more}",
        "takes a list `xs` and gives back the {rank} of its elements{more}",
    ),
    body=lambda p: (
        f"return sorted(xs{', reverse=True' if p['which'] == 'largest' else ''})[{p['k'] - 1}]"
        + (f" + {p['plus']}" if p["plus"] else "")
    ),
    draw=lambda rng, p: (integers(rng, shortest=p["k"], longest=p["k"] + 4),),
    difficulty=0.55,
)

SPLIT_CHUNKS = Family(
    name="split_chunks",
    topic="lists",
    arguments="xs",
    function_names=("split_chunks", "make_groups", "chunk"),
    choices=grid(size=(2, 3, 4, 5, 6), part=("whole", "sum", "first", "last")),
    words=lambda p: {
        "result": "a list of these chunks"
        if p["part"] == "whole"
        else f"a list with the {p['part']} of each chunk"
    },
    train_statements=(
        "splits the list `xs` into chunks of {size} elements (the last may be shorter) and returns "
        "{result}",
        "takes {size} elements of `xs` at a time as a chunk and returns {result}",
    ),
    eval_statements=(
        "cuts `xs` into consecutive chunks of {size} elements, where the last one can have fewer, "
        "and gives back {result}",
        "divides the elements of `xs` into chunks of size {size} and makes {result}",
    ),
    body=lambda p: (
        f"chunks = [xs[i:i + {p['size']}] for i in range(0, len(xs), {p['size']})]\n"
        + {
            "whole": "return chunks",
            "sum": "return [sum(chunk) for chunk in chunks]",
            "first": "return [chunk[0] for chunk in chunks]",
            "last": "return [chunk[-1] for chunk in chunks]",
        }[p["part"]]
    ),
    draw=lambda rng, p: (integers(rng, low=0, high=9, longest=9),),
    difficulty=0.65,
)

ROTATE_LIST = Family(
    name="rotate_list",
    topic="lists",
    arguments="xs",
    function_names=("rotate", "rotate_list"),
    choices=grid(k=(1, 2, 3, 4, 5, 6), side=("left", "right")),
    train_statements=(
        "rotates the list `xs` by {k} places to the {side}",
        "returns `xs` moved {k} places to the {side}, elements that fall off come back at the "
        "other end",
        "returns a list with the elements of `xs` rotated {side} by {k}",
    ),
    eval_statements=(
        "shifts the elements of `xs` cyclically by {k} to the {side}",
        "does a rotation of the list `xs` to the {side}, {k} steps",
    ),
    body=lambda p: (
        "if not xs:\n    return []\n"
        f"k = {p['k'] if p['side'] == 'left' else -p['k']} % len(xs)\n"
        "return xs[k:] + xs[:k]"
    ),
    draw=lambda rng, p: (integers(rng, low=0, high=9, longest=7),),
    difficulty=0.6,
)

RUNNING_TOTAL = Family(
    name="running_total",
    topic="lists",
    arguments="xs",
    function_names=("running_total", "accumulate", "prefix_sums"),
    choices=grid(start=range(0, 24)),
    train_statements=(
        "starts a total at {start}, adds each number of `xs` in turn and returns the list of the "
        "totals after each addition",
        "returns the list of the running totals of `xs`, where the total begins at {start}",
    ),
    eval_statements=(
        "returns for each element of `xs` the value of {start} plus the sum of all elements up to "
        "it, as a list",
        "lists the intermediate sums when the numbers of `xs` are added one after the other to "
        "{start}",
    ),
    body="""
totals = []
total = {start}
for x in xs:
    total += x
    totals.append(total)
return totals
""",
    draw=lambda rng, p: (integers(rng, low=-5, high=9),),
    difficulty=0.6,
)

LAG_PAIRS = Family(
    name="lag_pairs",
    topic="lists",
    arguments="xs",
    function_names=("lag_pairs", "pair_up", "combine_pairs"),
    choices=grid(lag=(1, 2, 3, 4), how=("-", "+", "*")),
    train_statements=(
        "returns the list of xs[i + {lag}] {how} xs[i] for all possible i",
        "computes xs[i + {lag}] {how} xs[i] for each index i where both exist and returns the list",
        "returns a list of b {how} a for all elements a and b of `xs` where b is {lag} places "
        "after a",
    ),
    eval_statements=(
        "takes each two elements of `xs` that are {lag} places apart and lists later {how} earlier",
        "returns the list of y {how} x for each x in `xs` that has a y {lag} places further on",
    ),
    body="return [xs[i + {lag}] {how} xs[i] for i in range(len(xs) - {lag})]",
    draw=lambda rng, p: (integers(rng, low=0, high=12, longest=7),),
    difficulty=0.5,
)

COUNT_BETWEEN = Family(
    name="count_between",
    topic="lists",
    arguments="xs",
    function_names=("count_between", "count_in_range"),
    choices=grid(low=range(0, 6), high=range(8, 14)),
    train_statements=(
        "counts the numbers in the list `xs` that are at least {low} and at most {high}",
        "returns how many elements of `xs` lie between {low} and {high}, both included",
    ),
    eval_statements=(
        "returns the number of elements of `xs` from {low} to {high}, including both limits",
        "counts how many numbers of `xs` are not smaller than {low} and not larger than {high}",
    ),
    body="return sum(1 for x in xs if {low} <= x <= {high})",
    draw=lambda rng, p: (integers(rng, low=-3, high=18, longest=8),),
    difficulty=0.3,
)

FAMILIES = (
    ADD_TO_EACH,
    KEEP_ABOVE,
    KTH_LARGEST,
    SPLIT_CHUNKS,
    ROTATE_LIST,
    RUNNING_TOTAL,
    LAG_PAIRS,
    COUNT_BETWEEN,
)
