"""Does the whole rule learn? A bandit over answers of three tokens."""

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

from posttrain.train.advantage import AdvantageSpec, AttemptValue, group_advantages
from posttrain.train.learner import Learner
from posttrain.train.loss import PolicyLossSpec
from posttrain.train.sequences import RlSequence
from posttrain.train.spec import LearnerSpec, OptimizerSpec

PROMPTS = ((2, 3, 4), (9, 8, 7))
REWARDED = 42
ATTEMPTS, LENGTH, TEMPERATURE = 16, 3, 1.0


def sample_group(
    model: torch.nn.Module, prompt: tuple[int, ...], generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.tensor([prompt] * ATTEMPTS)
    logprobs = []
    for _ in range(LENGTH):
        table = (model(input_ids=ids).logits[:, -1] / TEMPERATURE).log_softmax(-1)
        drawn = torch.multinomial(table.exp(), 1, generator=generator)
        logprobs.append(table.gather(1, drawn))
        ids = torch.cat([ids, drawn], 1)
    return ids[:, len(prompt) :], torch.cat(logprobs, 1)


def as_sequences(
    prompt: tuple[int, ...], answers: torch.Tensor, logprobs: torch.Tensor
) -> list[RlSequence]:
    rewards = (answers == REWARDED).float().mean(1)
    values = [AttemptValue(value=float(reward)) for reward in rewards]
    return [
        RlSequence(
            prompt_ids=prompt,
            answer_ids=tuple(answer),
            behaviour_logprobs=tuple(logprob),
            advantage=advantage,
            temperature=TEMPERATURE,
        )
        for answer, logprob, advantage in zip(
            answers.tolist(),
            logprobs.tolist(),
            group_advantages(values, AdvantageSpec()),
            strict=True,
        )
        if advantage is not None
    ]


def test_policy_learns_to_emit_the_rewarded_token(tiny_dir: Path) -> None:
    spec = LearnerSpec(
        loss=PolicyLossSpec(),
        optimizer=OptimizerSpec(learning_rate=5e-3),
        measure_kl=False,
    )
    learner = Learner(tiny_dir, spec, 0)
    sampler = AutoModelForCausalLM.from_pretrained(tiny_dir, dtype=torch.float32).eval()
    generator = torch.Generator().manual_seed(1)
    shares = []
    for _ in range(40):
        with torch.no_grad():
            groups = [(prompt, *sample_group(sampler, prompt, generator)) for prompt in PROMPTS]
        shares.append(sum((a == REWARDED).float().mean().item() for _, a, _ in groups) / 2)
        learner.update([one for group in groups for one in as_sequences(*group)], [])
        sampler.load_state_dict(learner.weights(), strict=False)
    assert sum(shares[:3]) / 3 < 0.2
    assert sum(shares[-3:]) / 3 > 0.8
