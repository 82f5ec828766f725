"""Families that read structure out of text, or write it."""

import random

from posttrain.tasks.basics.draw import integers, scores, word
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

_PLACES = {"first": 0, "second": 1, "third": 2, "last": -1}

_NAMED_SEPARATORS = {
    "comma": ",", "semicolon": ";", "colon": ":", "dash": "-", "slash": "/", "plus": "+",
    "dot": ".", "bar": "|", "star": "*", "underscore": "_",
}  # fmt: skip

SPLIT_TEXT = Family(
    name="split_text",
    topic="parsing",
    arguments="s",
    function_names=("split_by_{sep}", "split_at_{sep}"),
    choices=grid(sep=tuple(_NAMED_SEPARATORS), part=("first", "last")),
    words=lambda p: {
        "mark": _NAMED_SEPARATORS[p["sep"]],
        "what": {
            "first": "returns the first part",
            "last": "returns the last part",
        }[p["part"]],
    },
    train_statements=(
        'splits a string at "{mark}" and {what}',
        'splits the string s by "{mark}" and {what}',
    ),
    eval_statements=(
        'takes a string, splits it at every "{mark}" and {what}',
        'cuts a string into the parts between "{mark}" and {what}',
    ),
    body=lambda p: (
        f'return s.split("{_NAMED_SEPARATORS[p["sep"]]}")'
        + {"first": "[0]", "last": "[-1]"}[p["part"]]
    ),
    draw=lambda rng, p: (
        _NAMED_SEPARATORS[p["sep"]].join(word(rng) for _ in range(rng.randint(1, 4))),
    ),
    difficulty=0.97,
)

PICK_WORD = Family(
    name="pick_word",
    topic="parsing",
    arguments="s",
    function_names=("{rank}_word", "get_{rank}_word"),
    choices=grid(
        rank=("first", "second", "third", "last"), change=("", "upper", "lower", "title", "length")
    ),
    words=lambda p: {
        "how": {
            "": "",
            "upper": " in upper case",
            "lower": " in lower case",
            "title": " with a capital first letter",
            "length": " and its length as a tuple",
        }[p["change"]]
    },
    train_statements=(
        "returns the {rank} word of a sentence{how}",
        "splits a sentence into words and returns the {rank} one{how}",
    ),
    eval_statements=(
        "gets the {rank} word of a string{how}",
        "gives back the {rank} of the words of a sentence{how}",
    ),
    body=lambda p: (
        f"w = s.split()[{_PLACES[p['rank']]}]\n"
        + {
            "": "return w",
            "length": "return w, len(w)",
        }.get(p["change"], f"return w.{p['change']}()")
    ),
    draw=lambda rng, p: (
        " ".join(
            rng.choice((str.lower, str.upper, str.title))(word(rng))
            for _ in range(rng.randint(3, 5))
        ),
    ),
    difficulty=0.98,
)

READ_NUMBERS = Family(
    name="read_numbers",
    topic="parsing",
    arguments="s",
    function_names=("{what}_of_numbers", "{what}_by_{sep}"),
    choices=grid(sep=tuple(_NAMED_SEPARATORS), what=("sum", "max", "min")),
    words=lambda p: {
        "mark": _NAMED_SEPARATORS[p["sep"]],
        "result": {"sum": "sum", "max": "largest", "min": "smallest"}[p["what"]],
    },
    train_statements=(
        'returns the {result} of the numbers in a string, which are separated by "{mark}"',
        'splits a string at "{mark}", converts the parts to int and returns the {result}',
    ),
    eval_statements=(
        'reads the whole numbers of a string with "{mark}" between them and returns the {result}',
        'takes a string of integers joined by "{mark}" and gives the {result} of them',
    ),
    body=lambda p: (
        f'return {p["what"]}(int(part) for part in s.split("{_NAMED_SEPARATORS[p["sep"]]}"))'
    ),
    draw=lambda rng, p: (
        _NAMED_SEPARATORS[p["sep"]].join(map(str, integers(rng, low=0, high=50, shortest=1))),
    ),
    difficulty=0.98,
)

LABEL_NUMBER = Family(
    name="label_number",
    topic="parsing",
    arguments="n",
    function_names=("{unit}_text", "show_{unit}"),
    choices=grid(
        unit=("apples", "dollars", "points", "days", "meters", "books", "stars", "cats"),
        form=("unit after", "unit before", "key"),
    ),
    words=lambda p: {
        "example": {
            "unit after": f"5 {p['unit']}",
            "unit before": f"{p['unit']} 5",
            "key": f"{p['unit']}: 5",
        }[p["form"]]
    },
    train_statements=(
        'turns a number into a string such as "{example}"',
        'returns a string like "{example}" for the number 5',
    ),
    eval_statements=(
        'writes a number in the form "{example}"',
        'formats a number as in the string "{example}"',
    ),
    body=lambda p: {
        "unit after": f'return f"{{n}} {p["unit"]}"',
        "unit before": f'return f"{p["unit"]} {{n}}"',
        "key": f'return f"{p["unit"]}: {{n}}"',
    }[p["form"]],
    draw=lambda rng, p: (rng.randint(0, 500),),
    difficulty=0.98,
)

PARSE_PAIRS = Family(
    name="parse_pairs",
    topic="parsing",
    arguments="s",
    function_names=("parse_pairs", "to_dict", "read_settings"),
    choices=grid(mid=("=", ":", "->", "~"), end=(";", ",", "&", "|", " ")),
    train_statements=(
        'turns a string like "a{mid}1{end}b{mid}2" into a dict of strings to ints',
        'splits a string at "{end}" and each part at "{mid}" into a key and an int, and returns '
        "the dict",
    ),
    eval_statements=(
        'parses a string, for example "x{mid}10{end}y{mid}20", to a dict whose values are integers',
        'returns a dict of the entries in a string: "{end}" divides the entries, "{mid}" a name '
        "and its whole number",
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
    difficulty=0.99,
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
        'checks whether the brackets "{pairs}" in a string are balanced',
        "returns True if every bracket in a string is closed in the right order, otherwise False; "
        'the brackets are "{pairs}"',
    ),
    eval_statements=(
        'tells whether the brackets of a string match; only "{pairs}" count as brackets',
        'returns True when each opening bracket among "{pairs}" has its closing one at the right '
        "place",
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
    difficulty=0.99,
)

ROMAN_NUMERAL = Family(
    name="roman_numeral",
    topic="parsing",
    arguments="s",
    function_names=("roman_plus_{plus}", "roman_value_plus_{plus}"),
    choices=grid(plus=range(1, 16)),
    train_statements=(
        "returns the value of a Roman numeral plus {plus}",
        "converts a Roman numeral to a number and adds {plus}",
    ),
    eval_statements=(
        "reads a string as a Roman numeral and gives back its value plus {plus}",
        "takes a number in Roman numerals and returns the number plus {plus}",
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
    difficulty=1.00,
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


FAMILIES = (
    SPLIT_TEXT,
    PICK_WORD,
    READ_NUMBERS,
    LABEL_NUMBER,
    PARSE_PAIRS,
    BALANCED,
    ROMAN_NUMERAL,
)
