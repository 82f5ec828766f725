"""Families that chain one to three operations; each more makes the task harder."""

import itertools
from collections.abc import Mapping

from posttrain.core.seeds import derive_rng
from posttrain.tasks.basics.draw import integers, sentence
from posttrain.tasks.basics.family import Family, Parameters

__all__ = ["FAMILIES"]

_LIST_STEPS: Mapping[str, tuple[str, str, str]] = {
    "double": ("doubles each number", "multiplies every number by 2", "[2 * x for x in xs]"),
    "even": ("keeps the even numbers", "drops the odd numbers", "[x for x in xs if x % 2 == 0]"),
    "positive": (
        "keeps the numbers greater than 0",
        "drops the numbers that are 0 or less",
        "[x for x in xs if x > 0]",
    ),
    "reverse": ("reverses the list", "turns the order around", "xs[::-1]"),
    "sort": ("sorts the list in ascending order", "orders it from low to high", "sorted(xs)"),
    "tail": ("removes the first element", "leaves out the element at index 0", "xs[1:]"),
    "square": ("squares each number", "multiplies each number by itself", "[x * x for x in xs]"),
}
_TEXT_STEPS: Mapping[str, tuple[str, str, str]] = {
    "upper": ("makes all letters upper case", "writes it in capital letters", "s.upper()"),
    "reverse": ("reverses the string", "turns the order of characters around", "s[::-1]"),
    "no_spaces": ("removes all spaces", "leaves out the spaces", 's.replace(" ", "")'),
    "no_vowels": (
        "removes the letters a, e, i, o and u",
        "leaves out every lower-case vowel",
        '"".join(c for c in s if c not in "aeiou")',
    ),
    "stars": ("replaces each e by *", "puts a * where there is an e", 's.replace("e", "*")'),
    "bang": ('adds "!" at the end', 'ends it with "!"', 's + "!"'),
    "half": ("keeps the first half (len(s) // 2 characters)", "cuts it to its first len(s) // 2 "
             "characters", "s[:len(s) // 2]"),
}  # fmt: skip


def _chains(steps: Mapping[str, object]) -> tuple[Parameters, ...]:
    """Each choice of one to three steps in one order, so that no two chains mean the same."""
    chains = []
    for length in (1, 2, 3):
        for chosen in itertools.combinations(steps, length):
            order = list(chosen)
            derive_rng("basics", "chain", *chosen).shuffle(order)
            chains.append({"steps": order})
    return tuple(chains)


def _wordings(steps: Mapping[str, tuple[str, str, str]], parameters: Parameters) -> dict[str, str]:
    """``{plain}`` for training and ``{other}`` for evaluation: the steps in their order."""
    chain = [steps[name] for name in parameters["steps"]]
    return {
        "plain": ", then ".join(step[0] for step in chain),
        "other": " and after that ".join(step[1] for step in chain),
    }


def _body(steps: Mapping[str, tuple[str, str, str]], variable: str, parameters: Parameters) -> str:
    lines = [f"{variable} = {steps[name][2]}" for name in parameters["steps"]]
    return "\n".join([*lines, f"return {variable}"])


def _difficulty(parameters: Parameters) -> float:
    return (0.35, 0.6, 0.8)[len(parameters["steps"]) - 1]


LIST_CHAIN = Family(
    name="list_chain",
    topic="chains",
    arguments="xs",
    function_names=("process", "change_list", "convert"),
    choices=_chains(_LIST_STEPS),
    words=lambda p: _wordings(_LIST_STEPS, p),
    train_statements=(
        "takes a list of numbers `xs`, {plain}, and returns the resulting list",
        "{plain} (for a list of numbers `xs`) and returns the list",
    ),
    eval_statements=(
        "returns what becomes of the list of numbers `xs` when one {other}",
        "gets the list `xs`, {other} and gives back the list",
    ),
    body=lambda p: _body(_LIST_STEPS, "xs", p),
    draw=lambda rng, p: (integers(rng, low=-6, high=12),),
    difficulty=_difficulty,
)

TEXT_CHAIN = Family(
    name="text_chain",
    topic="chains",
    arguments="s",
    function_names=("process", "change_text", "convert"),
    choices=_chains(_TEXT_STEPS),
    words=lambda p: _wordings(_TEXT_STEPS, p),
    train_statements=(
        "takes a string `s`, {plain}, and returns the resulting string",
        "{plain} (for a string `s`) and returns the string",
    ),
    eval_statements=(
        "returns what becomes of the string `s` when one {other}",
        "gets the string `s`, {other} and gives back the string",
    ),
    body=lambda p: _body(_TEXT_STEPS, "s", p),
    draw=lambda rng, p: (sentence(rng, longest=3),),
    difficulty=_difficulty,
)

FAMILIES = (LIST_CHAIN, TEXT_CHAIN)
