"""Give tuples, sets and numbers back to arguments that went through JSON.

A release that stores inputs as JSON turns tuples and sets into lists and complex numbers into text.
Its asserts still show them, so what stood at a place (argument position, depth) is looked up in the
calls of the asserts. Where they show several containers at one place, the list stays. Where they
show a container nested in its like, so are the depths that they do not reach. In a task whose
contract speaks of complex numbers, a text that spells a number is one.
"""

import ast
from collections.abc import Iterable
from typing import Any

__all__ = ["LostTypes"]


class LostTypes:
    """What the asserts of one task pass to its function."""

    def __init__(self, assertion: str, name: str, *, contract: str = "") -> None:
        self._has_complex = "complex" in contract
        self._kinds: dict[tuple[int, int], set[type]] = {}
        for args in _calls(assertion, name):
            for position, value in enumerate(args):
                self._learn(position, 0, value)

    def restore(self, args: list[Any]) -> list[Any]:
        """``args`` with the containers that the asserts show."""
        return [self._restored(position, 0, value) for position, value in enumerate(args)]

    def _learn(self, position: int, depth: int, value: Any) -> None:
        if isinstance(value, list | tuple | set):
            self._kinds.setdefault((position, depth), set()).add(type(value))
        for item in _items(value):
            self._learn(position, depth + 1, item)

    def _restored(self, position: int, depth: int, value: Any) -> Any:
        kind = self._kind(position, depth)
        if isinstance(value, dict):
            return {key: self._restored(position, depth + 1, item) for key, item in value.items()}
        if isinstance(value, list):
            inner = [self._restored(position, depth + 1, item) for item in value]
            return kind(inner) if kind in (tuple, set) else inner
        return _number(value) if self._has_complex and isinstance(value, str) else value

    def _kind(self, position: int, depth: int) -> type:
        deepest = max((d for p, d in self._kinds if p == position), default=0)
        shown = self._kinds.get((position, min(depth, deepest)), {list})
        if depth > deepest and shown != self._kinds.get((position, deepest - 1)):
            return list
        return next(iter(shown)) if len(shown) == 1 else list


def _number(text: str) -> Any:
    for kind in (float, complex):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple | set) else ()


def _calls(assertion: str, name: str) -> list[list[Any]]:
    """Literal arguments of each call of ``name``; a call with others is left out."""
    calls = []
    for node in ast.walk(ast.parse(assertion)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            try:
                calls.append([ast.literal_eval(argument) for argument in node.args])
            except ValueError:
                continue
    return calls
