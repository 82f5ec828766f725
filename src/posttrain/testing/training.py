"""Fakes that train without a model: every answer and metric is a function of seeds and weights.

The weights are one digest. An update hashes the batch into it, so two runs end with equal weights
only if they trained on equal sequences in equal order; an answer is drawn from (weights, prompt,
seed), so a sampler with stale weights is found out at once.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from posttrain.core.rollout import StopReason, Turn
from posttrain.core.seeds import derive_rng
from posttrain.core.task import Message
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = ["DigestLearner", "DigestPolicy"]


class DigestPolicy:
    """Answers with one of ``answers``, chosen by weights, prompt and seed; out of order."""

    def __init__(self, answers: Sequence[str], name: str = "digest") -> None:
        self.name = name
        self.version = 0
        self._answers = tuple(answers)
        self._weights = "base"

    def load_weights(self, named: Mapping[str, Any], version: int) -> None:
        """Use the digest in ``named`` from now on."""
        self._weights, self.version = named["digest"], version

    def encode(self, messages: Sequence[Message], prefill: str = "") -> tuple[int, ...]:
        """The bytes of the last message and the prefill."""
        return tuple((messages[-1].content + prefill).encode())

    def encode_text(self, text: str) -> tuple[int, ...]:
        """The bytes of ``text``."""
        return tuple(text.encode())

    def sample(
        self, requests: Sequence[SampleRequest], params: SamplingParams
    ) -> Iterator[tuple[int, Turn]]:
        """Even places first, then odd ones."""
        for place in (*range(0, len(requests), 2), *range(1, len(requests), 2)):
            yield place, self._turn(requests[place])

    def score(
        self, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    ) -> list[tuple[float, ...]]:
        """-1 for every token."""
        return [(-1.0,) * len(answer) for _, answer in pairs]

    def close(self) -> None:
        """Nothing is held."""

    def _turn(self, request: SampleRequest) -> Turn:
        rng = derive_rng(self._weights, str(request.prompt_ids), request.seed)
        text = rng.choice(self._answers)
        ids = tuple(text.encode())
        return Turn(
            prompt_ids=request.prompt_ids,
            token_ids=ids,
            logprobs=tuple(-rng.random() for _ in ids),
            text=text,
            stop_reason=StopReason.EOS,
        )


class DigestLearner:
    """Its only weight is a digest of everything that it was trained on, in order."""

    def __init__(self) -> None:
        self.version = 0
        self._digest = "base"

    def update(self, rl: Sequence[object], sft: Sequence[object]) -> Mapping[str, float]:
        """Hash the batch into the weights."""
        content = f"{self._digest}{list(rl)!r}{list(sft)!r}".encode()
        self._digest = hashlib.sha256(content).hexdigest()
        self.version += 1
        return {"loss/rl": int(self._digest[:8], 16) / 2**32, "kl": 0.0, "entropy": float("nan")}

    def weights(self) -> Mapping[str, Any]:
        """The digest."""
        return {"digest": self._digest}

    def save(self, folder: Path) -> None:
        """Write version and digest."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "digest").write_text(f"{self.version} {self._digest}")

    def load(self, folder: Path) -> None:
        """Read what ``save`` wrote."""
        version, self._digest = (folder / "digest").read_text().split()
        self.version = int(version)
