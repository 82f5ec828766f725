"""Log-likelihood of given answers, with each distinct prompt computed once.

A prompt and several answers to it are one *tree*, laid out as one sequence

    [ prompt | answer 1 | answer 2 | ... ]

in which every answer's positions continue the prompt's and a mask hides its siblings. Trees are
concatenated without padding, and logits are computed only where an answer's token is predicted.

Shape suffixes: N tokens of a batch of trees, T tokens of one tree, A answer tokens, H query heads,
K key heads, E head width.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from posttrain.core.errors import PolicyError
from posttrain.policy.local_model import LlamaModel

__all__ = ["score_pairs"]

_TOKENS_AT_ONCE = 1024
_LOGIT_ROWS_AT_ONCE = 128

Ids = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tree:
    prompt: Ids
    answers: tuple[tuple[int, Ids], ...]
    """(index of the pair, answer)."""

    @property
    def size(self) -> int:
        """Tokens in the tree."""
        return len(self.prompt) + sum(len(answer) for _, answer in self.answers)

    @property
    def ids(self) -> list[int]:
        """The tree as one sequence."""
        return [*self.prompt, *(token for _, answer in self.answers for token in answer)]

    @property
    def positions(self) -> list[int]:
        """Each token's position in its own prompt + answer."""
        own = list(range(len(self.prompt)))
        for _, answer in self.answers:
            own += range(len(self.prompt), len(self.prompt) + len(answer))
        return own

    @property
    def predictors(self) -> list[int]:
        """For each answer token, where in the tree it is predicted."""
        found, begin = [], len(self.prompt)
        for _, answer in self.answers:
            if answer:
                found += [len(self.prompt) - 1, *range(begin, begin + len(answer) - 1)]
            begin += len(answer)
        return found


@torch.inference_mode()
def score_pairs(model: LlamaModel, pairs: Sequence[tuple[Ids, Ids]]) -> list[tuple[float, ...]]:
    """Log-probs (nats, temperature 1) of each answer's tokens given its prompt, in order.

    Raises ``PolicyError`` for an empty prompt or a pair longer than the model's positions.
    """
    _check(model, pairs)
    scores: list[tuple[float, ...]] = [()] * len(pairs)
    for batch in _batches(_trees(pairs)):
        logprobs = _answer_logprobs(model, batch)
        for tree in batch:
            for index, answer in tree.answers:
                scores[index] = tuple(logprobs[: len(answer)])
                del logprobs[: len(answer)]
    return scores


def _check(model: LlamaModel, pairs: Sequence[tuple[Ids, Ids]]) -> None:
    limit = model.shape.max_positions
    for index, (prompt, answer) in enumerate(pairs):
        if not prompt or len(prompt) + len(answer) > limit:
            raise PolicyError(
                f"pair {index} has {len(prompt)} prompt and {len(answer)} answer tokens; allowed "
                f"are at least 1 prompt token and {limit} tokens in all"
            )


def _trees(pairs: Sequence[tuple[Ids, Ids]]) -> Iterator[_Tree]:
    by_prompt: dict[Ids, list[tuple[int, Ids]]] = {}
    for index, (prompt, answer) in enumerate(pairs):
        by_prompt.setdefault(prompt, []).append((index, answer))
    for prompt, answers in by_prompt.items():
        taken: list[tuple[int, Ids]] = []
        size = len(prompt)
        for entry in answers:
            if taken and size + len(entry[1]) > _TOKENS_AT_ONCE:
                yield _Tree(prompt=prompt, answers=tuple(taken))
                taken, size = [], len(prompt)
            taken.append(entry)
            size += len(entry[1])
        yield _Tree(prompt=prompt, answers=tuple(taken))


def _batches(trees: Iterator[_Tree]) -> Iterator[list[_Tree]]:
    batch: list[_Tree] = []
    for tree in trees:
        if batch and sum(t.size for t in batch) + tree.size > _TOKENS_AT_ONCE:
            yield batch
            batch = []
        batch.append(tree)
    if batch:
        yield batch


def _answer_logprobs(model: LlamaModel, batch: Sequence[_Tree]) -> list[float]:
    ids_N = torch.tensor([token for tree in batch for token in tree.ids])
    positions_N = torch.tensor([position for tree in batch for position in tree.positions])
    hidden_ND = model.hidden(ids_N, positions_N, _TreeAttention(batch, model.dtype))
    predictors = _predictors(batch)
    hidden_AD = hidden_ND[torch.tensor(predictors, dtype=torch.long)]
    targets_A = torch.tensor([t for tree in batch for _, answer in tree.answers for t in answer])
    found: list[float] = []
    for begin in range(0, len(predictors), _LOGIT_ROWS_AT_ONCE):
        end = begin + _LOGIT_ROWS_AT_ONCE
        logits = model.logits(hidden_AD[begin:end])
        picked = logits.gather(-1, targets_A[begin:end].unsqueeze(-1)).squeeze(-1)
        found += (picked - logits.logsumexp(-1)).tolist()
    return found


def _predictors(batch: Sequence[_Tree]) -> list[int]:
    """Rows of the batch whose logits predict the answers' tokens, in order."""
    found, begin = [], 0
    for tree in batch:
        found += [begin + index for index in tree.predictors]
        begin += tree.size
    return found


class _TreeAttention:
    def __init__(self, batch: Sequence[_Tree], dtype: torch.dtype) -> None:
        self._sizes = [tree.size for tree in batch]
        self._masks = [_tree_mask(tree, dtype) for tree in batch]

    def __call__(self, layer: int, q_NHE: Tensor, k_NKE: Tensor, v_NKE: Tensor) -> Tensor:
        del layer
        repeat = q_NHE.shape[1] // k_NKE.shape[1]
        mixed, begin = [], 0
        for size, mask in zip(self._sizes, self._masks, strict=True):
            q, k, v = (x[begin : begin + size].transpose(0, 1) for x in (q_NHE, k_NKE, v_NKE))
            out = functional.scaled_dot_product_attention(
                q.unsqueeze(0),
                k.repeat_interleave(repeat, 0).unsqueeze(0),
                v.repeat_interleave(repeat, 0).unsqueeze(0),
                attn_mask=mask,
                is_causal=mask is None,
            )
            mixed.append(out.squeeze(0).transpose(0, 1).flatten(1))
            begin += size
        return torch.cat(mixed)


def _tree_mask(tree: _Tree, dtype: torch.dtype) -> Tensor | None:
    """Additive (T, T) mask; None where plain causal order is enough."""
    if len(tree.answers) == 1:
        return None
    owner = [0] * len(tree.prompt)
    for number, (_, answer) in enumerate(tree.answers, start=1):
        owner += [number] * len(answer)
    owner_T = torch.tensor(owner)
    related = (owner_T == 0) | (owner_T == owner_T.unsqueeze(1))
    visible = related & torch.ones(tree.size, tree.size, dtype=torch.bool).tril()
    return torch.zeros(tree.size, tree.size, dtype=dtype).masked_fill(~visible, -torch.inf)
