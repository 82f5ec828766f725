"""One optimizer step's sequences with the weight that each token has in each stream.

Weights are fixed here, over the whole batch, before it is cut into packs: that is what makes the
gradient independent of the cut. Sequences that can change nothing are not computed, but still
count in the denominator, so skipping them changes no gradient.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from posttrain.train.loss import Reduction, sequence_weights
from posttrain.train.pack import Pack, build_packs
from posttrain.train.sequences import RlSequence, SftSequence
from posttrain.train.spec import KlScope, LearnerSpec

__all__ = ["RlBatch", "SftBatch", "plan_rl", "plan_sft"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RlBatch:
    """Lists are parallel to ``sequences``, which packs index into."""

    sequences: tuple[RlSequence, ...]
    """Those that are computed."""
    weights: tuple[float, ...]
    kl_weights: tuple[float, ...]
    packs: tuple[Pack, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SftBatch:
    """The supervised stream; every token weighs alike."""

    sequences: tuple[SftSequence, ...]
    weights: tuple[float, ...]
    packs: tuple[Pack, ...]


def plan_rl(sequences: Sequence[RlSequence], spec: LearnerSpec) -> RlBatch:
    """Weigh all sequences, keep those with an advantage or with a share in the KL."""
    loss = spec.loss
    lengths = [len(sequence.answer_ids) for sequence in sequences]
    weights = sequence_weights(lengths, loss.reduction, loss.constant_length)
    everywhere = loss.kl.coefficient > 0.0 and spec.kl_scope == KlScope.ALL
    kept = [i for i, s in enumerate(sequences) if everywhere or s.advantage != 0.0]
    kl_lengths = [lengths[i] for i in kept]
    chosen = tuple(sequences[i] for i in kept)
    return RlBatch(
        sequences=chosen,
        weights=tuple(weights[i] for i in kept),
        kl_weights=tuple(sequence_weights(kl_lengths, loss.reduction, loss.constant_length)),
        packs=tuple(build_packs(chosen, spec.packs)),
    )


def plan_sft(sequences: Sequence[SftSequence], spec: LearnerSpec) -> SftBatch:
    """Weigh the stream by its own number of tokens; nothing where its weight is 0."""
    chosen = tuple(sequences) if spec.sft_weight > 0.0 else ()
    lengths = [len(sequence.answer_ids) for sequence in chosen]
    return SftBatch(
        sequences=chosen,
        weights=tuple(sequence_weights(lengths, Reduction.TOKENS)),
        packs=tuple(build_packs(chosen, spec.packs)),
    )
