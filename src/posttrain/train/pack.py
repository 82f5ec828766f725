"""Sequences laid out for one forward pass, with each shared prompt computed once.

    ids        p p p p | a a a | b b | q q q | c c
    positions  0 1 2 3 | 4 5 6 | 4 5 | 0 1 2 | 3 4
    segment    0         1       2     3       4       a and b attend to p and to themselves

Answers to one prompt are its branches. In a group of eight with a prompt twice as long as its
answers this halves the tokens, and the gradients are those of separate sequences: a token attends
to exactly the tokens before it in its own sequence, at the same positions. The last token of an
answer predicts nothing and is left out.

Shape suffixes: S places of a pack, N answer tokens of a pack.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

__all__ = ["Pack", "PackLimits", "build_packs"]


class _Sequence(Protocol):
    @property
    def prompt_ids(self) -> tuple[int, ...]: ...

    @property
    def answer_ids(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class PackLimits:
    """How much one forward pass holds; memory grows with it, the loss does not change."""

    max_tokens: int = 768
    """A single sequence may exceed it."""
    max_sequences: int = 16
    share_prompts: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack:
    """One forward pass. Answer tokens are concatenated in the order of ``sequences``."""

    ids: Tensor
    """Shape S."""
    positions: Tensor
    """Shape S; counted from the begin of each token's own sequence."""
    may_attend: Tensor
    """Shape SS; true where the row's token attends to the column's."""
    rows: Tensor
    """Shape N; the place whose output predicts the answer token."""
    targets: Tensor
    """Shape N; the answer tokens."""
    sequences: tuple[int, ...]
    """Indices into the sequences that were packed."""
    lengths: tuple[int, ...]
    """Answer tokens of each."""

    def per_token(self, values: Sequence[float]) -> Tensor:
        """One value per sequence (of all that were packed), repeated over its tokens: shape N."""
        chosen = torch.tensor([values[index] for index in self.sequences], dtype=torch.float32)
        return chosen.repeat_interleave(torch.tensor(self.lengths))

    def from_tokens(self, values: Sequence[Sequence[float]]) -> Tensor:
        """The values per token of each packed sequence: shape N."""
        flat = [value for index in self.sequences for value in values[index]]
        return torch.tensor(flat, dtype=torch.float32)


@dataclass(slots=True)
class _Tree:
    """A prompt and the answers that branch off it."""

    prompt_ids: tuple[int, ...]
    branches: list[tuple[int, tuple[int, ...]]]

    @property
    def num_places(self) -> int:
        return len(self.prompt_ids) + sum(len(answer) - 1 for _, answer in self.branches)


def build_packs(sequences: Sequence[_Sequence], limits: PackLimits) -> list[Pack]:
    """Packs that hold every sequence once; a function of the sequences and their order alone."""
    packs: list[Pack] = []
    held: list[_Tree] = []
    for tree in _trees(sequences, limits):
        trees = [*held, tree]
        places = sum(one.num_places for one in trees)
        branches = sum(len(one.branches) for one in trees)
        if held and (places > limits.max_tokens or branches > limits.max_sequences):
            packs.append(_pack(held))
            held = [tree]
        else:
            held = trees
    return [*packs, _pack(held)] if held else packs


def _trees(sequences: Sequence[_Sequence], limits: PackLimits) -> Iterator[_Tree]:
    """Prompts in order of first appearance, each with as many branches as the limits allow."""
    by_prompt: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = {}
    for index, sequence in enumerate(sequences):
        by_prompt.setdefault(sequence.prompt_ids, []).append((index, sequence.answer_ids))
    for prompt_ids, branches in by_prompt.items():
        tree = _Tree(prompt_ids, [])
        for branch in branches:
            if tree.branches and _is_full(tree, branch[1], limits):
                yield tree
                tree = _Tree(prompt_ids, [])
            tree.branches.append(branch)
        yield tree


def _is_full(tree: _Tree, answer_ids: tuple[int, ...], limits: PackLimits) -> bool:
    return (
        not limits.share_prompts
        or len(tree.branches) >= limits.max_sequences
        or tree.num_places + len(answer_ids) - 1 > limits.max_tokens
    )


def _pack(trees: Sequence[_Tree]) -> Pack:
    ids: list[int] = []
    positions: list[int] = []
    segments: list[int] = []
    parents: list[int] = []
    rows: list[int] = []
    targets: list[int] = []
    for tree in trees:
        start, depth = len(ids), len(tree.prompt_ids)
        root = len(parents)
        parents.append(root)
        ids += tree.prompt_ids
        positions += range(depth)
        segments += [root] * depth
        for _, answer in tree.branches:
            inputs = answer[:-1]
            rows += [start + depth - 1, *range(len(ids), len(ids) + len(inputs))]
            targets += answer
            ids += inputs
            positions += range(depth, depth + len(inputs))
            segments += [len(parents)] * len(inputs)
            parents.append(root)
    branches = [branch for tree in trees for branch in tree.branches]
    return Pack(
        ids=torch.tensor(ids),
        positions=torch.tensor(positions),
        may_attend=_may_attend(torch.tensor(segments), torch.tensor(parents)),
        rows=torch.tensor(rows),
        targets=torch.tensor(targets),
        sequences=tuple(index for index, _ in branches),
        lengths=tuple(len(answer) for _, answer in branches),
    )


def _may_attend(segments_S: Tensor, parents: Tensor) -> Tensor:
    """Earlier places of the same segment, or of the prompt that the segment branches off."""
    places_S = torch.arange(len(segments_S))
    earlier_SS = places_S[:, None] >= places_S[None, :]
    same_SS = segments_S[:, None] == segments_S[None, :]
    prompt_SS = parents[segments_S][:, None] == segments_S[None, :]
    return earlier_SS & (same_SS | prompt_SS)
