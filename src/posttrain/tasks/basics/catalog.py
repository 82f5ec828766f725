"""All families by name, and which of them training never sees.

The unseen ones are spread over the topics and about as easy as their neighbours, so that a gain on
them is a gain on functions never trained on, not on easier ones.
"""

from collections.abc import Mapping

from posttrain.tasks.basics import (
    chains,
    dicts,
    first_lists,
    first_numbers,
    first_strings,
    lists,
    named,
    numbers,
    parsing,
    recursion,
    strings,
)
from posttrain.tasks.basics.family import Family

__all__ = ["FAMILIES", "SEEN", "UNSEEN"]

FAMILIES: Mapping[str, Family] = {
    family.name: family
    for module in (
        named,
        first_numbers,
        first_strings,
        first_lists,
        numbers,
        strings,
        lists,
        dicts,
        parsing,
        recursion,
        chains,
    )
    for family in module.FAMILIES
}
UNSEEN = ("remainder", "distance_to", "last_chars", "add_prefix", "multiply_each", "has_item")
SEEN = tuple(name for name in FAMILIES if name not in UNSEEN)
