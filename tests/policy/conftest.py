"""One tiny random model per test process, with the embedded model's tokenizer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from posttrain.core.task import Message
from posttrain.policy.local import LocalPolicy
from posttrain.policy.model_store import tiny_model
from posttrain.policy.protocol import SampleRequest


@pytest.fixture(scope="session")
def tiny_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("tiny"), seed=0)


Reference = Callable[[Path, tuple[int, ...], tuple[int, ...], float], torch.Tensor]


@pytest.fixture(scope="session")
def reference_logprobs() -> Reference:
    """Log-probs of an answer by transformers' own float32 forward pass."""
    models = {}

    def compute(
        folder: Path, prompt: tuple[int, ...], answer: tuple[int, ...], temperature: float
    ) -> torch.Tensor:
        if folder not in models:
            models[folder] = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        ids = torch.tensor([prompt + answer])
        with torch.no_grad():
            logits = models[folder](ids).logits[0, len(prompt) - 1 : -1]
        picked = (logits / temperature).log_softmax(-1).gather(1, ids[0, len(prompt) :, None])
        return picked.squeeze(-1)

    return compute


@pytest.fixture
def tiny(tiny_dir: Path) -> Iterator[LocalPolicy]:
    policy = LocalPolicy(tiny_dir, dtype="float32")
    yield policy
    policy.close()


@pytest.fixture
def requests(tiny: LocalPolicy) -> list[SampleRequest]:
    """Three prompts of different lengths, six requests each."""
    prompts = [
        tiny.encode((Message(role="user", content="word " * (3 * i + 1)),), "```python")
        for i in range(3)
    ]
    return [
        SampleRequest(prompt_ids=prompt, seed=100 * i + k, prefill="```python")
        for i, prompt in enumerate(prompts)
        for k in range(6)
    ]
