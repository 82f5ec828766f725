"""Families on strings."""

from posttrain.tasks.basics.draw import sentence, text, word
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

KEEP_WORDS = Family(
    name="keep_words",
    topic="strings",
    arguments="words",
    function_names=("words_{how}_than_{n}", "{how}_than_{n}"),
    choices=grid(n=range(2, 9), how=("longer", "shorter")),
    train_statements=(
        "returns a list of the words that are {how} than {n} characters",
        "keeps only the words of a list that are {how} than {n} letters",
        "takes a list of words and returns those {how} than {n} characters",
    ),
    eval_statements=(
        "finds all words in a list that are {how} than {n} letters",
        "removes from a list all words that are not {how} than {n} characters",
    ),
    body=lambda p: (
        f"return [w for w in words if len(w) {'>' if p['how'] == 'longer' else '<'} {p['n']}]"
    ),
    draw=lambda rng, p: ([word(rng) for _ in range(rng.randint(1, 6))],),
    difficulty=0.97,
)

SHIFT_LETTERS = Family(
    name="shift_letters",
    topic="strings",
    arguments="s",
    function_names=("caesar_{k}", "shift_by_{k}"),
    choices=grid(k=range(1, 26)),
    train_statements=(
        "shifts each lower-case letter of a string by {k} places in the alphabet, wrapping around "
        "after z, and leaves other characters as they are",
        "replaces every letter from a to z by the letter {k} places after it (after z comes a) and "
        "keeps everything else",
    ),
    eval_statements=(
        "encodes a string with a Caesar cipher: lower-case letters move by {k} in the alphabet, "
        "other characters stay",
        "moves the lower-case letters of s {k} positions along the alphabet, beginning again where "
        "it ends; all other characters do not change",
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
    difficulty=1.00,
)

RUN_LENGTHS = Family(
    name="run_lengths",
    topic="strings",
    arguments="s",
    function_names=("run_lengths", "encode_runs", "compress"),
    choices=grid(sep=(":", "-", "x", "*", "="), end=(",", ";", " ", "|", "/")),
    train_statements=(
        'replaces each run of the same character by the character, "{sep}", the length of the run '
        'and "{end}"',
        'encodes each group of equal neighbouring characters as character + "{sep}" + count + '
        '"{end}"',
    ),
    eval_statements=(
        "compresses a string by run-length encoding, where a run is written as its character, "
        '"{sep}", how often it occurs in a row, and "{end}"',
        'writes for each run of equal characters of s the character, then "{sep}", then the size '
        'of the run, then "{end}"',
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
    difficulty=1.00,
)

FAMILIES = (
    KEEP_WORDS,
    SHIFT_LETTERS,
    RUN_LENGTHS,
)
