"""Read packed values (see ``pack``); whatever ``pack`` cannot have written is malformed."""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

from posttrain.verify.programs.frame import (
    MAX_COLLISIONS,
    MAX_DEPTH,
    MAX_INT_BITS,
    MalformedError,
    Opaque,
    Tree,
)
from posttrain.verify.programs.pack import FACTORIES, SCALARS

__all__ = ["opaque_values", "unpack"]


def unpack(tree: Tree) -> Any:
    """The value of a tree; raises ``MalformedError``. Opaque values become ``Opaque``."""
    try:
        return _unpack(tree, MAX_DEPTH)
    except (TypeError, OverflowError) as error:
        raise MalformedError(f"a value that cannot be built: {error}") from None


def opaque_values(tree: Tree) -> list[Opaque]:
    """Every opaque value in a tree that ``unpack`` accepts."""
    found: list[Opaque] = []
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if type(part) is list:
            waiting.extend(part)
        elif type(part) is dict:
            for tag, payload in part.items():
                if tag == "x":
                    found.append(_unpack_opaque(payload, 0))
                else:
                    waiting.append(payload)
    return found


def _unpack(tree: Tree, depth: int) -> Any:
    kind = type(tree)
    if kind in SCALARS:
        return tree
    if depth == 0:
        raise MalformedError(f"a value nested deeper than {MAX_DEPTH}")
    if kind is list:
        return _unpack_items(tree, depth - 1)
    if len(tree) != 1:
        raise MalformedError("a tagged value with other than one key")
    ((tag, payload),) = tree.items()
    unpack_tagged = _UNPACKERS.get(tag)
    if unpack_tagged is None:
        raise MalformedError("a value with an unknown tag")
    return unpack_tagged(payload, depth - 1)


def _list(payload: Tree) -> list[Tree]:
    if type(payload) is not list:
        raise MalformedError("a tagged value without its list")
    return payload


def _text(payload: Tree) -> str:
    if type(payload) is not str:
        raise MalformedError("a tagged value without its text")
    return payload


def _unpack_items(payload: Tree, depth: int) -> list[Any]:
    items = _list(payload)
    if set(map(type, items)) <= SCALARS:
        return items
    return [_unpack(item, depth) for item in items]


def _check_keys(keys: list[Any]) -> None:
    """Refuse keys that are unhashable, or of which too many collide."""
    try:
        num_hashes = len(set(map(hash, keys)))
    except TypeError as error:
        raise MalformedError(f"a key that cannot be one: {error}") from None
    if len(keys) - num_hashes > MAX_COLLISIONS:
        raise MalformedError(f"more than {MAX_COLLISIONS} keys with equal hashes")


def _unpack_keys(payload: Tree, depth: int) -> list[Any]:
    keys = _unpack_items(payload, depth)
    _check_keys(keys)
    return keys


def _unpack_pairs(payload: Tree, depth: int) -> Iterable[tuple[Any, Any]]:
    flat = _unpack_items(payload, depth)
    if len(flat) % 2:
        raise MalformedError("a key without its value")
    keys = flat[::2]
    _check_keys(keys)
    return zip(keys, flat[1::2], strict=True)


def _unpack_defaultdict(payload: Tree, depth: int) -> "defaultdict[Any, Any]":
    name, pairs = _exactly(payload, 2)
    if name is not None and (type(name) is not str or name not in FACTORIES):
        raise MalformedError("a defaultdict with an unknown factory")
    return defaultdict(FACTORIES.get(name) if name else None, _unpack_pairs(pairs, depth))


def _unpack_deque(payload: Tree, depth: int) -> "deque[Any]":
    maxlen, items = _exactly(payload, 2)
    if maxlen is not None and (type(maxlen) is not int or not 0 <= maxlen < 1 << 62):
        raise MalformedError("a deque with a bad maxlen")
    return deque(_unpack_items(items, depth), maxlen)


def _unpack_range(payload: Tree, depth: int) -> range:
    parts = [_unpack(part, 1) for part in _exactly(payload, 3)]
    if not all(type(part) is int for part in parts) or parts[2] == 0:
        raise MalformedError("a range of other than ints")
    return range(*parts)


def _unpack_complex(payload: Tree, depth: int) -> complex:
    real, imaginary = _exactly(payload, 2)
    if type(real) is not float or type(imaginary) is not float:
        raise MalformedError("a complex number of other than floats")
    return complex(real, imaginary)


def _unpack_int(payload: Tree, depth: int) -> int:
    text = _text(payload)
    if len(text) > MAX_INT_BITS // 4 + 1:
        raise MalformedError(f"an int of more than {MAX_INT_BITS} bits")
    try:
        return int(text, 16)
    except ValueError:
        raise MalformedError("an int that is not hexadecimal") from None


def _unpack_bytes(payload: Tree, depth: int) -> bytes:
    try:
        return _text(payload).encode("latin-1")
    except UnicodeEncodeError:
        raise MalformedError("bytes above 255") from None


def _unpack_opaque(payload: Tree, depth: int) -> Opaque:
    name, lies = _exactly(payload, 2)
    return Opaque(_text(name)[:80], tuple(_text(lie)[:80] for lie in _list(lies)[:4]))


def _exactly(payload: Tree, length: int) -> list[Tree]:
    parts = _list(payload)
    if len(parts) != length:
        raise MalformedError(f"a tagged value of {len(parts)} parts, not {length}")
    return parts


def _unpack_dict(payload: Tree, depth: int) -> dict[Any, Any]:
    return dict(_unpack_pairs(payload, depth))


_UNPACKERS: dict[str, Callable[[Tree, int], Any]] = {
    "t": lambda payload, depth: tuple(_unpack_items(payload, depth)),
    "s": lambda payload, depth: set(_unpack_keys(payload, depth)),
    "f": lambda payload, depth: frozenset(_unpack_keys(payload, depth)),
    "d": _unpack_dict,
    "C": lambda payload, depth: Counter(_unpack_dict(payload, depth)),
    "O": lambda payload, depth: OrderedDict(_unpack_pairs(payload, depth)),
    "D": _unpack_defaultdict,
    "q": _unpack_deque,
    "b": _unpack_bytes,
    "B": lambda payload, depth: bytearray(_unpack_bytes(payload, depth)),
    "r": _unpack_range,
    "c": _unpack_complex,
    "i": _unpack_int,
    "x": _unpack_opaque,
}
