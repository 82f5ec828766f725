"""Families that chain two or three operations; one more makes the task harder.

Single operations are families of their own. Chains that mean the same as a shorter one are left
out.
"""

import itertools
from collections.abc import Mapping, Sequence

from posttrain.core.seeds import derive_rng
from posttrain.tasks.basics.draw import integers, sentence
from posttrain.tasks.basics.family import Family, Parameters

__all__ = ["FAMILIES"]

_LIST_STEPS: Mapping[str, tuple[str, str, str]] = {
    "double": ("doubles each number", "multiplies every number by 2", "[2 * x for x in xs]"),
    "even": ("keeps the even numbers", "removes the odd numbers", "[x for x in xs if x % 2 == 0]"),
    "positive": (
        "keeps the positive numbers",
        "removes numbers below 1",
        "[x for x in xs if x > 0]",
    ),
    "reverse": ("reverses the list", "turns the list around", "xs[::-1]"),
    "sort": ("sorts the list", "orders the list from low to high", "sorted(xs)"),
    "tail": ("removes the first element", "leaves out the first element", "xs[1:]"),
    "square": ("squares each number", "multiplies each number by itself", "[x * x for x in xs]"),
}
_TEXT_STEPS: Mapping[str, tuple[str, str, str]] = {
    "upper": ("converts it to upper case", "makes all letters upper case", "s.upper()"),
    "reverse": ("reverses it", "turns the characters around", "s[::-1]"),
    "no_spaces": ("removes all spaces", "deletes the spaces", 's.replace(" ", "")'),
    "stars": ("replaces each e with *", "puts * for every e", 's.replace("e", "*")'),
    "bang": ('adds "!" at the end', 'ends it with "!"', 's + "!"'),
    "tail": ("removes the first character", "leaves out the first character", "s[1:]"),
    "twice": ("repeats it twice", "writes it two times in a row", "s * 2"),
}


_SHORTER_WITH = (("reverse", "sort"), ("sort", "reverse"), ("upper", "stars"), ("double", "even"))
"""Sorting undoes an earlier reversal and with a later one is one operation, sorting downwards;
upper-case text has no e, doubled numbers are even."""


def _chains(steps: Mapping[str, object]) -> tuple[Parameters, ...]:
    """Each choice of two or three steps in one order, so that no two chains mean the same."""
    chains: list[Parameters] = []
    for chosen in (*itertools.combinations(steps, 2), *itertools.combinations(steps, 3)):
        order = list(chosen)
        derive_rng("basics", "chain", *chosen).shuffle(order)
        if not any(_follow(order, first, second) for first, second in _SHORTER_WITH):
            chains.append({"steps": order})
    return tuple(chains)


def _follow(order: Sequence[str], first: str, second: str) -> bool:
    return first in order and second in order and order.index(first) < order.index(second)


def _wordings(steps: Mapping[str, tuple[str, str, str]], parameters: Parameters) -> dict[str, str]:
    """``{plain}`` for training and ``{other}`` for evaluation: the steps in their order."""
    chain = [steps[name] for name in parameters["steps"]]
    return {
        "plain": ", then ".join(step[0] for step in chain),
        "other": ", then ".join(step[1] for step in chain),
    }


def _body(steps: Mapping[str, tuple[str, str, str]], variable: str, parameters: Parameters) -> str:
    lines = [f"{variable} = {steps[name][2]}" for name in parameters["steps"]]
    return "\n".join([*lines, f"return {variable}"])


def _difficulty(parameters: Parameters) -> float:
    return 0.99 if len(parameters["steps"]) == 2 else 1.0


LIST_CHAIN = Family(
    name="list_chain",
    topic="chains",
    arguments="xs",
    function_names=("change_list", "process_list"),
    choices=_chains(_LIST_STEPS),
    words=lambda p: _wordings(_LIST_STEPS, p),
    train_statements=(
        "takes a list of numbers, {plain} and returns the list",
        "takes a list, {plain}, and returns the result",
    ),
    eval_statements=(
        "gets a list of numbers, {other} and gives back the list",
        "returns what becomes of a list of numbers when one {other}",
    ),
    body=lambda p: _body(_LIST_STEPS, "xs", p),
    draw=lambda rng, p: (integers(rng, low=-6, high=12),),
    difficulty=_difficulty,
)

TEXT_CHAIN = Family(
    name="text_chain",
    topic="chains",
    arguments="s",
    function_names=("change_string", "process_string"),
    choices=_chains(_TEXT_STEPS),
    words=lambda p: _wordings(_TEXT_STEPS, p),
    train_statements=(
        "takes a string, {plain} and returns it",
        "takes a string s, {plain}, and returns the result",
    ),
    eval_statements=(
        "gets a string, {other} and gives it back",
        "returns what becomes of a string when one {other}",
    ),
    body=lambda p: _body(_TEXT_STEPS, "s", p),
    draw=lambda rng, p: (sentence(rng, longest=3),),
    difficulty=_difficulty,
)

FAMILIES = (LIST_CHAIN, TEXT_CHAIN)
