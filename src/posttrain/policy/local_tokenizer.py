"""Text to token ids and back, by the model folder's own tokenizer and chat template."""

from collections.abc import Sequence
from pathlib import Path

from transformers import AutoTokenizer

from posttrain.core.task import Message

__all__ = ["LocalTokenizer"]


class LocalTokenizer:
    """What the local policy needs of a tokenizer; ids are plain ints."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder)

    @property
    def eos_ids(self) -> frozenset[int]:
        """The tokenizer's end token; empty where it names none."""
        found: int | None = self._tokenizer.eos_token_id
        return frozenset() if found is None else frozenset({found})

    def encode_chat(self, messages: Sequence[Message], prefill: str) -> tuple[int, ...]:
        """Ids of the chat template up to the answer's begin, then ``prefill``.

        A default system prompt of the template stays. A ``prefill`` that ends in a newline splits
        the token that would hold the newline with its indent, which the model then never writes.
        """
        if self._tokenizer.chat_template is None:
            text = "\n\n".join(message.content for message in messages) + "\n\n"
        else:
            text = self._tokenizer.apply_chat_template(
                [{"role": message.role, "content": message.content} for message in messages],
                add_generation_prompt=True,
                tokenize=False,
            )
        return self.encode(text + prefill)

    def encode(self, text: str) -> tuple[int, ...]:
        """Ids of ``text``; nothing is added."""
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ``ids`` without special tokens, spaces as they are."""
        text: str = self._tokenizer.decode(
            ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text
