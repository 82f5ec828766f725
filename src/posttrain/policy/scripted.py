"""A policy whose answers are given: for tests, demonstrations and dry runs.

Tokens are the UTF-8 bytes of the text, so that prompts and answers survive encoding exactly and
no tokenizer is needed. Every scripted token has probability 1 (log-prob 0).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from posttrain.core.rollout import StopReason, Turn
from posttrain.core.task import Message
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = ["ScriptedPolicy"]

_END = 256
_UNSCRIPTED_LOGPROB = -1.0


class ScriptedPolicy:
    """Implements ``Policy`` from a function of (prompt text, seed) or from a table.

    A table maps a piece of the prompt to the answer; the first key that the prompt contains wins,
    and a prompt without any gets the empty answer. Answers continue after the prefill.
    """

    def __init__(
        self,
        answers: Callable[[str, int], str] | Mapping[str, str],
        *,
        name: str = "scripted",
        version: int = 0,
        likelihood: Callable[[str, str], float] | None = None,
    ) -> None:
        self.name = name
        self.version = version
        self._answers = answers
        self._likelihood = likelihood

    def encode(self, messages: Sequence[Message], prefill: str = "") -> tuple[int, ...]:
        """Bytes of the messages, one "role: content" block each, and ``prefill``."""
        blocks = "".join(f"{message.role}: {message.content}\n" for message in messages)
        return self.encode_text(blocks + prefill)

    def encode_text(self, text: str) -> tuple[int, ...]:
        """Bytes of ``text``."""
        return tuple(text.encode())

    def sample(
        self, requests: Sequence[SampleRequest], params: SamplingParams
    ) -> Iterator[tuple[int, Turn]]:
        """Yield the scripted turns in the order of the requests."""
        for index, request in enumerate(requests):
            yield index, self._turn(request, params)

    def score(
        self, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    ) -> list[tuple[float, ...]]:
        """The given likelihood of (prompt, answer) spread over its tokens, else -1 nat each."""
        return [self._score(prompt, answer) for prompt, answer in pairs]

    def close(self) -> None:
        """Nothing is held."""

    def _score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> tuple[float, ...]:
        if self._likelihood is None or not answer:
            return (_UNSCRIPTED_LOGPROB,) * len(answer)
        total = self._likelihood(_text(prompt), _text(answer))
        return (total / len(answer),) * len(answer)

    def _turn(self, request: SampleRequest, params: SamplingParams) -> Turn:
        answer = self._answer(_text(request.prompt_ids), request.seed)
        ends = [answer.find(stop) + len(stop) for stop in params.stop if stop in answer]
        reason = StopReason.STOP_SEQUENCE if ends else StopReason.EOS
        tokens = [*answer[: min(ends)].encode()] if ends else [*answer.encode(), _END]
        if len(tokens) > params.max_tokens:
            tokens, reason = tokens[: params.max_tokens], StopReason.MAX_TOKENS
        return Turn(
            prompt_ids=request.prompt_ids,
            token_ids=tuple(tokens),
            logprobs=(0.0,) * len(tokens),
            text=request.prefill + _text(tokens),
            stop_reason=reason,
        )

    def _answer(self, prompt: str, seed: int) -> str:
        if isinstance(self._answers, Mapping):
            return next((text for key, text in self._answers.items() if key in prompt), "")
        return self._answers(prompt, seed)


def _text(ids: Sequence[int]) -> str:
    return bytes(token for token in ids if token != _END).decode(errors="replace")
