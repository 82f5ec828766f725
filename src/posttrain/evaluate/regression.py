"""The regression track: what the policy could do before and should still be able to do.

    accuracy   share of multiple-choice items answered right; by source as accuracy/SOURCE
    margin     mean over items of how clearly the right choice wins, in nats per token
    ppl        perplexity on held-out prose (lower is better)

Items and texts are the same for every policy, so comparisons are paired item by item.
"""

from collections.abc import Iterator, Sequence

from posttrain.evaluate.choices import (
    ChoiceItem,
    ChoiceOutcome,
    load_choice_items,
    score_choices,
)
from posttrain.evaluate.comparison import Plain, compare_means, estimate_mean, estimate_share
from posttrain.evaluate.prose import (
    ChunkOutcome,
    compare_prose,
    perplexity,
    summarize_prose,
)

__all__ = [
    "ChoiceItem",
    "ChoiceOutcome",
    "ChunkOutcome",
    "compare_regression",
    "load_choice_items",
    "perplexity",
    "score_choices",
    "summarize_regression",
]


def summarize_regression(
    choices: Sequence[ChoiceOutcome], prose: Sequence[ChunkOutcome] | None = None
) -> dict[str, Plain]:
    """Estimate by name; what was not measured is left out."""
    figures = {
        f"accuracy{suffix}": estimate_share(_correct(members))
        for suffix, members in _sources(choices)
    }
    if choices:
        figures["margin"] = estimate_mean(_margins(choices))
    if prose:
        figures["ppl"] = summarize_prose(prose)
    return figures


def compare_regression(
    a: Sequence[ChoiceOutcome],
    b: Sequence[ChoiceOutcome],
    a_prose: Sequence[ChunkOutcome] = (),
    b_prose: Sequence[ChunkOutcome] = (),
) -> dict[str, Plain]:
    """Comparison by name over the items and chunks that both sides have."""
    found = {
        "accuracy": compare_means(_correct(a), _correct(b), bound=1.0),
        "margin": compare_means(_margins(a), _margins(b)),
        "ppl": compare_prose(a_prose, b_prose),
    }
    return {name: comparison for name, comparison in found.items() if comparison is not None}


def _sources(choices: Sequence[ChoiceOutcome]) -> Iterator[tuple[str, list[ChoiceOutcome]]]:
    if choices:
        yield "", list(choices)
    names = sorted({choice.source for choice in choices})
    if len(names) > 1:
        for name in names:
            yield f"/{name}", [choice for choice in choices if choice.source == name]


def _correct(choices: Sequence[ChoiceOutcome]) -> dict[str, float]:
    return {choice.id: float(choice.correct) for choice in choices}


def _margins(choices: Sequence[ChoiceOutcome]) -> dict[str, float]:
    return {choice.id: choice.margin for choice in choices}
