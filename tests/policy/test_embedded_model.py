import json
from pathlib import Path

import pytest
import torch

from posttrain.core.task import Message
from posttrain.policy.local import LocalPolicy
from posttrain.policy.model_store import EMBEDDED, resolve_model
from posttrain.policy.protocol import SampleRequest, SamplingParams

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ASK = "Write a Python function `add(a, b)` that returns the sum of a and b."


@pytest.fixture(scope="module")
def folder() -> Path:
    return resolve_model(EMBEDDED.name)


def request(policy: LocalPolicy, seed: int) -> SampleRequest:
    prompt = policy.encode((Message(role="user", content=ASK),), "```python")
    return SampleRequest(prompt_ids=prompt, seed=seed, prefill="```python")


def test_the_converted_folder_names_its_source(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["source"]["sha256"] == EMBEDDED.sha256
    assert manifest["license"] == "Apache-2.0"


def test_it_writes_a_function_that_adds(folder: Path) -> None:
    policy = LocalPolicy(folder)
    params = SamplingParams(temperature=0.0, max_tokens=80, stop=("\n```",))
    (_, turn), *_ = policy.sample([request(policy, 0)], params)
    names: dict[str, object] = {}
    exec(turn.text.removeprefix("```python").removesuffix("```"), names)
    assert names["add"](2, 3) == 5


def test_float32_logprobs_equal_transformers(folder: Path, reference_logprobs) -> None:
    policy = LocalPolicy(folder, dtype="float32")
    turns = dict(policy.sample([request(policy, seed) for seed in range(4)], SamplingParams()))
    for turn in turns.values():
        wanted = reference_logprobs(folder, turn.prompt_ids, turn.token_ids, 0.8)
        assert torch.tensor(turn.logprobs).sub(wanted).abs().max() < 1e-4


def test_bfloat16_logprobs_stay_within_a_few_hundredths_of_float32(
    folder: Path, reference_logprobs
) -> None:
    policy = LocalPolicy(folder, dtype="bfloat16")
    turns = dict(policy.sample([request(policy, seed) for seed in range(8)], SamplingParams()))
    errors = [
        torch.tensor(turn.logprobs)
        - reference_logprobs(folder, turn.prompt_ids, turn.token_ids, 0.8)
        for turn in turns.values()
    ]
    assert torch.cat(errors).abs().mean() < 0.05
