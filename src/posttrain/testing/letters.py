"""A policy that can be computed by hand: its tokens are letters, each with a fixed log-prob."""

from collections.abc import Iterator, Mapping, Sequence

from posttrain.core.rollout import Turn
from posttrain.core.task import Message
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = ["LetterPolicy"]


class LetterPolicy:
    """Scores each letter by a table, whatever came before it; samples nothing.

    ``logprobs`` maps letters to nats; letters that it lacks have ``other``.
    """

    def __init__(
        self, logprobs: Mapping[str, float] | None = None, *, other: float = -1.0, version: int = 0
    ) -> None:
        self.name = "letters"
        self.version = version
        self._logprobs = dict(logprobs or {})
        self._other = other

    def encode(self, messages: Sequence[Message], prefill: str = "") -> tuple[int, ...]:
        """The code points of all messages and the begun answer."""
        return self.encode_text("\n".join(message.content for message in messages) + prefill)

    def encode_text(self, text: str) -> tuple[int, ...]:
        """One code point a letter."""
        return tuple(map(ord, text))

    def sample(
        self, requests: Sequence[SampleRequest], params: SamplingParams
    ) -> Iterator[tuple[int, Turn]]:
        """Nothing: no answer is ever yielded."""
        return iter(())

    def score(
        self, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    ) -> list[tuple[float, ...]]:
        """The table's entries for the letters of each answer."""
        return [
            tuple(self._logprobs.get(chr(token), self._other) for token in answer)
            for _, answer in pairs
        ]

    def close(self) -> None:
        """Nothing to free."""
