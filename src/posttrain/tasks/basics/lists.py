"""Families on lists of whole numbers."""

from posttrain.tasks.basics.draw import integers
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

_SIGN = {"greater": ">", "less": "<"}

ADD_TO_EACH = Family(
    name="add_to_each",
    topic="lists",
    arguments="xs",
    function_names=("add_{k}_to_each", "add_{k}_to_all"),
    choices=grid(k=range(2, 26)),
    train_statements=(
        "adds {k} to each number in a list",
        "adds {k} to every element of a list and returns the new list",
        "returns a list with {k} added to each number",
    ),
    eval_statements=(
        "takes a list of numbers and increases each number by {k}",
        "returns the list of all numbers of a list plus {k}",
    ),
    body="return [x + {k} for x in xs]",
    draw=lambda rng, p: (integers(rng),),
    difficulty=0.8,
)

KEEP_ABOVE = Family(
    name="keep_above",
    topic="lists",
    arguments="xs",
    function_names=("keep_{how}_than_{k}", "numbers_{how}_than_{k}"),
    choices=grid(k=range(1, 16), how=tuple(_SIGN)),
    train_statements=(
        "returns a list of the numbers that are {how} than {k}",
        "keeps only the numbers of a list that are {how} than {k}",
        "filters a list and keeps the elements {how} than {k}",
    ),
    eval_statements=(
        "finds all numbers in a list that are {how} than {k}",
        "removes all numbers that are not {how} than {k} from a list",
    ),
    body=lambda p: f"return [x for x in xs if x {_SIGN[p['how']]} {p['k']}]",
    draw=lambda rng, p: (integers(rng, low=p["k"] - 8, high=p["k"] + 8, longest=7),),
    difficulty=0.92,
)

COUNT_ABOVE = Family(
    name="count_above",
    topic="lists",
    arguments="xs",
    function_names=("count_{how}_than_{k}", "how_many_{how}_than_{k}"),
    choices=grid(k=range(1, 16), how=tuple(_SIGN)),
    train_statements=(
        "counts the numbers in a list that are {how} than {k}",
        "returns how many numbers of a list are {how} than {k}",
    ),
    eval_statements=(
        "returns the count of all elements of a list that are {how} than {k}",
        "finds out how many elements are {how} than {k}",
    ),
    body=lambda p: f"return sum(1 for x in xs if x {_SIGN[p['how']]} {p['k']})",
    draw=lambda rng, p: (integers(rng, low=p["k"] - 8, high=p["k"] + 8, longest=7),),
    difficulty=0.97,
)

SUM_ABOVE = Family(
    name="sum_above",
    topic="lists",
    arguments="xs",
    function_names=("sum_{how}_than_{k}", "sum_of_numbers_{how}_than_{k}"),
    choices=grid(k=range(1, 16), how=tuple(_SIGN)),
    train_statements=(
        "returns the sum of the numbers in a list that are {how} than {k}",
        "adds up all numbers of a list that are {how} than {k}",
    ),
    eval_statements=(
        "sums only those elements of a list which are {how} than {k}",
        "calculates the sum of all numbers {how} than {k} in a list",
    ),
    body=lambda p: f"return sum(x for x in xs if x {_SIGN[p['how']]} {p['k']})",
    draw=lambda rng, p: (integers(rng, low=p["k"] - 8, high=p["k"] + 8, longest=7),),
    difficulty=0.97,
)

KTH_LARGEST = Family(
    name="kth_largest",
    topic="lists",
    arguments="xs",
    function_names=("{rank}_{which}", "find_{rank}_{which}"),
    choices=grid(
        rank=("second", "third", "fourth"), which=("largest", "smallest"), plus=range(0, 4)
    ),
    words=lambda p: {"more": f" plus {p['plus']}" if p["plus"] else ""},
    train_statements=(
        "returns the {rank} {which} number in a list{more}",
        "sorts a list and returns its {rank} {which} number{more}",
    ),
    eval_statements=(
        "finds the {rank} {which} element of a list and returns it{more}",
        "gives back the {rank} {which} of the numbers in a list{more}",
    ),
    body=lambda p: (
        f"return sorted(xs{', reverse=True' if p['which'] == 'largest' else ''})"
        f"[{('second', 'third', 'fourth').index(p['rank']) + 1}]"
        + (f" + {p['plus']}" if p["plus"] else "")
    ),
    draw=lambda rng, p: (integers(rng, shortest=4, longest=7),),
    difficulty=0.98,
)

RUNNING_TOTAL = Family(
    name="running_total",
    topic="lists",
    arguments="xs",
    function_names=("running_total_from_{start}", "running_sum_from_{start}"),
    choices=grid(start=range(0, 24)),
    train_statements=(
        "returns the list of the running totals of a list, where the total begins at {start}",
        "starts a total at {start}, adds each number of a list in turn and returns the list of the "
        "totals",
    ),
    eval_statements=(
        "returns for each element {start} plus the sum of all elements up to it, as a list",
        "lists the totals that one gets when one adds the numbers one after the other to {start}",
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
    difficulty=0.99,
)

ROTATE_LIST = Family(
    name="rotate_list",
    topic="lists",
    arguments="xs",
    function_names=("rotate_{side}_by_{k}", "rotate_{side}_{k}"),
    choices=grid(k=(1, 2, 3, 4, 5, 6), side=("left", "right")),
    train_statements=(
        "rotates a list by {k} places to the {side}",
        "returns a list with its elements rotated {side} by {k}",
    ),
    eval_statements=(
        "shifts the elements of a list cyclically by {k} to the {side}",
        "moves all elements {k} places to the {side}; those that fall off come back at the other "
        "end",
    ),
    body=lambda p: (
        "if not xs:\n    return []\n"
        f"k = {p['k'] if p['side'] == 'left' else -p['k']} % len(xs)\n"
        "return xs[k:] + xs[:k]"
    ),
    draw=lambda rng, p: (integers(rng, low=0, high=9, longest=7),),
    difficulty=0.99,
)

FAMILIES = (
    ADD_TO_EACH,
    KEEP_ABOVE,
    COUNT_ABOVE,
    SUM_ABOVE,
    KTH_LARGEST,
    RUNNING_TOTAL,
    ROTATE_LIST,
)
