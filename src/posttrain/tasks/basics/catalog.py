"""All families by name, and which of them training never sees.

The unseen ones are spread over the topics and about as easy as their neighbours, so that a gain on
them is a gain on functions never trained on, not on easier ones.
"""

from collections.abc import Mapping

from posttrain.tasks.basics import chains, dicts, lists, numbers, parsing, recursion, strings
from posttrain.tasks.basics.family import Family

__all__ = ["FAMILIES", "SEEN", "UNSEEN"]

FAMILIES: Mapping[str, Family] = {
    family.name: family
    for module in (numbers, strings, lists, dicts, parsing, recursion, chains)
    for family in module.FAMILIES
}
UNSEEN = ("clamp", "initials", "count_between", "scale_values", "pick_column", "count_down")
SEEN = tuple(name for name in FAMILIES if name not in UNSEEN)
