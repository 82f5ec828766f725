"""The supervised stream: the base model's own answers to general prompts, made once a run.

Learning from its own answers keeps the model where it was on general text; no reference and no
target task enters. Prompts that occur in the regression track are left out by hash. The answers
lie in ``sft.jsonl`` of the run directory, so that a resumed run mixes in the same ones.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from posttrain.config.algorithm import SftConfig
from posttrain.core.rollout import Turn
from posttrain.core.seeds import derive_seed
from posttrain.core.task import Message
from posttrain.policy.protocol import Policy, SampleRequest, SamplingParams
from posttrain.store.disk import write_atomically
from posttrain.store.jsonl import read_lines, to_line
from posttrain.train.sequences import SftSequence

__all__ = ["general_answers", "without_regression"]

TEMPERATURE = 0.3


def general_answers(
    path: Path, policy: Policy, prompts: Sequence[str], config: SftConfig, seed: int
) -> list[SftSequence]:
    """The stream in ``path``, or else sampled from ``policy``, which must be the base model."""
    if not path.exists():
        turns = _answers(policy, prompts[: config.prompts], config, seed) if config.weight else []
        lines = [
            {"prompt_ids": turn.prompt_ids, "answer_ids": turn.token_ids, "text": turn.text}
            for turn in turns
        ]
        write_atomically(path, b"".join(to_line(line) for line in lines))
    return [
        SftSequence(prompt_ids=tuple(line["prompt_ids"]), answer_ids=tuple(line["answer_ids"]))
        for line in read_lines(path)
    ]


def without_regression(prompts: Iterable[str], regression_texts: Iterable[str]) -> list[str]:
    """The prompts whose words are in no regression item."""
    taken = {_digest(text) for text in regression_texts}
    return [prompt for prompt in prompts if _digest(prompt) not in taken]


def _digest(text: str) -> str:
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()


def _answers(policy: Policy, prompts: Sequence[str], config: SftConfig, seed: int) -> list[Turn]:
    requests = [
        SampleRequest(
            prompt_ids=policy.encode([Message(role="user", content=prompt)]),
            seed=derive_seed(seed, "general", number),
        )
        for number, prompt in enumerate(prompts)
    ]
    params = SamplingParams(temperature=TEMPERATURE, max_tokens=config.max_tokens)
    return [turn for _, turn in sorted(policy.sample(requests, params), key=lambda pair: pair[0])]
