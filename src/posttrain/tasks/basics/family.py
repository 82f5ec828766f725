"""A family: one small function in many parametrised, differently worded tasks.

    choices ──(a third, by hash of the family's name)──► eval parameters
            └─(the others)─────────────────────────────► train parameters
    parameters ──► statement (train or eval wording) and reference source
    parameters + seed ──► inputs ──(reference)──► cases with exact expected values

Train and eval share neither parameters nor wording. The reference is code of this package, so it
is run in this process.
"""

import copy
import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from posttrain.core.seeds import derive_rng
from posttrain.core.task import Split
from posttrain.tasks.values import encode_value

__all__ = ["Family", "Parameters", "grid"]

Parameters = Mapping[str, Any]

_MAX_DRAWS_PER_CASE = 20


def grid(**axes: tuple[Any, ...] | range) -> tuple[Parameters, ...]:
    """Every combination of the axes' values."""
    return tuple(
        dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """Texts are ``str.format`` templates over the parameters."""

    name: str
    topic: str
    arguments: str
    """Parameter list of the function, e.g. ``"xs"``."""
    function_names: tuple[str, ...]
    """Templates; a name that says what the function does is half of the statement."""
    choices: tuple[Parameters, ...]
    train_statements: tuple[str, ...]
    """What the function does, as the end of "Write a Python function … that"."""
    eval_statements: tuple[str, ...]
    body: str | Callable[[Parameters], str]
    """Body of the reference: a template, or a function that writes it."""
    draw: Callable[[random.Random, Parameters], tuple[Any, ...]]
    """Arguments of one call."""
    difficulty: float | Callable[[Parameters], float]
    """Share of the demo model's answers at temperature 0.8 expected to fail."""
    words: Callable[[Parameters], Mapping[str, Any]] | None = None
    """Further values for the statements, derived from the parameters."""

    def parameters(self, split: Split) -> tuple[Parameters, ...]:
        """The parameters that a split may use; a third of them, at least one, are for eval."""
        shuffled = list(self.choices)
        derive_rng("basics", "split", self.name).shuffle(shuffled)
        num_eval = max(1, len(shuffled) // 3)
        return tuple(shuffled[:num_eval] if split is Split.EVAL else shuffled[num_eval:])

    def statements(self, split: Split) -> tuple[str, ...]:
        """The wordings that a split may use."""
        return self.eval_statements if split is Split.EVAL else self.train_statements

    def describe(self, statement: str, parameters: Parameters) -> str:
        """One wording with its parameters filled in."""
        extra = self.words(parameters) if self.words else {}
        return statement.format(**parameters, **extra)

    def source(self, function_name: str, parameters: Parameters) -> str:
        """Reference code."""
        body = self.body if isinstance(self.body, str) else self.body(parameters)
        text = body.format(**parameters) if isinstance(self.body, str) else body
        lines = "".join(f"    {line}\n" if line else "\n" for line in text.strip().split("\n"))
        return f"def {function_name}({self.arguments}):\n{lines}"

    def difficulty_of(self, parameters: Parameters) -> float:
        """In [0, 1]; 0 is trivial."""
        value = self.difficulty
        return value if isinstance(value, float) else value(parameters)

    def cases(self, parameters: Parameters, rng: random.Random, n: int) -> list[dict[str, Any]]:
        """Up to ``n`` cases with different arguments; those with other answers come first."""
        answer = self._reference(parameters)
        fresh: list[dict[str, Any]] = []
        repeated: list[dict[str, Any]] = []
        arguments_seen: set[str] = set()
        answers_seen: set[str] = set()
        for _ in range(_MAX_DRAWS_PER_CASE * n):
            args = self.draw(rng, parameters)
            if repr(args) in arguments_seen:
                continue
            arguments_seen.add(repr(args))
            value = answer(*copy.deepcopy(args))
            case = {"args": encode_value(list(args)), "expect": encode_value(value)}
            (repeated if repr(value) in answers_seen else fresh).append(case)
            answers_seen.add(repr(value))
            if len(fresh) == n:
                break
        return (fresh + repeated)[:n]

    def _reference(self, parameters: Parameters) -> Callable[..., Any]:
        namespace: dict[str, Any] = {}
        exec(compile(self.source("reference", parameters), f"<{self.name}>", "exec"), namespace)
        function: Callable[..., Any] = namespace["reference"]
        return function
