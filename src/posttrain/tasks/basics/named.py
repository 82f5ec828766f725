"""Families whose parameter is the operation itself: the small functions of every first lesson.

An operation is its function's name, how training words it, how evaluation words it, and its body.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from posttrain.tasks.basics.draw import integers, scores, sentence, word, words
from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

Operations = Mapping[str, tuple[str, str, str]]

_NUMBER_OPERATIONS: Operations = {
    "square": ("returns the square of a number", "multiplies a number by itself", "n * n"),
    "cube": ("returns the cube of a number", "raises a number to the power of 3", "n ** 3"),
    "double": ("doubles a number", "returns twice the number", "n * 2"),
    "half": ("returns half of a number", "divides a number by 2", "n / 2"),
    "negate": ("returns a number with the opposite sign", "negates a number", "-n"),
    "absolute": ("returns the absolute value of a number", "makes a number positive", "abs(n)"),
    "next_number": ("returns the next whole number", "adds 1 to a number", "n + 1"),
    "previous_number": ("returns the previous number", "subtracts 1 from a number", "n - 1"),
    "triple": ("triples a number", "multiplies a number by 3", "n * 3"),
    "to_text": ("converts a number to a string", "turns a number into text", "str(n)"),
    "round_down_half": ("returns n // 2", "halves a number and rounds down", "n // 2"),
    "count_digits": (
        "counts the digits of a number",
        "returns how many digits a number has",
        "len(str(abs(n)))",
    ),
}
_CHECKS: Operations = {
    "is_even": ("checks if a number is even", "tells whether n is even", "n % 2 == 0"),
    "is_odd": ("checks if a number is odd", "tells whether n is odd", "n % 2 == 1"),
    "is_positive": ("checks if a number is positive", "tells whether n is above 0", "n > 0"),
    "is_negative": ("checks if a number is negative", "tells whether n is below 0", "n < 0"),
    "is_zero": ("checks if a number is zero", "tells whether n equals 0", "n == 0"),
    "is_not_negative": ("checks if a number is 0 or more", "tells whether n >= 0", "n >= 0"),
    "is_single_digit": (
        "checks if a number has a single digit",
        "tells whether n is between -9 and 9",
        "-10 < n < 10",
    ),
    "ends_in_zero": ("checks if a number ends in 0", "tells whether 10 divides n", "n % 10 == 0"),
    "ends_in_five": (
        "checks if the last digit is 5",
        "tells whether a number ends with 5",
        "abs(n) % 10 == 5",
    ),
}
_TEXT_OPERATIONS: Operations = {
    "to_upper": ("converts a string to upper case", "makes all letters capital", "s.upper()"),
    "to_lower": ("converts a string to lower case", "makes all letters small", "s.lower()"),
    "reverse": ("reverses a string", "returns a string backwards", "s[::-1]"),
    "length": ("returns the length of a string", "counts the characters", "len(s)"),
    "first_char": ("returns the first character", "gets s at index 0", "s[0]"),
    "last_char": ("returns the last character", "gets the final character of s", "s[-1]"),
    "swap_case": ("swaps upper and lower case", "switches the case of letters", "s.swapcase()"),
    "capitalize": ("capitalizes a string", "makes the first letter capital", "s.capitalize()"),
    "count_words": ("counts the words", "returns the number of words", "len(s.split())"),
    "split_words": ("splits a string into words", "lists the words of s", "s.split()"),
    "characters": ("returns a list of all characters", "turns s into a list", "list(s)"),
    "remove_spaces": ("removes all spaces", "deletes the spaces of s", 's.replace(" ", "")'),
    "double_text": ("repeats a string twice", "returns a string two times in a row", "s * 2"),
    "without_first": ("removes the first character", "returns s from index 1 on", "s[1:]"),
    "without_last": ("removes the last character", "drops the final character", "s[:-1]"),
}
_LIST_OPERATIONS: Operations = {
    "sum_list": ("returns the sum of a list", "adds up all numbers of a list", "sum(xs)"),
    "find_max": ("finds the largest number in a list", "returns the maximum", "max(xs)"),
    "find_min": ("finds the smallest number in a list", "returns the minimum", "min(xs)"),
    "count_items": ("counts the elements of a list", "returns the size of a list", "len(xs)"),
    "sort_list": ("sorts a list", "orders a list from low to high", "sorted(xs)"),
    "reverse_list": ("reverses a list", "turns the order of a list around", "xs[::-1]"),
    "first_item": ("returns the first element", "gets the element at index 0", "xs[0]"),
    "last_item": ("returns the last element", "gets the final element of a list", "xs[-1]"),
    "average": ("returns the average of a list", "finds the mean", "sum(xs) / len(xs)"),
    "sort_down": (
        "sorts a list in descending order",
        "orders a list from high to low",
        "sorted(xs, reverse=True)",
    ),
    "value_range": (
        "returns the difference of the largest and the smallest number",
        "finds how far apart the maximum and the minimum are",
        "max(xs) - min(xs)",
    ),
    "count_unique": ("counts the different numbers", "finds how many are unique", "len(set(xs))"),
    "remove_first": ("removes the first element", "returns all but the first", "xs[1:]"),
    "remove_last": ("removes the last element", "returns all but the last", "xs[:-1]"),
}
_EACH_OPERATIONS: Operations = {
    "square_all": ("squares each number", "multiplies each by itself", "[x * x for x in xs]"),
    "double_all": ("doubles each number", "returns twice each number", "[x * 2 for x in xs]"),
    "cube_all": ("cubes each number", "raises each to the power of 3", "[x ** 3 for x in xs]"),
    "negate_all": ("changes the sign of each number", "negates each", "[-x for x in xs]"),
    "absolute_all": ("returns absolute values", "makes each positive", "[abs(x) for x in xs]"),
    "texts": ("converts each to a string", "turns each into text", "[str(x) for x in xs]"),
    "keep_even": ("keeps even numbers", "removes odd numbers", "[x for x in xs if x % 2 == 0]"),
    "keep_odd": ("keeps odd numbers", "removes even numbers", "[x for x in xs if x % 2 == 1]"),
    "keep_positive": ("keeps positive numbers", "removes n <= 0", "[x for x in xs if x > 0]"),
    "keep_negative": ("keeps negative numbers", "removes n >= 0", "[x for x in xs if x < 0]"),
    "add_one_to_all": ("adds 1 to each number", "increases each by 1", "[x + 1 for x in xs]"),
}
_WORD_OPERATIONS: Operations = {
    "word_lengths": ("returns the length of each word", "counts each", "[len(w) for w in words]"),
    "upper_words": ("makes each upper case", "capitalizes all", "[w.upper() for w in words]"),
    "first_letters": ("returns first letters", "gets index 0 of each", "[w[0] for w in words]"),
    "last_letters": ("returns last letters", "gets the end of each", "[w[-1] for w in words]"),
    "reverse_words": ("reverses each word", "turns each around", "[w[::-1] for w in words]"),
    "longest_word": ("finds the longest word", "gets the maximum length", "max(words, key=len)"),
    "join_all": ("joins the words with spaces", "makes one sentence", '" ".join(words)'),
    "shortest_word": ("finds the shortest word", "gets the least length", "min(words, key=len)"),
    "total_length": ("adds the word lengths", "counts all letters", "sum(len(w) for w in words)"),
}
_DICT_OPERATIONS: Operations = {
    "get_keys": ("returns a list of the keys", "lists all keys", "list(d.keys())"),
    "get_values": ("returns a list of the values", "lists all values", "list(d.values())"),
    "sum_values": ("returns the sum of the values", "adds up values", "sum(d.values())"),
    "max_value": ("returns the largest value", "finds the top value", "max(d.values())"),
    "min_value": ("returns the smallest value", "finds the lowest", "min(d.values())"),
    "count_keys": ("counts the keys", "returns the number of entries", "len(d)"),
    "sorted_keys": ("returns the keys in sorted order", "lists keys from a to z", "sorted(d)"),
    "swap": ("swaps keys and values", "turns values to keys", "{v: k for k, v in d.items()}"),
    "double_values": ("doubles values", "2 * each", "{k: v * 2 for k, v in d.items()}"),
}


def _family(
    name: str,
    topic: str,
    arguments: str,
    subject: str,
    operations: Operations,
    draw: Callable[[random.Random, Any], tuple[Any, ...]],
    difficulty: float,
) -> Family:
    """A family over ``operations``; ``subject`` names what they are applied to."""
    return Family(
        name=name,
        topic=topic,
        arguments=arguments,
        function_names=("{operation}",),
        choices=grid(operation=tuple(operations)),
        words=lambda p: {
            "plain": operations[p["operation"]][0],
            "other": operations[p["operation"]][1],
        },
        train_statements=("{plain}", f"takes {subject} and {{plain}}"),
        eval_statements=("{other}", f"gets {subject} and {{other}}"),
        body=lambda p: f"return {operations[p['operation']][2]}",
        draw=draw,
        difficulty=difficulty,
    )


FAMILIES = (
    _family("number_operation", "numbers", "n", "a number", _NUMBER_OPERATIONS,
            lambda rng, _: (rng.randint(-50, 120),), 0.55),
    _family("number_check", "numbers", "n", "a number", _CHECKS,
            lambda rng, _: (rng.choice((0, 10, 5, 1, 3, 2)) * rng.randint(-6, 12),), 0.45),
    _family("text_operation", "strings", "s", "a string", _TEXT_OPERATIONS,
            lambda rng, _: (rng.choice((word(rng), sentence(rng, longest=3).title())),), 0.6),
    _family("list_operation", "lists", "xs", "a list of numbers", _LIST_OPERATIONS,
            lambda rng, _: (integers(rng, shortest=1),), 0.7),
    _family("each_operation", "lists", "xs", "a list of numbers", _EACH_OPERATIONS,
            lambda rng, _: (integers(rng),), 0.8),
    _family("word_operation", "parsing", "words", "a list of words", _WORD_OPERATIONS,
            lambda rng, _: (words(rng, shortest=1),), 0.85),
    _family("dict_operation", "dicts", "d", "a dictionary", _DICT_OPERATIONS,
            lambda rng, _: (scores(rng, shortest=1),), 0.95),
)  # fmt: skip
