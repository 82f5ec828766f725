"""First families on strings: one method, one slice or one constant."""

import random

from posttrain.tasks.basics.draw import sentence, text, word
from posttrain.tasks.basics.family import Family, Parameters, grid

__all__ = ["FAMILIES"]

_ENDS = ("!", "?", ".", "...", "ing", "ed", "s", "-end", "_x", "+", "#", " ok", ";", "er", "ly")
_LETTERS = ("a", "e", "i", "o", "u", "n", "r", "s", "t", "l", "m", "d", "c", "p", "g")


def _short(rng: random.Random, _: Parameters) -> tuple[str]:
    return (rng.choice((word(rng), word(rng), sentence(rng, longest=2))),)


def _long(rng: random.Random, _: Parameters) -> tuple[str]:
    return (text(rng, shortest=10, longest=16),)


def _with_letter(rng: random.Random, p: Parameters) -> tuple[str]:
    return (text(rng, p["letter"] + p["letter"] + "bdkx", shortest=1, longest=9),)


def _with_start(rng: random.Random, p: Parameters) -> tuple[str]:
    return (rng.choice((p["start"], "", p["start"][:1], "x" + p["start"])) + word(rng),)


FAMILIES = (
    Family(
        name="add_suffix",
        topic="strings",
        arguments="s",
        function_names=("add_suffix", "append", "end_with"),
        choices=grid(end=_ENDS),
        train_statements=(
            'adds "{end}" to the end of the string `s`',
            'returns the string `s` followed by "{end}"',
        ),
        eval_statements=('returns `s` + "{end}"', 'appends "{end}" to the text `s`'),
        body='return s + "{end}"',
        draw=_short,
        difficulty=0.5,
    ),
    Family(
        name="add_prefix",
        topic="strings",
        arguments="s",
        function_names=("add_prefix", "prepend", "begin_with"),
        choices=grid(start=("Mr. ", "re", "un", "#", "> ", "the ", "- ", "pre", "@", "my ", "A: ")),
        train_statements=(
            'adds "{start}" to the beginning of the string `s`',
            'returns "{start}" followed by the string `s`',
        ),
        eval_statements=('returns "{start}" + `s`', 'puts "{start}" in front of the text `s`'),
        body='return "{start}" + s',
        draw=_short,
        difficulty=0.7,
    ),
    Family(
        name="repeat_string",
        topic="strings",
        arguments="s",
        function_names=("repeat_{k}_times", "repeat_text_{k}_times"),
        choices=grid(k=range(3, 17)),
        train_statements=(
            "returns the string `s` repeated {k} times",
            "repeats the string `s` {k} times",
        ),
        eval_statements=("returns {k} copies of `s` in one string", "returns `s` * {k}"),
        body="return s * {k}",
        draw=lambda rng, p: (text(rng, shortest=1, longest=3),),
        difficulty=0.8,
    ),
    Family(
        name="count_letter",
        topic="strings",
        arguments="s",
        function_names=("count_{letter}", "count_letter_{letter}"),
        choices=grid(letter=_LETTERS),
        train_statements=(
            'counts how many times the letter "{letter}" appears in the string `s`',
            'returns the number of "{letter}" in the string `s`',
        ),
        eval_statements=(
            'returns how often "{letter}" occurs in `s`',
            'counts the occurrences of "{letter}" in the text `s`',
        ),
        body='return s.count("{letter}")',
        draw=_with_letter,
        difficulty=0.7,
    ),
    Family(
        name="replace_letter",
        topic="strings",
        arguments="s",
        function_names=("replace_{letter}", "replace_letter_{letter}"),
        choices=grid(letter=_LETTERS[:8], other=("*", "-", "x", "_")),
        train_statements=(
            'replaces every "{letter}" in the string `s` with "{other}"',
            'returns the string `s` with each "{letter}" replaced by "{other}"',
        ),
        eval_statements=(
            'changes all letters "{letter}" of `s` to "{other}"',
            'returns `s` where "{other}" stands for every "{letter}"',
        ),
        body='return s.replace("{letter}", "{other}")',
        draw=_with_letter,
        difficulty=0.9,
    ),
    Family(
        name="remove_letter",
        topic="strings",
        arguments="s",
        function_names=("remove_{letter}", "remove_letter_{letter}"),
        choices=grid(letter=_LETTERS),
        train_statements=(
            'removes every "{letter}" from the string `s`',
            'returns the string `s` without the letter "{letter}"',
        ),
        eval_statements=(
            'deletes all occurrences of "{letter}" in `s`',
            'returns `s` with each "{letter}" left out',
        ),
        body='return s.replace("{letter}", "")',
        draw=_with_letter,
        difficulty=0.8,
    ),
    Family(
        name="has_letter",
        topic="strings",
        arguments="s",
        function_names=("contains_{letter}", "has_letter_{letter}"),
        choices=grid(letter=_LETTERS),
        train_statements=(
            'returns True if the string `s` contains "{letter}", otherwise False',
            'checks if "{letter}" is in the string `s`',
        ),
        eval_statements=(
            'tells whether the letter "{letter}" occurs in `s`',
            'returns whether `s` has a "{letter}" in it',
        ),
        body='return "{letter}" in s',
        draw=lambda rng, p: (text(rng, p["letter"] + "bdkxzw", shortest=1, longest=5),),
        difficulty=0.85,
    ),
    Family(
        name="starts_with",
        topic="strings",
        arguments="s",
        function_names=("starts_with_{start}", "begins_with_{start}"),
        choices=grid(start=("a", "re", "un", "th", "pre", "x", "no", "in", "st", "b", "co", "dis")),
        train_statements=(
            'returns True if the string `s` starts with "{start}", otherwise False',
            'checks if the string `s` starts with "{start}"',
        ),
        eval_statements=(
            'tells whether `s` begins with "{start}"',
            'returns whether "{start}" is at the very front of `s`',
        ),
        body='return s.startswith("{start}")',
        draw=_with_start,
        difficulty=0.93,
    ),
    Family(
        name="first_chars",
        topic="strings",
        arguments="s",
        function_names=("first_{k}_chars", "first_{k}_letters"),
        choices=grid(k=range(2, 12)),
        train_statements=(
            "returns the first {k} characters of the string `s`",
            "returns the string `s` cut after {k} characters",
        ),
        eval_statements=(
            "returns the first {k} letters of the text `s`",
            "keeps only the first {k} characters of `s`",
        ),
        body="return s[:{k}]",
        draw=_long,
        difficulty=0.75,
    ),
    Family(
        name="last_chars",
        topic="strings",
        arguments="s",
        function_names=("last_{k}_chars", "last_{k}_letters"),
        choices=grid(k=range(2, 12)),
        train_statements=(
            "returns the last {k} characters of the string `s`",
            "returns the {k} characters at the end of the string `s`",
        ),
        eval_statements=(
            "returns the last {k} letters of the text `s`",
            "keeps only the last {k} characters of `s`",
        ),
        body="return s[-{k}:]",
        draw=_long,
        difficulty=0.6,
    ),
    Family(
        name="char_at",
        topic="strings",
        arguments="s",
        function_names=("char_at_{k}", "letter_at_index_{k}"),
        choices=grid(k=range(1, 10)),
        train_statements=(
            "returns the character of the string `s` at index {k}",
            "returns the character at position {k} of the string `s`, counting from 0",
        ),
        eval_statements=(
            "picks the letter of `s` whose index is {k}",
            "returns the character that stands at index {k} in `s`",
        ),
        body="return s[{k}]",
        draw=_long,
        difficulty=0.5,
    ),
    Family(
        name="is_longer",
        topic="strings",
        arguments="s",
        function_names=("is_longer_than_{k}", "has_more_than_{k}_chars"),
        choices=grid(k=range(2, 16)),
        train_statements=(
            "returns True if the string `s` has more than {k} characters, otherwise False",
            "checks if the string `s` is longer than {k} characters",
        ),
        eval_statements=(
            "tells whether the length of `s` is greater than {k}",
            "returns whether there are more than {k} characters in `s`",
        ),
        body="return len(s) > {k}",
        draw=lambda rng, p: (text(rng, shortest=max(0, p["k"] - 2), longest=p["k"] + 3),),
        difficulty=0.9,
    ),
    Family(
        name="split_at",
        topic="strings",
        arguments="s",
        function_names=("split_text", "parts", "separate"),
        choices=grid(sep=("-", ",", ";", "/", "|", ":", "+", "_", "=")),
        train_statements=(
            'splits the string `s` at each "{sep}" and returns the list of the parts',
            'returns the list of the parts of the string `s` that are separated by "{sep}"',
        ),
        eval_statements=(
            'cuts `s` at every "{sep}" and returns the pieces as a list',
            'returns the pieces between the "{sep}" of `s` as a list',
        ),
        body='return s.split("{sep}")',
        draw=lambda rng, p: (p["sep"].join(word(rng) for _ in range(rng.randint(1, 4))),),
        difficulty=0.95,
    ),
)
