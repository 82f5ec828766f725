"""The local policy: a Llama-family model sampled and scored on this machine's CPU.

One process, one model, one thread by default: where other processes are busy, two torch threads
wait for each other in spinning barriers (measured: a tenth of the tokens per CPU-second). More
cores are used by ``local_pool``, one process each.
"""

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

import torch

from posttrain.core.errors import PolicyError
from posttrain.core.rollout import Turn
from posttrain.core.task import Message
from posttrain.policy.local_cache import PromptCache, prompt_attention
from posttrain.policy.local_model import LlamaModel, read_shape, read_weights
from posttrain.policy.local_sampler import Sampler
from posttrain.policy.local_score import score_pairs
from posttrain.policy.local_tokenizer import LocalTokenizer
from posttrain.policy.model_store import DEFAULT_MAX_ROWS, DtypeName
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = ["LocalPolicy", "choose_dtype", "use_threads"]

_BF16_FLAGS = frozenset({"avx512_bf16", "amx_bf16", "bf16"})
_TYPICAL_TURN = "Write a Python function `add(a, b)` that returns the sum of two numbers."
_TYPICAL_ANSWER = "```python\ndef add(a, b):\n    return a + b\n```"


def use_threads(threads: int) -> None:
    """Set torch's threads for this process; the one place that does."""
    torch.set_num_threads(threads)


def choose_dtype(name: DtypeName, cpuinfo: Path = Path("/proc/cpuinfo")) -> torch.dtype:
    """The dtype that ``name`` means here: "auto" is bfloat16 where the CPU multiplies it.

    With avx512_bf16, bfloat16 samples 1.5 to 2 times as many tokens a second as float32; without
    such instructions it is emulated and slower.
    """
    if name == "auto":
        words = cpuinfo.read_text().split() if cpuinfo.is_file() else []
        name = "bfloat16" if _BF16_FLAGS.intersection(words) else "float32"
    return torch.bfloat16 if name == "bfloat16" else torch.float32


class LocalPolicy:
    """Implements ``Policy``; see ``local_sampler`` for what a request's tokens depend on."""

    def __init__(
        self,
        model_dir: Path,
        *,
        name: str = "",
        dtype: DtypeName = "auto",
        threads: int = 1,
        max_rows: int = DEFAULT_MAX_ROWS,
    ) -> None:
        use_threads(threads)
        self.name = name or model_dir.name
        self.version = 0
        self._max_rows = max_rows
        self._num_sampling = 0
        self._tokenizer = LocalTokenizer(model_dir)
        shape = read_shape(model_dir)
        self._eos_ids = frozenset(shape.eos_ids) | self._tokenizer.eos_ids
        self._model: LlamaModel | None = LlamaModel(
            shape, read_weights(model_dir), choose_dtype(dtype)
        )
        if self._model.dtype is torch.bfloat16:
            self._centre_head(self._model)

    def encode(self, messages: Sequence[Message], prefill: str = "") -> tuple[int, ...]:
        """Prompt ids of the chat template, which may add a system prompt, with ``prefill``."""
        return self._tokenizer.encode_chat(messages, prefill)

    def encode_text(self, text: str) -> tuple[int, ...]:
        """Ids of ``text`` alone."""
        return self._tokenizer.encode(text)

    def sample(
        self, requests: Sequence[SampleRequest], params: SamplingParams
    ) -> Generator[tuple[int, Turn]]:
        """Yield (index, turn) as answers finish; weights cannot change before the last one."""
        sampler = Sampler(self._loaded(), self._tokenizer, self._eos_ids, max_rows=self._max_rows)
        self._num_sampling += 1
        try:
            yield from sampler.run(requests, params)
        finally:
            self._num_sampling -= 1

    def score(
        self, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    ) -> list[tuple[float, ...]]:
        """Log-probs (nats, temperature 1) of each answer's tokens given its prompt."""
        return score_pairs(self._loaded(), pairs)

    def load_weights(self, named: Mapping[str, torch.Tensor], version: int) -> None:
        """Take over a checkpoint's tensors (Hugging Face names) as policy ``version``.

        All or nothing. Raises ``PolicyError`` when a tensor is missing or a ``sample`` is still
        being iterated, whose turns would come from two versions.
        """
        if self._num_sampling:
            raise PolicyError(
                f"policy {self.name!r} is sampling version {self.version}; exhaust or close that "
                f"iterator before loading version {version}"
            )
        self._loaded().load(named)
        self.version = version

    def close(self) -> None:
        """Free the weights; idempotent."""
        self._model = None

    def _loaded(self) -> LlamaModel:
        if self._model is None:
            raise PolicyError(f"policy {self.name!r} is closed; open it again")
        return self._model

    @torch.inference_mode()
    def _centre_head(self, model: LlamaModel) -> None:
        turn = (Message(role="user", content=_TYPICAL_TURN),)
        ids = torch.tensor(self._tokenizer.encode_chat(turn, _TYPICAL_ANSWER))
        attend = prompt_attention([PromptCache(model.shape, len(ids), model.dtype)])
        model.centre_head(model.hidden(ids, torch.arange(len(ids)), attend))
