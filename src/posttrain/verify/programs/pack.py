"""Plain Python values as typed JSON: exact types, capped before and while reading.

    None, bool, str, float   themselves (NaN and infinities as Python's json writes them)
    int                      itself up to ``_DECIMAL_BITS`` bits, else {"i": hexadecimal text}
    list                     an array
    tuple set frozenset      {"t": [...]}  {"s": [...]}  {"f": [...]}
    dict Counter OrderedDict {"d": [key, value, ...]}  {"C": ...}  {"O": ...}
    defaultdict              {"D": [factory's name or null, [key, value, ...]]}
    deque                    {"q": [maxlen or null, [...]]}
    bytes bytearray range    {"b": latin-1 text}  {"B": ...}  {"r": [start, stop, step]}
    complex                  {"c": [real, imaginary]}
    anything else            {"x": [type's name, [lie, ...]]}, an ``Opaque`` for the reader

A type counts only when ``type(x) is`` it: a named tuple, an enum member and every other subclass
is opaque, so that no code of its own ever decides a comparison. Nothing is evaluated or imported.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from posttrain.verify.programs.frame import (
    MAX_DEPTH,
    MAX_INT_BITS,
    MAX_ITEMS,
    RefusedError,
    Tree,
)

__all__ = ["FACTORIES", "SCALARS", "pack"]

_DECIMAL_BITS = 8192
_SMALL_INT = 1 << _DECIMAL_BITS
_DIRECT = frozenset({type(None), bool, str, float})
SCALARS = _DIRECT | {int}
"""Types that travel as themselves."""

FACTORIES = {
    kind.__name__: kind for kind in (int, float, str, bool, list, tuple, set, dict, Counter)
}
"""What a ``defaultdict`` that travels may make."""


def _refuse(value: object) -> Tree:
    raise RefusedError(f"a {type(value).__name__} has no plain form")


class _Packer:
    """Packs one value; ``room`` bounds the items, also of a graph that shares its parts."""

    __slots__ = ("describe", "room")

    def __init__(self, describe: Callable[[object], Tree]) -> None:
        self.describe = describe
        self.room = MAX_ITEMS

    def pack(self, value: Any, depth: int = MAX_DEPTH) -> Tree:
        kind = type(value)
        if kind in _DIRECT:
            return value
        if kind is int:
            return _pack_int(value)
        pack_container = _PACKERS.get(kind)
        if pack_container is None:
            return {"x": self.describe(value)}
        if depth == 0:
            raise RefusedError(f"nested deeper than {MAX_DEPTH}")
        return pack_container(self, value, depth - 1)

    def items(self, values: list[Any] | tuple[Any, ...], depth: int) -> list[Tree]:
        self.room -= len(values)
        if self.room < 0:
            raise RefusedError(f"more than {MAX_ITEMS} items")
        kinds = set(map(type, values))
        if kinds <= _DIRECT:
            return list(values)
        if kinds == {int} and min(values) > -_SMALL_INT and max(values) < _SMALL_INT:
            return list(values)
        return [self.pack(value, depth) for value in values]

    def pairs(self, value: dict[Any, Any], depth: int) -> list[Tree]:
        return self.items([part for pair in value.items() for part in pair], depth)


def _pack_int(value: int) -> Tree:
    num_bits = value.bit_length()
    if num_bits <= _DECIMAL_BITS:
        return value
    if num_bits > MAX_INT_BITS:
        raise RefusedError(f"an int of more than {MAX_INT_BITS} bits")
    return {"i": format(value, "x")}


def _pack_defaultdict(packer: _Packer, value: "defaultdict[Any, Any]", depth: int) -> Tree:
    factory = value.default_factory
    name = None if factory is None else getattr(factory, "__name__", "")
    if name is not None and FACTORIES.get(name) is not factory:
        return {"x": packer.describe(value)}
    return {"D": [name, packer.pairs(value, depth)]}


_PACKERS: dict[type, Callable[[_Packer, Any, int], Tree]] = {
    list: lambda packer, value, depth: packer.items(value, depth),
    tuple: lambda packer, value, depth: {"t": packer.items(value, depth)},
    set: lambda packer, value, depth: {"s": packer.items(list(value), depth)},
    frozenset: lambda packer, value, depth: {"f": packer.items(list(value), depth)},
    dict: lambda packer, value, depth: {"d": packer.pairs(value, depth)},
    Counter: lambda packer, value, depth: {"C": packer.pairs(value, depth)},
    OrderedDict: lambda packer, value, depth: {"O": packer.pairs(value, depth)},
    defaultdict: _pack_defaultdict,
    deque: lambda packer, value, depth: {"q": [value.maxlen, packer.items(list(value), depth)]},
    bytes: lambda packer, value, depth: {"b": value.decode("latin-1")},
    bytearray: lambda packer, value, depth: {"B": value.decode("latin-1")},
    range: lambda packer, value, depth: {
        "r": [_pack_int(part) for part in (value.start, value.stop, value.step)]
    },
    complex: lambda packer, value, depth: {"c": [value.real, value.imag]},
}


def pack(value: Any, describe: Callable[[object], Tree] = _refuse) -> Tree:
    """The tree of a value; ``describe`` gives what is told of a part that has no form.

    Raises:
        RefusedError: the value exceeds a cap, or has no form and there is no ``describe``.
    """
    return _Packer(describe).pack(value)
