"""Read the worked examples of a docstring: calls with the value that they are said to return.

Understood are doctests (``>>> f(1)`` with the value on the following line) and calls followed by
one of ``==``, ``=``, ``=>``, ``==>``, ``->``, ``➞``, ``returns`` and ``should return``. Both the
arguments and the value must be literals; anything else is prose and is left out.
"""

import ast
import re
from typing import Any, NamedTuple

__all__ = ["Example", "read_examples"]

_SAYS = re.compile(r"\s*(?:#\s*)?(?:==>|==|=>|=|->|➞|returns|should return|>>>)\s*")
_REMARK = re.compile(r"\s*(?:[#(].*)?")
_JSON_WORDS = {"true": "True", "false": "False", "null": "None"}


class Example(NamedTuple):
    """One call by position and what it returns."""

    args: list[Any]
    value: Any


def read_examples(text: str, name: str) -> list[Example]:
    """The examples that call ``name``, in the text's order, each call once."""
    examples: dict[str, Example] = {}
    for match in re.finditer(rf"(?<![\w.]){re.escape(name)}\(", text):
        call = _call_at(text, match.start())
        if call is None:
            continue
        args = _literal_arguments(call)
        found = _value_after(text[match.start() + len(call) :], _is_doctest(text, match.start()))
        if args is not None and found is not None:
            examples.setdefault(repr(args), Example(args=args, value=found[0]))
    return list(examples.values())


def _is_doctest(text: str, start: int) -> bool:
    return text[:start].rstrip(" ").endswith(">>>")


def _call_at(text: str, start: int) -> str | None:
    """The shortest text from ``start`` that is one call expression."""
    for match in re.finditer(r"\)", text[start:]):
        source = text[start : start + match.end()]
        try:
            node = ast.parse(source, mode="eval").body
        except SyntaxError:
            continue
        return source if isinstance(node, ast.Call) else None
    return None


def _literal_arguments(call: str) -> list[Any] | None:
    node = ast.parse(call, mode="eval").body
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    try:
        return [ast.literal_eval(argument) for argument in node.args]
    except ValueError:
        return None


def _value_after(text: str, is_doctest: bool) -> tuple[Any] | None:
    if is_doctest:
        lines = text.split("\n", 2)
        return _literal_prefix(lines[1].strip()) if not lines[0].strip() and lines[1:] else None
    says = _SAYS.match(text)
    if says is None:
        return None
    return _literal_prefix(text[says.end() :].split("\n", 1)[0].strip())


def _literal_prefix(line: str) -> tuple[Any] | None:
    """The longest literal that begins the line, when nothing but a remark follows it."""
    line = re.sub(r"[\s.;,]+$", "", line)
    line = re.sub(r"^\w+", lambda word: _JSON_WORDS.get(word[0], word[0]), line)
    for end in range(len(line), 0, -1):
        if not _REMARK.fullmatch(line[end:]):
            continue
        try:
            return (ast.literal_eval(line[:end]),)
        except (ValueError, SyntaxError):
            continue
    return None
