"""Train and eval differ not only in their texts: no function of one is a function of the other."""

import copy
import itertools
from collections import defaultdict
from typing import NamedTuple

from posttrain.core.seeds import derive_rng
from posttrain.core.task import Split
from posttrain.tasks.basics import FAMILIES, UNSEEN

NUM_SHARED_PROBES = 10
NUM_OWN_PROBES = 25


class Drawn(NamedTuple):
    family: object
    is_train: bool
    parameters: dict
    function: object

    def draw(self, rng):
        return self.family.draw(rng, self.parameters)

    def answer(self, args):
        try:
            return repr(self.function(*copy.deepcopy(args)))
        except (TypeError, AttributeError, IndexError, ValueError, KeyError, ZeroDivisionError):
            return "raises"


def all_functions():
    for family in FAMILIES.values():
        for split in (Split.TRAIN, Split.EVAL):
            is_train = split is Split.TRAIN and family.name not in UNSEEN
            for parameters in family.parameters(split):
                namespace = {}
                exec(family.source("f", parameters), namespace)
                yield Drawn(family, is_train, parameters, namespace["f"])


def kind_of(args):
    return (len(args), type(args[0]).__name__)


def shared_probes():
    rng = derive_rng("probes")
    probes = defaultdict(list)
    for family in FAMILIES.values():
        for _ in range(4):
            args = family.draw(rng, family.choices[0])
            probes[kind_of(args)].append(args)
    return {
        kind: rng.sample(drawn, min(len(drawn), NUM_SHARED_PROBES))
        for kind, drawn in probes.items()
    }


def alike_on_shared_probes():
    """Groups of functions that answer the shared probes of their kind of input alike."""
    probes, rng = shared_probes(), derive_rng("kinds")
    groups = defaultdict(list)
    for drawn in all_functions():
        kind = kind_of(drawn.draw(rng))
        groups[kind, tuple(drawn.answer(args) for args in probes[kind])].append(drawn)
    return groups.values()


def test_no_function_of_the_training_split_is_a_function_of_the_eval_split():
    rng = derive_rng("own probes")
    same = []
    for group in alike_on_shared_probes():
        for a, b in itertools.combinations(group, 2):
            if a.is_train == b.is_train:
                continue
            probes = [x.draw(rng) for x in (a, b) for _ in range(NUM_OWN_PROBES)]
            if all(a.answer(args) == b.answer(args) for args in probes):
                same.append((a.family.name, a.parameters, b.family.name, b.parameters))
    assert same == []
