"""Batches of random tokens for the tiny model."""

import random
from collections.abc import Sequence

import torch

from posttrain.train.sequences import RlSequence, SftSequence

VOCABULARY = 96


def some_ids(rng: random.Random, num: int) -> tuple[int, ...]:
    return tuple(rng.randrange(2, VOCABULARY) for _ in range(num))


def rl_batch(seed: int, *, groups: int = 3, attempts: int = 4) -> list[RlSequence]:
    """Groups of unequal answers with behaviour log-probs near those of a random model."""
    rng = random.Random(seed)
    batch = []
    for _ in range(groups):
        prompt = some_ids(rng, rng.randint(3, 9))
        for _ in range(attempts):
            length = rng.randint(1, 7)
            batch.append(
                RlSequence(
                    prompt_ids=prompt,
                    answer_ids=some_ids(rng, length),
                    behaviour_logprobs=tuple(-4.5 - rng.random() for _ in range(length)),
                    advantage=rng.choice([-1.0, -0.5, 0.5, 1.0]),
                    temperature=0.8,
                )
            )
    return batch


def sft_batch(seed: int, num: int = 3) -> list[SftSequence]:
    rng = random.Random(seed)
    return [
        SftSequence(prompt_ids=some_ids(rng, 4), answer_ids=some_ids(rng, rng.randint(2, 6)))
        for _ in range(num)
    ]


def flat(named: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat([tensor.flatten() for tensor in named])
