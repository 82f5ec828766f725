"""Make tasks from families, the same ones for the same seed.

Task ``n`` of a family depends on (seed, split, family, n) alone, so a larger ``per_family`` only
appends. Prompts of one call differ from each other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from posttrain.core.errors import NotFoundError, TaskFormatError
from posttrain.core.seeds import derive_rng, derive_seed
from posttrain.core.task import GeneratorSpec, Limits, Message, Source, Split, Task, VerifierSpec
from posttrain.tasks.basics.catalog import FAMILIES, SEEN, UNSEEN
from posttrain.tasks.basics.family import Family
from posttrain.tasks.complaint import did_you_mean
from posttrain.tasks.values import decode_value

__all__ = ["fresh_cases", "generate_tasks"]

GENERATOR = "posttrain.tasks.basics:fresh_cases"
SOURCE = Source(name="posttrain basics", license="Apache-2.0", revision="1")

_NUM_VISIBLE, _NUM_HIDDEN, _NUM_FRESH = 3, 8, 8
_MAX_TRIES = 50


def generate_tasks(
    split: Split, *, per_family: int, seed: int, families: Sequence[str] | None = None
) -> list[Task]:
    """``per_family`` tasks of each family: of ``families``, or of all that the split may use.

    Training may not use the unseen families; a name that does not exist is a ``NotFoundError``.
    """
    if split is Split.REGRESSION:
        raise TaskFormatError("basics has the splits 'train' and 'eval', not 'regression'")
    names = families or (SEEN if split is Split.TRAIN else tuple(FAMILIES))
    prompts: set[str] = set()
    return [
        _task(_family(name, split), split, n, seed, prompts)
        for name in names
        for n in range(per_family)
    ]


def fresh_cases(parameters: Mapping[str, Any], seed: int, n: int) -> list[dict[str, Any]]:
    """``n`` cases for a task whose generator has these parameters; other seeds, other inputs."""
    chosen = {key: value for key, value in parameters.items() if key != "family"}
    family = FAMILIES[parameters["family"]]
    return family.cases(chosen, derive_rng("basics", "fresh", family.name, seed), n)


def _family(name: str, split: Split) -> Family:
    if name not in FAMILIES:
        hint = did_you_mean(name, FAMILIES) or ";"
        raise NotFoundError(f"unknown family {name!r}{hint} known are {', '.join(FAMILIES)}")
    if split is Split.TRAIN and name in UNSEEN:
        raise TaskFormatError(
            f"family {name!r} is held out from training; train on {', '.join(SEEN)}"
        )
    return FAMILIES[name]


def _task(family: Family, split: Split, n: int, seed: int, prompts: set[str]) -> Task:
    """Task ``n``; draws again while its prompt is one that the call already made."""
    choices = list(family.parameters(split))
    derive_rng("basics", "order", seed, split.value, family.name).shuffle(choices)
    parameters = choices[n % len(choices)]
    for attempt in range(_MAX_TRIES):
        rng = derive_rng("basics", "task", seed, split.value, family.name, n, attempt)
        name = rng.choice(family.function_names).format(**parameters)
        statement = family.describe(rng.choice(family.statements(split)), parameters)
        cases = sorted(family.cases(parameters, rng, _NUM_VISIBLE + _NUM_HIDDEN), key=_is_empty)
        prompt = _prompt(f"{name}({family.arguments})", statement, name, cases[:_NUM_VISIBLE])
        if prompt not in prompts:
            break
    prompts.add(prompt)
    return Task(
        id=f"basics/{family.name}/{split.value}/{n}",
        domain="code",
        family=family.name,
        split=split,
        prompt=(Message(role="user", content=prompt),),
        verifier=VerifierSpec(
            type="function",
            entry_point=name,
            visible=tuple(cases[:_NUM_VISIBLE]),
            hidden=tuple(cases[_NUM_VISIBLE:]),
        ),
        generator=GeneratorSpec(
            ref=GENERATOR,
            parameters={"family": family.name, **parameters},
            seed=derive_seed("basics", "fresh", seed, split.value, family.name, n),
            n=_NUM_FRESH,
        ),
        reference=family.source(name, parameters),
        difficulty=family.difficulty_of(parameters),
        limits=Limits(cpu_s=2.0, wall_s=6.0),
        tags=("python", "basics", family.topic),
        source=SOURCE,
    )


def _is_empty(case: Mapping[str, Any]) -> bool:
    """Whether a case says little, because an argument or the answer is empty; shown last."""
    return any(value in ("", [], {}) for value in (*case["args"], case["expect"]))


def _prompt(signature: str, statement: str, name: str, cases: Sequence[dict[str, Any]]) -> str:
    tests = "\n".join(_assertion(name, case) for case in cases)
    return (
        f"Write a Python function `{signature}` that {statement}. "
        f"Your code should pass these tests:\n{tests}\nAnswer with only a Python code block."
    )


def _assertion(name: str, case: Mapping[str, Any]) -> str:
    args = ", ".join(repr(argument) for argument in decode_value(case["args"]))
    value = decode_value(case["expect"])
    comparison = "is" if isinstance(value, bool) else "=="
    return f"assert {name}({args}) {comparison} {value!r}"
