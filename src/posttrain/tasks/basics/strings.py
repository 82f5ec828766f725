"""Families on strings."""

from posttrain.tasks.basics.draw import sentence, text, word
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

WRAP_TEXT = Family(
    name="wrap_text",
    topic="strings",
    arguments="s",
    function_names=("wrap_text", "decorate", "surround"),
    choices=grid(left=("<", "(", "[", "--", "** ", "begin "), right=(">", ")", "]", "!", " end")),
    train_statements=(
        'returns the string `s` with "{left}" in front and "{right}" behind it',
        'puts "{left}" before `s` and "{right}" after it',
        'returns "{left}" + s + "{right}"',
    ),
    eval_statements=(
        'adds "{left}" to the start of the string `s` and "{right}" to its end',
        'returns `s` surrounded by "{left}" on the left and "{right}" on the right',
    ),
    body='return "{left}" + s + "{right}"',
    draw=lambda rng, p: (rng.choice(("", word(rng), sentence(rng))),),
    difficulty=0.2,
)

COUNT_LETTERS = Family(
    name="count_letters",
    topic="strings",
    arguments="s",
    function_names=("count_letters", "count_chars"),
    choices=grid(
        letters=(
            "aeiou",
            "aei",
            "xyz",
            "abc",
            "rst",
            "lmn",
            "ea",
            "st",
            "on",
            "e",
            "a",
            "o",
            "nr",
            "ig",
            "dt",
            "aou",
            "mst",
            "le",
            "re",
            "in",
            "pst",
        )
    ),
    train_statements=(
        'counts how many characters of the string `s` are in "{letters}"',
        'returns the number of characters in `s` that occur in "{letters}"',
        'returns how often any of the letters "{letters}" appears in `s`',
    ),
    eval_statements=(
        'returns how many of the characters of `s` belong to "{letters}"',
        'takes a string `s` and counts the characters that are one of "{letters}"',
    ),
    body='return sum(1 for c in s if c in "{letters}")',
    draw=lambda rng, p: (rng.choice((sentence(rng), text(rng, p["letters"] + "bdk"))),),
    difficulty=0.35,
)

EVERY_KTH = Family(
    name="every_kth",
    topic="strings",
    arguments="s",
    function_names=("pick_chars", "every_nth", "select"),
    choices=grid(step=range(2, 6), start=range(0, 5)),
    train_statements=(
        "returns s[{start}], s[{start} + {step}], s[{start} + 2 * {step}] and so on as one string",
        "returns every character of the string `s` at index {start} and then in steps of {step}",
        "starts at index {start} of `s` and takes a character every {step} places",
    ),
    eval_statements=(
        "builds a string from the characters of `s` at index {start} and then at every step of "
        "{step}",
        "returns the part of `s` that begins at index {start} and keeps one character in {step}",
    ),
    body="return s[{start}::{step}]",
    draw=lambda rng, p: (text(rng, longest=14),),
    difficulty=0.5,
)

KEEP_LONG_WORDS = Family(
    name="keep_long_words",
    topic="strings",
    arguments="s",
    function_names=("keep_words", "filter_words", "select_words"),
    choices=grid(n=range(2, 9), how=("more than", "fewer than", "at least")),
    train_statements=(
        "returns the list of the words of the sentence `s` that have {how} {n} letters",
        "splits `s` at spaces and returns a list of the words with {how} {n} letters",
        "returns all words of `s` with {how} {n} letters, as a list",
    ),
    eval_statements=(
        "takes a sentence `s` and gives back a list of only those words that have {how} {n} "
        "letters",
        "returns a list of the words in `s` whose number of letters is {how} {n}",
    ),
    body=lambda p: (
        "return [w for w in s.split() if len(w) "
        + {"more than": ">", "fewer than": "<", "at least": ">="}[p["how"]]
        + f" {p['n']}]"
    ),
    draw=lambda rng, p: (sentence(rng, longest=6),),
    difficulty=0.35,
)

REPEAT_TEXT = Family(
    name="repeat_text",
    topic="strings",
    arguments="s, n",
    function_names=("repeat_text", "repeat_string", "echo"),
    choices=grid(sep=("-", "+", " ", ", ", "/", "_", "|", " and ", "; ", "*", ".", " x ")),
    train_statements=(
        'returns the string `s` repeated `n` times, with "{sep}" between the copies',
        'joins `n` copies of the string `s` with "{sep}"',
        'repeats `s` `n` times and separates the repetitions by "{sep}"',
    ),
    eval_statements=(
        'writes `s` exactly `n` times in one string, putting "{sep}" between two copies',
        'returns `n` copies of `s` separated by "{sep}"',
    ),
    body='return "{sep}".join([s] * n)',
    draw=lambda rng, p: (word(rng), rng.randint(0, 4)),
    difficulty=0.55,
)

SHIFT_LETTERS = Family(
    name="shift_letters",
    topic="strings",
    arguments="s",
    function_names=("shift_letters", "caesar", "encode"),
    choices=grid(k=range(1, 26)),
    train_statements=(
        "shifts each lower-case letter of `s` by {k} places in the alphabet, wrapping around at "
        "the end, and leaves other characters as they are",
        "replaces every letter from a to z in `s` by the letter {k} places after it (after z comes "
        "a) and keeps everything else",
    ),
    eval_statements=(
        "encodes `s` with a Caesar cipher: lower-case letters move by {k} in the alphabet, cyclic, "
        "other characters stay",
        "moves the lower-case letters of `s` {k} positions along the alphabet, beginning again "
        "where it ends; all other characters do not change",
    ),
    body="""
result = ""
for c in s:
    if "a" <= c <= "z":
        c = chr((ord(c) - ord("a") + {k}) % 26 + ord("a"))
    result += c
return result
""",
    draw=lambda rng, p: (rng.choice((sentence(rng, longest=3), text(rng, "abcxyz -!"))),),
    difficulty=0.85,
)

RUN_LENGTHS = Family(
    name="run_lengths",
    topic="strings",
    arguments="s",
    function_names=("run_lengths", "encode_runs", "compress"),
    choices=grid(sep=(":", "-", "x", "*", "="), end=(",", ";", " ", "|", "/")),
    train_statements=(
        'encodes the runs of equal characters in `s`: each run becomes its character, "{sep}", '
        'the length of the run and "{end}"',
        'replaces each run of the same character in `s` by character + "{sep}" + count + "{end}"',
    ),
    eval_statements=(
        "compresses `s` by run-length encoding, where a run is written as the character, then "
        '"{sep}", then how often it occurs in a row, then "{end}"',
        'writes for each group of equal neighbouring characters of `s` the character, "{sep}", '
        'the size of the group and "{end}"',
    ),
    body="""
result = ""
i = 0
while i < len(s):
    j = i
    while j < len(s) and s[j] == s[i]:
        j += 1
    result += s[i] + "{sep}" + str(j - i) + "{end}"
    i = j
return result
""",
    draw=lambda rng, p: ("".join(rng.choice("abc") * rng.randint(1, 4) for _ in range(4)),),
    difficulty=0.9,
)

INITIALS = Family(
    name="initials",
    topic="strings",
    arguments="s",
    function_names=("initials", "first_letters"),
    choices=grid(sep=("", ".", "-", " ", "/", "_", "+", "|", "~"), k=(1, 2, 3)),
    words=lambda p: {"letters": "first letter" if p["k"] == 1 else f"first {p['k']} letters"},
    train_statements=(
        'returns the {letters} of each word of `s`, joined by "{sep}"',
        'joins the {letters} of every word of the sentence `s` with "{sep}"',
    ),
    eval_statements=(
        'takes the {letters} of each word in `s` and joins them with "{sep}"',
        'returns a string of the {letters} of all words of `s`, with "{sep}" in between',
    ),
    body='return "{sep}".join(w[:{k}] for w in s.split())',
    draw=lambda rng, p: (sentence(rng, longest=4),),
    difficulty=0.4,
)

FAMILIES = (
    WRAP_TEXT,
    COUNT_LETTERS,
    EVERY_KTH,
    KEEP_LONG_WORDS,
    REPEAT_TEXT,
    SHIFT_LETTERS,
    RUN_LENGTHS,
    INITIALS,
)
