import json
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.tasks.values import decode_value, encode_value

_ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.complex_numbers(allow_nan=False)
)
_HASHABLE = st.recursive(
    _ATOMS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=6
)
_VALUES = st.recursive(
    _HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.sets(_HASHABLE, max_size=3)
        | st.dictionaries(_HASHABLE, inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$t", "v", "a"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(_VALUES)
def test_decoding_the_json_text_of_an_encoded_value_gives_the_value_back(value):
    decoded = decode_value(json.loads(json.dumps(encode_value(value), allow_nan=False)))
    assert decoded == value
    assert repr(sorted_form(decoded)) == repr(sorted_form(value))


def sorted_form(value):
    """Sets have no order of their own; everything else keeps its exact type in its repr."""
    if isinstance(value, set | frozenset):
        return (type(value).__name__, sorted(repr(sorted_form(item)) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(sorted_form(item) for item in value)
    if isinstance(value, dict):
        return [(sorted_form(key), sorted_form(item)) for key, item in value.items()]
    return value


def test_nan_and_infinities_survive_as_floats():
    decoded = decode_value(encode_value([math.nan, math.inf, -math.inf]))
    assert math.isnan(decoded[0])
    assert decoded[1:] == [math.inf, -math.inf]


def test_the_tagged_forms_are_the_published_ones():
    assert encode_value((1, 2)) == {"$t": "tuple", "v": [1, 2]}
    assert encode_value({3, 1}) == {"$t": "set", "v": [1, 3]}
    assert encode_value({1: "a"}) == {"$t": "dict", "v": [[1, "a"]]}
    assert encode_value(b"\x00") == {"$t": "bytes", "v": "AA=="}
    assert encode_value(1 + 2j) == {"$t": "complex", "v": [1.0, 2.0]}
    assert encode_value(math.nan) == {"$t": "float", "v": "nan"}


@pytest.mark.parametrize("value", [Counter("ab"), object(), range(3), [Counter()]])
def test_a_type_without_an_encoding_is_refused(value):
    with pytest.raises(TypeError, match="has no JSON form"):
        encode_value(value)


@pytest.mark.parametrize(
    "data",
    [
        {"$t": "tupel", "v": []},
        {"$t": ["tuple"], "v": []},
        {"$t": "tuple"},
        {"$t": "set", "v": [[1]]},
        {"$t": "dict", "v": [[1]]},
        {"$t": "bytes", "v": "?"},
        {"$t": "float", "v": "1.5"},
        {"$t": "complex", "v": [1]},
    ],
)
def test_a_malformed_tagged_value_is_a_value_error(data):
    with pytest.raises(ValueError, match=r"\$t"):
        decode_value(data)
