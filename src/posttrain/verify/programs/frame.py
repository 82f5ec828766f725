"""What a frame may hold: caps, errors, and typed JSON as bytes.

Size and number of items are checked before anything is parsed; the depth of nesting is bounded by
the parser's own recursion limit here and exactly by ``unpack``.
"""

import json
from typing import Any

__all__ = [
    "MAX_COLLISIONS",
    "MAX_DEPTH",
    "MAX_FRAME_BYTES",
    "MAX_INT_BITS",
    "MAX_ITEMS",
    "MalformedError",
    "Opaque",
    "RefusedError",
    "Tree",
    "dump",
    "load",
]

MAX_FRAME_BYTES = 16 * 1024 * 1024
MAX_ITEMS = 1_500_000
MAX_DEPTH = 64
MAX_INT_BITS = 1 << 22
MAX_COLLISIONS = 256
"""Keys of one dict or set that may share a hash; more would make building it quadratic."""

Tree = Any
"""What ``json`` reads and writes."""


class MalformedError(ValueError):
    """Bytes that ``dump`` and ``pack`` cannot have written, or that exceed a cap."""


class RefusedError(ValueError):
    """A value that is too deep, too long or too large to travel."""


class Opaque:
    """Stands for a value that does not travel: its type's name and the lies it was caught in."""

    __slots__ = ("lies", "name")

    def __init__(self, name: str, lies: tuple[str, ...] = ()) -> None:
        self.name = name
        self.lies = lies

    def __repr__(self) -> str:
        return f"<{self.name}>"


_encode_text = json.JSONEncoder(
    check_circular=False, ensure_ascii=False, separators=(",", ":")
).encode
_decode_text = json.JSONDecoder().decode


def dump(tree: Tree) -> bytes:
    """A tree of packed values as bytes; raises ``RefusedError`` above the frame cap."""
    # Escapes would join two halves of a surrogate pair, another text, into one character.
    data = _encode_text(tree).encode("utf-8", "surrogatepass")
    if len(data) > MAX_FRAME_BYTES:
        raise RefusedError(f"larger than {MAX_FRAME_BYTES} bytes")
    return data


def load(data: bytes) -> Tree:
    """The tree that ``dump`` wrote; size and number of items are checked before parsing."""
    if len(data) > MAX_FRAME_BYTES:
        raise MalformedError(f"a frame of {len(data)} bytes; at most {MAX_FRAME_BYTES} are read")
    num_items = data.count(b",") + data.count(b"[") + data.count(b"{")
    if num_items > 2 * MAX_ITEMS:
        raise MalformedError(f"a frame of {num_items} items; at most {2 * MAX_ITEMS} are read")
    try:
        return _decode_text(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"a frame that is not typed JSON: {error}") from None
