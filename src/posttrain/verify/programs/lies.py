"""Ask an object that is not plain data whether it lies about what it is.

A lie is an act, not a type: the object is asked in its own process, and only an answer that no
honest object gives counts. An ordinary class with its own ``__eq__`` knows nothing of the strangers
that it is shown here, so it says that it differs, or raises.
"""

import random
from collections.abc import Callable

from posttrain.verify.programs.frame import Tree

__all__ = ["LieDetector"]

_MAX_ASKED = 16
_HEAP_TYPE = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: a class made by a class statement, or by an extension module."""


def _answers(question: Callable[[], object]) -> bool:
    try:
        return bool(question())
    except SystemExit:
        raise
    except BaseException:  # noqa: BLE001 - the boundary: a candidate's method may raise anything
        return False


def _defines(kind: type, *names: str) -> bool:
    classes = type.__dict__["__mro__"].__get__(kind)
    return any(
        name in type.__dict__["__dict__"].__get__(entry)
        for entry in classes
        if type.__dict__["__flags__"].__get__(entry) & _HEAP_TYPE
        for name in names
    )


def _strangers() -> list[tuple[object, object]]:
    """Pairs of values that nothing honest can equal both of."""
    draw = random.SystemRandom().getrandbits
    one, two = draw(60), draw(61) + (1 << 61)
    return [
        (one, two),
        (f"{one:x}", f"{two:x} {two:x}"),
        ([one], [two, one, two]),
        ((one,), (two, one, two)),
        ({one: two}, {two: one, "k": two, "l": one}),
        ({one}, {two, -two, -one}),
    ]


class LieDetector:
    """Describes opaque values for ``pack``; asks at most a few of them."""

    def __init__(self) -> None:
        self._num_asked = 0

    def describe(self, value: object) -> Tree:
        """``[type's name, lies]``."""
        kind = type(value)
        name = str(type.__dict__["__name__"].__get__(kind))
        self._num_asked += 1
        return [name, _lies(value, kind) if self._num_asked <= _MAX_ASKED else []]


def _lies(value: object, kind: type) -> list[str]:
    found = []
    if _defines(kind, "__class__") and _answers(lambda: value.__class__ is not kind):
        found.append("__class__")
    if _defines(kind, "__eq__", "__ne__") and _equals_strangers(value):
        found.append("__eq__")
    if _defines(kind, "__hash__") and _answers(lambda: hash(value) != hash(value)):
        found.append("__hash__")
    meta = type(kind)
    if meta is not type and _defines(meta, "__eq__") and _equals_strangers(kind):
        found.append("type.__eq__")
    return found


def _equals_strangers(value: object) -> bool:
    stranger = object()
    if _answers(lambda: value == stranger) or _answers(
        lambda: not value != stranger  # noqa: SIM202 - __ne__ itself is asked
    ):
        return True
    return any(
        _answers(lambda one=one: value == one) and _answers(lambda two=two: value == two)  # type: ignore[misc]
        for one, two in _strangers()
    )
