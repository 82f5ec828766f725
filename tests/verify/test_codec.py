import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.verify.programs.compare import Match, Rules, compare
from posttrain.verify.programs.frame import (
    MAX_DEPTH,
    MAX_FRAME_BYTES,
    MAX_ITEMS,
    MalformedError,
    RefusedError,
    dump,
    load,
)
from posttrain.verify.programs.pack import pack
from posttrain.verify.programs.unpack import opaque_values, unpack

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10_000, max_value=20_000).map(lambda bits: (1 << bits) + 1)
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters())
    | st.binary()
)
keys = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.sets(keys)
        | st.frozensets(keys)
        | st.dictionaries(keys, inner)
        | st.dictionaries(keys, inner).map(OrderedDict)
        | st.dictionaries(keys, inner).map(lambda d: defaultdict(int, d))
        | st.dictionaries(st.text(), st.integers()).map(Counter)
        | st.lists(inner).map(deque)
        | st.binary().map(bytearray)
    ),
    max_leaves=12,
)


def through_the_wire(value: Any) -> Any:
    return unpack(load(dump(pack(value))))


@given(values)
def test_every_plain_value_arrives_equal_and_of_exact_types(value: Any) -> None:
    assert compare(value, through_the_wire(value), Rules()) is Match.EQUAL


def test_halves_of_a_surrogate_pair_do_not_become_the_character_that_they_spell() -> None:
    halves = "\ud83d\ude00"
    assert through_the_wire(halves) == halves
    assert compare("\U0001f600", through_the_wire(halves), Rules()) is Match.VALUE_DIFFERS


def test_containers_keep_what_their_equality_does_not_show() -> None:
    arrived = through_the_wire([defaultdict(list, a=[1]), deque([1, 2], 5), range(1, 9, 3)])
    assert arrived[0].default_factory is list
    assert arrived[1].maxlen == 5
    assert arrived[2] == range(1, 9, 3) and type(arrived[2]) is range


def test_signed_zero_and_special_floats_survive() -> None:
    minus_zero, nan, infinity = through_the_wire([-0.0, math.nan, -math.inf])
    assert math.copysign(1, minus_zero) == -1
    assert math.isnan(nan) and infinity == -math.inf


@pytest.mark.parametrize(
    "value",
    [
        namedtuple("Point", "x y")(1, 2),
        IntEnum("Color", "RED").RED,
        type("Sub", (list,), {})([1]),
        object(),
        len,
        (n for n in [1]),
        int,
        {"a": [object()]},
    ],
)
def test_a_value_of_any_other_type_does_not_travel_unnoticed(value: Any) -> None:
    tree = load(dump(pack(value, lambda part: [type(part).__name__, []])))
    assert len(opaque_values(tree)) == 1
    with pytest.raises(RefusedError, match="no plain form"):
        pack(value)


def test_a_text_that_looks_like_a_tag_stays_a_text() -> None:
    assert through_the_wire(['{"x":["a",[]]}', {"x": ["a", []]}]) == [
        '{"x":["a",[]]}',
        {"x": ["a", []]},
    ]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_up_to_the_cap_travels_and_beyond_it_is_refused() -> None:
    assert through_the_wire(nested(MAX_DEPTH - 1)) == nested(MAX_DEPTH - 1)
    with pytest.raises(RefusedError, match="nested deeper"):
        pack(nested(MAX_DEPTH))
    with pytest.raises(RefusedError, match="nested deeper"):
        pack(nested(100_000))


def test_a_graph_that_shares_its_parts_is_refused_before_it_unfolds() -> None:
    shared: list[Any] = [0]
    for _ in range(40):
        shared = [shared, shared]
    with pytest.raises(RefusedError, match="items"):
        pack(shared)


def test_huge_values_are_refused_by_the_writer() -> None:
    with pytest.raises(RefusedError, match="bits"):
        pack(1 << 5_000_000)
    with pytest.raises(RefusedError, match="items"):
        pack([0] * (MAX_ITEMS + 1))
    with pytest.raises(RefusedError, match="bytes"):
        dump("a" * MAX_FRAME_BYTES)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[1",
        b"[" * 100_000 + b"]" * 100_000,
        b"[" + b"1," * (2 * MAX_ITEMS) + b"1]",
        b"9" * 5000,
        b"x" * (MAX_FRAME_BYTES + 1),
    ],
)
def test_bytes_that_are_no_typed_json_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedError):
        load(data)


@pytest.mark.parametrize(
    "tree",
    [
        {},
        {"t": [], "s": []},
        {"?": []},
        {"t": 1},
        {"t": "ab"},
        {"s": [[1]]},
        {"d": [1]},
        {"d": [[1], 2]},
        {"i": "zz"},
        {"i": "f" * 1_100_000},
        {"i": 5},
        {"b": "\u1234"},
        {"c": [1, 2]},
        {"c": [1.0]},
        {"r": [1, 2, 0]},
        {"r": [1.5, 2, 1]},
        {"q": [-1, []]},
        {"q": ["a", []]},
        {"D": ["system", []]},
        {"x": ["name"]},
        {"x": [1, []]},
        nested(2 * MAX_DEPTH),
    ],
)
def test_trees_that_the_writer_cannot_have_made_are_malformed(tree: Any) -> None:
    with pytest.raises(MalformedError):
        unpack(tree)


def test_keys_that_all_collide_are_refused_before_a_dict_is_built() -> None:
    modulus = (1 << 61) - 1
    keys_that_collide = [n * modulus for n in range(1, 1000)]
    with pytest.raises(MalformedError, match="equal hashes"):
        unpack({"s": keys_that_collide})
    with pytest.raises(MalformedError, match="equal hashes"):
        unpack({"d": [part for key in keys_that_collide for part in (key, 1)]})


@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(), lambda inner: (
    st.lists(inner) | st.dictionaries(st.sampled_from("tsfdCODqbBrcix?"), inner, max_size=2)
), max_leaves=20))  # fmt: skip
def test_any_json_is_either_read_or_malformed(tree: Any) -> None:
    try:
        unpack(tree)
    except MalformedError:
        return
    assert unpack(load(dump(tree))) is not Ellipsis
