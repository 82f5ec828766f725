"""What a policy offers to the rest: sample answers, score given answers, name its version.

Token ids go in and come out as sampled; nothing downstream re-tokenises. Every sampled turn names
the policy version that produced it. ``score`` needs no torch on the caller's side, which lets
log-likelihood tracks and preference losses live outside ``policy/`` and ``train/``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from posttrain.core.rollout import Turn
from posttrain.core.task import Message

__all__ = ["Policy", "SampleRequest", "SamplingParams"]


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplingParams:
    """How tokens are drawn; ``temperature`` 0 is greedy."""

    temperature: float = 0.8
    max_tokens: int = 128
    stop: tuple[str, ...] = ()
    """Text that ends an answer; it stays part of the sampled tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleRequest:
    """One answer wanted. Requests with equal ``prompt_ids`` share one prompt computation."""

    prompt_ids: tuple[int, ...]
    seed: int
    prefill: str = ""
    """Begin of the answer that is already part of ``prompt_ids``; prepended to ``Turn.text``."""


@runtime_checkable
class Policy(Protocol):
    """A model, or something that acts like one."""

    name: str
    version: int

    def encode(self, messages: Sequence[Message], prefill: str = "") -> tuple[int, ...]:
        """Prompt ids of the chat template with the begun answer."""
        ...

    def sample(
        self, requests: Sequence[SampleRequest], params: SamplingParams
    ) -> Iterator[tuple[int, Turn]]:
        """Yield (index of the request, turn) as answers finish, in any order, each once.

        The tokens of a request depend on its ids, its seed and the weights alone, not on which
        other requests share the call (up to floating-point differences of batched kernels).
        """
        ...

    def score(
        self, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    ) -> list[tuple[float, ...]]:
        """Log-probs (nats, temperature 1) of each answer's tokens given its prompt."""
        ...

    def encode_text(self, text: str) -> tuple[int, ...]:
        """Plain ids of a text without template or special tokens."""
        ...

    def close(self) -> None:
        """Free what was loaded; idempotent."""
        ...
