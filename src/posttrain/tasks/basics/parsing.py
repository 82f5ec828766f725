"""Families that read structure out of text."""

import random

from posttrain.tasks.basics.draw import integers, scores, word
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

SUM_NUMBERS = Family(
    name="sum_numbers",
    topic="parsing",
    arguments="s",
    function_names=("read_numbers", "number_text", "from_text"),
    choices=grid(sep=(",", ";", "+", " ", "/", "|", ":", "&"), what=("sum", "maximum", "minimum")),
    train_statements=(
        'returns the {what} of the whole numbers in the string `s`, which are separated by "{sep}"',
        'splits `s` at "{sep}", converts the parts to int and returns their {what}',
    ),
    eval_statements=(
        'reads the integers of `s`, which has "{sep}" between them, and gives their {what}',
        'takes a string of integers joined by "{sep}" and returns the {what} of the integers',
    ),
    body=lambda p: f'return {p["what"][:3]}(int(part) for part in s.split("{p["sep"]}"))',
    draw=lambda rng, p: (p["sep"].join(map(str, integers(rng, low=0, high=50, shortest=1))),),
    difficulty=0.4,
)

PARSE_PAIRS = Family(
    name="parse_pairs",
    topic="parsing",
    arguments="s",
    function_names=("parse_pairs", "to_dict", "read_settings"),
    choices=grid(mid=("=", ":", "->", "~"), end=(";", ",", "&", "|", " ")),
    train_statements=(
        'turns a string like "a{mid}1{end}b{mid}2" into a dict of strings to ints',
        'reads pairs such as "a{mid}1" that are separated by "{end}" from `s` and returns a dict '
        "with int values",
        'splits `s` at "{end}" and each part at "{mid}" into a key and an int, and returns the '
        "dict",
    ),
    eval_statements=(
        'parses `s`, for example "x{mid}10{end}y{mid}20", to a dict whose values are integers',
        'returns the dict that `s` describes: entries are divided by "{end}", a name and its whole '
        'number by "{mid}"',
    ),
    body="""
result = {{}}
for part in s.split("{end}"):
    key, value = part.split("{mid}")
    result[key] = int(value)
return result
""",
    draw=lambda rng, p: (
        p["end"].join(f"{key}{p['mid']}{rng.randint(0, 99)}" for key in scores(rng, shortest=1)),
    ),
    difficulty=0.55,
)

PICK_COLUMN = Family(
    name="pick_column",
    topic="parsing",
    arguments="s",
    function_names=("pick_field", "get_field"),
    choices=grid(k=(0, 1, 2), sep=(",", ";", "|", ":", "/", "-", "_", "+")),
    train_statements=(
        'splits `s` at "{sep}" and returns the part at index {k}',
        'returns the field with index {k} of `s`, whose fields are separated by "{sep}"',
    ),
    eval_statements=(
        'takes a string `s` with fields divided by "{sep}" and returns the field at index {k}',
        'cuts the string `s` at every "{sep}" and returns the piece with index {k}',
    ),
    body='return s.split("{sep}")[{k}]',
    draw=lambda rng, p: (p["sep"].join(word(rng) for _ in range(rng.randint(3, 5))),),
    difficulty=0.3,
)

CLOCK_MINUTES = Family(
    name="clock_minutes",
    topic="parsing",
    arguments="s",
    function_names=("minutes", "to_minutes", "clock"),
    choices=grid(sep=(":", ".", "h", "-", "/"), plus=(0, 5, 10, 15, 30)),
    words=lambda p: {"more": f" plus {p['plus']}" if p["plus"] else ""},
    train_statements=(
        'converts a time `s` like "2{sep}30" (hours and minutes) to minutes and returns them{more}',
        "returns the minutes since midnight of the time `s`, written as hours{sep}minutes{more}",
    ),
    eval_statements=(
        'reads hours and minutes from `s`, which has the form "7{sep}05", and returns 60 * hours + '
        "minutes{more}",
        'takes a string `s` where "1{sep}20" means 1 hour and 20 minutes and returns the total '
        "number of minutes{more}",
    ),
    body="""
hours, minutes = s.split("{sep}")
return 60 * int(hours) + int(minutes) + {plus}
""",
    draw=lambda rng, p: (f"{rng.randint(0, 23)}{p['sep']}{rng.randint(0, 59):02}",),
    difficulty=0.5,
)

BALANCED = Family(
    name="balanced",
    topic="parsing",
    arguments="s",
    function_names=("is_balanced", "check_brackets"),
    choices=grid(
        pairs=("()", "[]", "{}", "<>", "()[]", "(){}", "[]{}", "()<>", "[]<>", "()[]{}", "()[]<>")
    ),
    train_statements=(
        "returns True if every bracket in `s` is closed in the right order, otherwise False; the "
        'brackets are "{pairs}", other characters are ignored',
        'checks whether the brackets "{pairs}" in the string `s` are balanced',
    ),
    eval_statements=(
        'tells with True or False whether the brackets of `s` match; only "{pairs}" count as '
        "brackets",
        'returns whether each opening bracket among "{pairs}" in `s` has its closing one at the '
        "right place",
    ),
    body=lambda p: (
        f'pairs = "{p["pairs"]}"\n'
        "stack = []\n"
        "for c in s:\n"
        "    place = pairs.find(c)\n"
        "    if place >= 0 and place % 2 == 0:\n"
        "        stack.append(pairs[place + 1])\n"
        "    elif place >= 0 and (not stack or stack.pop() != c):\n"
        "        return False\n"
        "return not stack"
    ),
    draw=lambda rng, p: (_brackets(rng, p["pairs"]),),
    difficulty=0.8,
)

ROMAN_NUMERAL = Family(
    name="roman_numeral",
    topic="parsing",
    arguments="s",
    function_names=("from_roman", "roman_value"),
    choices=grid(plus=range(0, 16)),
    words=lambda p: {"more": f" plus {p['plus']}" if p["plus"] else ""},
    train_statements=(
        "returns the value of the Roman numeral `s` as a number{more}",
        "converts the Roman numeral `s` to a number and returns it{more}",
    ),
    eval_statements=(
        "reads the string `s` as a Roman numeral and gives back its value{more}",
        "takes a number in Roman numerals as the string `s` and returns the number{more}",
    ),
    body="""
values = {{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}}
total = {plus}
for c, following in zip(s, s[1:] + " "):
    value = values[c]
    total += -value if values.get(following, 0) > value else value
return total
""",
    draw=lambda rng, p: (_roman(rng.randint(1, 300)),),
    difficulty=0.95,
)


def _brackets(rng: random.Random, pairs: str) -> str:
    """Balanced for about half of the draws, else with one character changed or dropped."""
    opened: list[str] = []
    result = ""
    for _ in range(rng.randint(1, 4)):
        if opened and rng.random() < 0.5:
            result += opened.pop()
        else:
            place = 2 * rng.randrange(len(pairs) // 2)
            result += pairs[place] + rng.choice(("", "", "a"))
            opened.append(pairs[place + 1])
    result += "".join(reversed(opened))
    if rng.random() < 0.5:
        return result
    place = rng.randrange(len(result))
    return result[:place] + rng.choice(("", rng.choice(pairs))) + result[place + 1 :]


def _roman(number: int) -> str:
    text = ""
    for value, letters in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
        (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        while number >= value:
            text += letters
            number -= value
    return text


FAMILIES = (SUM_NUMBERS, PARSE_PAIRS, PICK_COLUMN, CLOCK_MINUTES, BALANCED, ROMAN_NUMERAL)
