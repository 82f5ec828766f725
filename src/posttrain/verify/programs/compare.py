"""Compare two plain values on exact types, by rules that the task declares.

Both values are plain (see ``pack``), so no code but the interpreter's own runs here. A value of
another type is told apart from a wrong value of the right type.

    number   |actual - expect| <= atol + rtol * |expect|, both finite; else equal, NaN equal to NaN
    unordered   the items of the outermost list or tuple may stand in any order
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

__all__ = ["Match", "Rules", "compare"]

_MAX_PAIRINGS = 2_000_000


class Match(StrEnum):
    """How an answer relates to what is expected."""

    EQUAL = "equal"
    VALUE_DIFFERS = "value_differs"
    TYPE_DIFFERS = "type_differs"


class Rules(NamedTuple):
    """How far an answer may stray."""

    atol: float = 0.0
    rtol: float = 0.0
    unordered: bool = False

    @property
    def is_exact(self) -> bool:
        """True when numbers must be equal."""
        return self.atol == 0.0 and self.rtol == 0.0


def compare(expect: Any, actual: Any, rules: Rules) -> Match:
    """``actual`` against ``expect``; a difference of types anywhere outranks one of values."""
    if type(expect) is not type(actual):
        return Match.TYPE_DIFFERS
    if rules.unordered and type(expect) in (list, tuple):
        return _compare_unordered(expect, actual, rules)
    compare_kind = _CONTAINERS.get(type(expect))
    if compare_kind is not None:
        return compare_kind(expect, actual, rules._replace(unordered=False))
    return _match(_equal_scalars(expect, actual, rules))


def _match(is_equal: bool) -> Match:
    return Match.EQUAL if is_equal else Match.VALUE_DIFFERS


def _equal_scalars(expect: Any, actual: Any, rules: Rules) -> bool:
    if bool(expect == actual):
        return True
    if type(expect) not in (float, complex, int):
        return False
    if expect != expect:
        return bool(actual != actual)
    if rules.is_exact:
        return False
    return _is_close(expect, actual, rules)


def _is_close(expect: Any, actual: Any, rules: Rules) -> bool:
    try:
        distance, size = abs(actual - expect), abs(expect)
        return bool(distance <= rules.atol + rules.rtol * size) and size != float("inf")
    except OverflowError:
        return False


def _compare_items(expect: Any, actual: Any, rules: Rules) -> Match:
    worst = _match(len(expect) == len(actual))
    for one, other in zip(expect, actual, strict=False):
        match = compare(one, other, rules)
        if match is Match.TYPE_DIFFERS:
            return match
        if match is not Match.EQUAL:
            worst = match
    return worst


def _compare_keyed(expect: Any, actual: Any, rules: Rules) -> Match:
    named = {_frozen(key): value for key, value in actual.items()}
    if len(expect) != len(named):
        return Match.VALUE_DIFFERS
    if type(expect) is OrderedDict and list(map(_frozen, expect)) != list(named):
        return Match.VALUE_DIFFERS
    worst = Match.EQUAL
    for key, value in expect.items():
        frozen = _frozen(key)
        match = compare(value, named[frozen], rules) if frozen in named else Match.VALUE_DIFFERS
        if match is Match.TYPE_DIFFERS:
            return match
        if match is not Match.EQUAL:
            worst = match
    return worst


def _compare_sets(expect: Any, actual: Any, rules: Rules) -> Match:
    if _frozen(expect) == _frozen(actual):
        return Match.EQUAL
    # 1 == True == 1.0: members that are equal but of another type.
    return Match.TYPE_DIFFERS if expect == actual else Match.VALUE_DIFFERS


def _compare_unordered(expect: Any, actual: Any, rules: Rules) -> Match:
    inner = rules._replace(unordered=False)
    if len(expect) != len(actual):
        return Match.VALUE_DIFFERS
    left, right = Counter(map(_frozen, expect)), Counter(map(_frozen, actual))
    if left == right:
        return Match.EQUAL
    if rules.is_exact:
        return _match(False)
    return _compare_paired(expect, actual, inner)


def _compare_paired(expect: Any, actual: Any, rules: Rules) -> Match:
    """Find a partner within the tolerance for each item: sorted where they sort, else greedily."""
    try:
        return _compare_items(sorted(expect), sorted(actual), rules)
    except TypeError:
        pass
    if len(expect) * len(actual) > _MAX_PAIRINGS:
        return Match.VALUE_DIFFERS
    left = list(actual)
    for item in expect:
        partner = next((n for n, x in enumerate(left) if compare(item, x, rules) == "equal"), None)
        if partner is None:
            return Match.VALUE_DIFFERS
        del left[partner]
    return Match.EQUAL


def _frozen(value: Any) -> Any:
    """A hashable stand-in, equal for two values just when types and values are equal."""
    kind = type(value)
    if kind in (list, tuple, deque):
        return kind, tuple(map(_frozen, value))
    if kind in (set, frozenset):
        return kind, frozenset(map(_frozen, value))
    if isinstance(value, dict):
        return kind, frozenset((_frozen(key), _frozen(item)) for key, item in value.items())
    if kind is bytearray:
        return kind, bytes(value)
    return (kind, "nan") if kind is float and value != value else (kind, value)


_CONTAINERS: dict[type, Callable[[Any, Any, Rules], Match]] = {
    list: _compare_items,
    tuple: _compare_items,
    deque: _compare_items,
    set: _compare_sets,
    frozenset: _compare_sets,
}
_CONTAINERS.update(dict.fromkeys((dict, Counter, OrderedDict, defaultdict), _compare_keyed))
