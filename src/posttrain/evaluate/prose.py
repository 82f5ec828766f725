"""Perplexity on held-out prose: does the policy still model plain language?

    ppl = exp(- sum of log-probs / number of tokens)

over chunks of at most ``CHUNK_TOKENS`` tokens. The first token of a chunk is its context and is not
counted, since a policy may know no token that begins a text.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from posttrain.core.errors import PolicyError
from posttrain.evaluate.comparison import Plain
from posttrain.policy.protocol import Policy
from posttrain.stats.bootstrap import ratio_bootstrap

__all__ = ["CHUNK_TOKENS", "ChunkOutcome", "compare_prose", "perplexity", "summarize_prose"]

CHUNK_TOKENS = 256


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkOutcome:
    """One chunk: ``id`` is text/chunk by position; ``nats`` is minus the sum of its log-probs."""

    id: str
    num_tokens: int
    nats: float


def perplexity(policy: Policy, texts: Sequence[str]) -> list[ChunkOutcome]:
    """One outcome per chunk of the texts, in order; texts of less than two tokens have none.

    Raises ``PolicyError`` for a chunk without a finite score.
    """
    chunks = [
        (f"{place}/{begin // CHUNK_TOKENS}", ids[begin : begin + CHUNK_TOKENS])
        for place, text in enumerate(texts)
        for ids in [policy.encode_text(text)]
        for begin in range(0, len(ids) - 1, CHUNK_TOKENS)
    ]
    scores = policy.score([(ids[:1], ids[1:]) for _, ids in chunks if len(ids) > 1])
    names = [(name, len(ids) - 1) for name, ids in chunks if len(ids) > 1]
    outcomes = []
    for (name, num_tokens), logprobs in zip(names, scores, strict=True):
        nats = -math.fsum(logprobs)
        if not math.isfinite(nats):
            raise PolicyError(
                f"policy {policy.name!r} version {policy.version} gave prose chunk {name} no "
                "finite log-likelihood; its weights may have diverged"
            )
        outcomes.append(ChunkOutcome(id=name, num_tokens=num_tokens, nats=nats))
    return outcomes


def summarize_prose(chunks: Sequence[ChunkOutcome]) -> Plain:
    """Perplexity with an interval over chunks."""
    estimate = ratio_bootstrap(
        [chunk.nats for chunk in chunks], [float(chunk.num_tokens) for chunk in chunks]
    )
    return {
        "value": _exp(estimate.value),
        "low": _exp(estimate.low),
        "high": _exp(estimate.high),
        "n": estimate.n,
    }


def compare_prose(a: Sequence[ChunkOutcome], b: Sequence[ChunkOutcome]) -> Plain | None:
    """Difference of the perplexities over common chunks; None without any.

    The interval is that of the mean difference d in nats per token, carried over by
    ppl_b - ppl_a = ppl_a (exp(d) - 1) with ppl_a held fixed.
    """
    theirs = {chunk.id: chunk for chunk in b}
    pairs = [(chunk, theirs[chunk.id]) for chunk in a if chunk.id in theirs]
    if not pairs:
        return None
    sizes = [float(ours.num_tokens) for ours, _ in pairs]
    drift = ratio_bootstrap([other.nats - ours.nats for ours, other in pairs], sizes)
    before = math.exp(sum(ours.nats for ours, _ in pairs) / sum(sizes))
    value, low, high = (
        None if d is None else before * math.expm1(d) for d in (drift.value, drift.low, drift.high)
    )
    return {
        "a": before,
        "b": before + (value or 0.0),
        "difference": value,
        "value": value,
        "low": low,
        "high": high,
        "n": drift.n,
        "p_mcnemar": None,
    }


def _exp(nats_per_token: float | None) -> float | None:
    return None if nats_per_token is None else math.exp(nats_per_token)
