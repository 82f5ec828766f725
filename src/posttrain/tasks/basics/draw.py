"""Inputs for the families: short enough to be shown in a prompt, edge cases included."""

import random

__all__ = ["LETTERS", "integers", "scores", "sentence", "text", "word", "words"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORDS = (
    "a", "on", "it", "we", "sun", "red", "cat", "map", "sky", "tree", "blue", "fish", "moon",
    "stone", "river", "apple", "light", "music", "green", "window", "garden", "silver", "orange",
    "planet", "kitchen", "morning", "station", "elephant", "mountain", "notebook",
)  # fmt: skip


def integers(
    rng: random.Random, *, low: int = -9, high: int = 20, shortest: int = 0, longest: int = 6
) -> list[int]:
    """A list of whole numbers between ``low`` and ``high``."""
    return [rng.randint(low, high) for _ in range(rng.randint(shortest, longest))]


def word(rng: random.Random) -> str:
    """A common word of 1 to 8 lower-case letters."""
    return rng.choice(_WORDS)


def words(rng: random.Random, *, shortest: int = 0, longest: int = 5) -> list[str]:
    """A list of common words."""
    return [word(rng) for _ in range(rng.randint(shortest, longest))]


def sentence(rng: random.Random, *, shortest: int = 1, longest: int = 5) -> str:
    """Words joined by single spaces."""
    return " ".join(words(rng, shortest=shortest, longest=longest))


def text(
    rng: random.Random, alphabet: str = LETTERS, *, shortest: int = 0, longest: int = 9
) -> str:
    """Characters of ``alphabet``."""
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(shortest, longest)))


def scores(rng: random.Random, *, shortest: int = 0, longest: int = 4) -> dict[str, int]:
    """Words with a whole number each."""
    keys = rng.sample(_WORDS[4:], rng.randint(shortest, longest))
    return {key: rng.randint(-5, 30) for key in keys}
