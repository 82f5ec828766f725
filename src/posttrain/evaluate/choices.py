"""Multiple-choice items, scored by log-likelihood.

A choice is the text that follows the query and one space. Its score is the mean log-prob of its
tokens in nats, so that long choices are not at a disadvantage. The margin of an item is the score
of the gold choice minus that of the best wrong one; the item is correct when it is positive. The
margin sees a policy drift long before its accuracy moves.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from posttrain.core.errors import PolicyError, TaskFormatError
from posttrain.policy.protocol import Policy
from posttrain.tasks.complaint import Record, parse_record
from posttrain.tasks.jsonl import read_json_lines

__all__ = ["ChoiceItem", "ChoiceOutcome", "load_choice_items", "score_choices"]


class ChoiceItem(Record):
    """One line of an items file."""

    id: str
    query: str
    choices: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=2)]
    gold: Annotated[int, Field(ge=0)]
    """Index of the right choice."""
    source: str = ""

    @model_validator(mode="after")
    def _gold_is_a_choice(self) -> Self:
        if self.gold >= len(self.choices):
            raise ValueError(f"gold is {self.gold}, but there are {len(self.choices)} choices")
        return self

    @property
    def question(self) -> str:
        """The query without its ``Question:`` and ``Answer:`` frame."""
        return self.query.removeprefix("Question:").removesuffix("Answer:").strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class ChoiceOutcome:
    """How a policy answered one item; ``margin`` in nats per token."""

    id: str
    source: str
    correct: bool
    margin: float


def load_choice_items(path: Path) -> list[ChoiceItem]:
    """The items of a JSONL file, in order.

    Raises ``NotFoundError`` without the file and ``TaskFormatError``, naming file and line, for a
    line that is not an item or an id that occurs twice.
    """
    items: dict[str, ChoiceItem] = {}
    for where, line in read_json_lines(path):
        item = parse_record(ChoiceItem, line, where)
        if item.id in items:
            raise TaskFormatError(f"{where}: id {item.id!r} occurs twice; give each item its own")
        items[item.id] = item
    return list(items.values())


def score_choices(policy: Policy, items: Sequence[ChoiceItem]) -> list[ChoiceOutcome]:
    """One outcome per item, in order.

    Raises ``PolicyError`` when the policy gives a choice no finite score.
    """
    pairs = [
        (policy.encode_text(item.query), policy.encode_text(_continuation(item.query, choice)))
        for item in items
        for choice in item.choices
    ]
    means = iter([_mean_logprob(policy, logprobs) for logprobs in policy.score(pairs)])
    return [_outcome(item, [next(means) for _ in item.choices]) for item in items]


def _continuation(query: str, choice: str) -> str:
    return choice if query[-1:].isspace() or choice[0].isspace() else f" {choice}"


def _mean_logprob(policy: Policy, logprobs: Sequence[float]) -> float:
    if not logprobs or not math.isfinite(total := math.fsum(logprobs)):
        raise PolicyError(
            f"policy {policy.name!r} version {policy.version} gave an answer no finite "
            "log-likelihood; its weights may have diverged"
        )
    return total / len(logprobs)


def _outcome(item: ChoiceItem, means: Sequence[float]) -> ChoiceOutcome:
    margin = means[item.gold] - max(m for i, m in enumerate(means) if i != item.gold)
    return ChoiceOutcome(id=item.id, source=item.source, correct=margin > 0.0, margin=margin)
