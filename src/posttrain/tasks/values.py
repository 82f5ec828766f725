"""Python values inside JSON: what JSON lacks is written ``{"$t": kind, "v": payload}``.

    tuple, set, frozenset   v is a list of encoded items (sets sorted by their JSON text)
    dict                    v is a list of [key, value] pairs; used when a key is not a plain string
    bytes                   v is base64 text
    complex                 v is [real, imaginary]
    float                   v is "nan", "inf" or "-inf"

Types are exact: a subclass (an enum, a named tuple, a ``Counter``) has no encoding and is refused,
so that decoding what was encoded gives equal values of equal types.
"""

import base64
import json
import math
from collections.abc import Callable
from typing import Any

__all__ = ["decode_value", "encode_value"]

_TAG = "$t"
_SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def encode_value(value: Any) -> Any:
    """The JSON form of a plain value; raises ``TypeError`` for a type that has none."""
    encode = _ENCODERS.get(type(value))
    if encode is None:
        raise TypeError(
            f"{type(value).__name__} has no JSON form; allowed are "
            f"{', '.join(sorted(kind.__name__ for kind in _ENCODERS))}"
        )
    return encode(value)


def decode_value(data: Any) -> Any:
    """The value that ``encode_value`` wrote; raises ``ValueError`` for a malformed ``$t``."""
    if isinstance(data, list):
        return [decode_value(item) for item in data]
    if not isinstance(data, dict):
        return data
    if _TAG not in data:
        return {key: decode_value(item) for key, item in data.items()}
    return _decode_tagged(data)


def _decode_tagged(data: dict[str, Any]) -> Any:
    kind = data[_TAG]
    decode = _DECODERS.get(kind) if isinstance(kind, str) else None
    if decode is None:
        raise ValueError(f"unknown $t {kind!r}; allowed are {', '.join(_DECODERS)}")
    if data.keys() != {_TAG, "v"}:
        raise ValueError(f"a $t value has the keys '$t' and 'v', not {sorted(data)}")
    try:
        return decode(data["v"])
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"$t {kind!r} cannot hold {data['v']!r}: {error}") from error


def _tagged(kind: str, payload: Any) -> dict[str, Any]:
    return {_TAG: kind, "v": payload}


def _same(value: Any) -> Any:
    return value


def _encode_float(value: float) -> Any:
    return value if math.isfinite(value) else _tagged("float", repr(value))


def _encode_list(value: list[Any]) -> list[Any]:
    return [encode_value(item) for item in value]


def _encode_set(value: set[Any] | frozenset[Any]) -> dict[str, Any]:
    items = sorted(_encode_list(list(value)), key=lambda item: json.dumps(item, sort_keys=True))
    return _tagged(type(value).__name__, items)


def _encode_dict(value: dict[Any, Any]) -> dict[str, Any]:
    if all(type(key) is str for key in value) and _TAG not in value:
        return {key: encode_value(item) for key, item in value.items()}
    pairs = [[encode_value(key), encode_value(item)] for key, item in value.items()]
    return _tagged("dict", pairs)


def _items(payload: Any) -> list[Any]:
    if not isinstance(payload, list):
        raise TypeError("a list of items is needed")
    return [decode_value(item) for item in payload]


def _decode_dict(payload: Any) -> dict[Any, Any]:
    pairs = _items(payload)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise TypeError("a list of [key, value] pairs is needed")
    return dict(pairs)


def _decode_complex(payload: Any) -> complex:
    real, imaginary = _items(payload)
    return complex(real, imaginary)


_ENCODERS: dict[type, Callable[[Any], Any]] = {
    type(None): _same,
    bool: _same,
    int: _same,
    str: _same,
    float: _encode_float,
    list: _encode_list,
    tuple: lambda value: _tagged("tuple", _encode_list(list(value))),
    set: _encode_set,
    frozenset: _encode_set,
    dict: _encode_dict,
    bytes: lambda value: _tagged("bytes", base64.b64encode(value).decode()),
    complex: lambda value: _tagged(
        "complex", [_encode_float(value.real), _encode_float(value.imag)]
    ),
}

_DECODERS: dict[str, Callable[[Any], Any]] = {
    "tuple": lambda payload: tuple(_items(payload)),
    "set": lambda payload: set(_items(payload)),
    "frozenset": lambda payload: frozenset(_items(payload)),
    "dict": _decode_dict,
    "bytes": lambda payload: base64.b64decode(payload, validate=True),
    "complex": _decode_complex,
    "float": _SPECIAL_FLOATS.__getitem__,
}
