"""Turn records into plain JSON values.

Dataclasses become dicts by field name, enums their value, paths and tuples strings and lists.
NaN and infinities are refused: a number that could not be measured is ``None``.
"""

import dataclasses
import enum
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

__all__ = ["to_plain"]


def to_plain(value: Any) -> Any:
    """The JSON form of ``value``.

    Raises ``ValueError`` for a float that is not finite and ``TypeError`` for an unknown type.
    """
    if value is None or isinstance(value, bool | str):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} has no JSON form; store None for what was not measured")
        return value
    if isinstance(value, PurePath):
        return str(value)
    return _container_to_plain(value)


def _container_to_plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form; make it a record or a plain value")
