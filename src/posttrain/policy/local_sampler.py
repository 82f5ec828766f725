"""The decode loop: a dense batch of rows from which finished answers leave and new ones join.

    requests ─► groups by prompt ─► lanes of <= 4 rows ─┐
                                                        ▼
         prompt forward (once a group) ─► draw ─► decode forward ─┐
                                           ▲                      │
                                           └── rows not finished ─┘

A request's lane mates are fixed by the order of the requests alone, and a product's row does not
depend on its batch, so ``max_rows`` and the moment of joining change no token.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from posttrain.core.rollout import StopReason, Turn
from posttrain.policy.local_cache import (
    LANE_ROWS,
    Lane,
    PromptCache,
    decode_attention,
    prompt_attention,
)
from posttrain.policy.local_draw import draw, uniforms
from posttrain.policy.local_model import LlamaModel
from posttrain.policy.local_tokenizer import LocalTokenizer
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = ["Sampler"]

_PROMPT_TOKENS_AT_ONCE = 512


@dataclass(kw_only=True, slots=True)
class _Row:
    """One answer in progress."""

    index: int
    request: SampleRequest
    uniforms: NDArray[np.float64]
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    @property
    def position(self) -> int:
        """Position of the last drawn token."""
        return len(self.request.prompt_ids) + len(self.token_ids) - 1


@dataclass(kw_only=True, slots=True)
class _Party:
    """The rows of one lane; ``lane`` is set once the prompt has been computed."""

    rows: list[_Row]
    lane: Lane | None = None


class Sampler:
    """Samples with one model; ``max_rows`` bounds the batch and with it memory."""

    def __init__(
        self,
        model: LlamaModel,
        tokenizer: LocalTokenizer,
        eos_ids: frozenset[int],
        *,
        max_rows: int,
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._eos_ids = eos_ids
        self._max_rows = max_rows

    def run(
        self, requests: Sequence[SampleRequest], params: SamplingParams
    ) -> Iterator[tuple[int, Turn]]:
        """Yield (index, turn) as answers finish."""
        waiting = _groups(requests, params)
        live: list[_Party] = []
        while waiting or live:
            joining = self._admit(waiting, sum(len(party.rows) for party in live))
            with torch.inference_mode():
                logits = self._step(live, joining)
                live += joining
                self._draw([row for party in live for row in party.rows], logits, params)
            for party in live:
                yield from self._retire(party, params)
            live = [party for party in live if party.rows]

    def _admit(self, waiting: deque[list[_Party]], num_live: int) -> list[_Party]:
        """Take whole groups while they fit; an empty batch takes one of any size."""
        taken: list[_Party] = []
        while waiting:
            rows = sum(len(party.rows) for party in waiting[0])
            if num_live and num_live + rows > self._max_rows:
                break
            num_live += rows
            taken += waiting.popleft()
        return taken

    def _step(self, live: list[_Party], joining: list[_Party]) -> Tensor:
        """Logits (B, V) of every row's next token, live rows first."""
        parts = []
        if live:
            parts.append(self._decode(live))
        if joining:
            parts.append(self._open(joining))
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def _decode(self, live: list[_Party]) -> Tensor:
        rows = [row for party in live for row in party.rows]
        ids = torch.tensor([row.token_ids[-1] for row in rows])
        positions = torch.tensor([row.position for row in rows])
        attend = decode_attention([party.lane for party in live if party.lane is not None])
        return self._model.logits(self._model.hidden(ids, positions, attend))

    def _open(self, joining: list[_Party]) -> Tensor:
        """Compute the prompts, each once, and give every party its lane."""
        prompts = list(dict.fromkeys(party.rows[0].request.prompt_ids for party in joining))
        caches: dict[tuple[int, ...], PromptCache] = {}
        last: dict[tuple[int, ...], Tensor] = {}
        for batch in _batches(prompts):
            new = [
                PromptCache(self._model.shape, len(prompt), self._model.dtype) for prompt in batch
            ]
            ids = torch.tensor([token for prompt in batch for token in prompt])
            positions = torch.cat([torch.arange(len(prompt)) for prompt in batch])
            hidden = self._model.hidden(ids, positions, prompt_attention(new))
            ends = torch.tensor([len(prompt) for prompt in batch]).cumsum(0) - 1
            caches.update(zip(batch, new, strict=True))
            last.update(zip(batch, self._model.logits(hidden[ends]), strict=True))
        shape = self._model.shape
        rows = []
        for party in joining:
            prompt = party.rows[0].request.prompt_ids
            repeat = shape.num_heads // shape.num_key_heads
            party.lane = Lane(caches[prompt], len(party.rows), repeat)
            rows += [last[prompt]] * len(party.rows)
        return torch.stack(rows)

    def _draw(self, rows: list[_Row], logits: Tensor, params: SamplingParams) -> None:
        numbers = torch.tensor(
            [row.uniforms[len(row.token_ids)] for row in rows], dtype=torch.float64
        )
        ids, logprobs = draw(logits, numbers, params.temperature)
        for row, token, logprob in zip(rows, ids.tolist(), logprobs.tolist(), strict=True):
            row.token_ids.append(token)
            row.logprobs.append(logprob)

    def _retire(self, party: _Party, params: SamplingParams) -> Iterator[tuple[int, Turn]]:
        reasons = [self._stop_reason(row, params) for row in party.rows]
        if not any(reasons):
            return
        kept = [index for index, reason in enumerate(reasons) if reason is None]
        finished = [
            (row, reason) for row, reason in zip(party.rows, reasons, strict=True) if reason
        ]
        party.rows = [party.rows[index] for index in kept]
        if kept and party.lane is not None:
            party.lane.keep(kept)
        for row, reason in finished:
            yield row.index, self._turn(row, reason)

    def _stop_reason(self, row: _Row, params: SamplingParams) -> StopReason | None:
        if row.token_ids[-1] in self._eos_ids:
            return StopReason.EOS
        if params.stop and self._has_stop(row, params.stop):
            return StopReason.STOP_SEQUENCE
        if len(row.token_ids) >= params.max_tokens:
            return StopReason.MAX_TOKENS
        return None

    def _has_stop(self, row: _Row, stop: tuple[str, ...]) -> bool:
        # Every token but a special one holds at least one byte, so a stop text that the last
        # token completes lies within as many tokens as it has bytes.
        window = max(len(text.encode()) for text in stop)
        tail = self._tokenizer.decode(row.token_ids[-window:])
        return any(text in tail for text in stop)

    def _turn(self, row: _Row, reason: StopReason) -> Turn:
        return Turn(
            prompt_ids=row.request.prompt_ids,
            token_ids=tuple(row.token_ids),
            logprobs=tuple(row.logprobs),
            text=row.request.prefill + self._tokenizer.decode(row.token_ids),
            stop_reason=reason,
        )


def _groups(requests: Sequence[SampleRequest], params: SamplingParams) -> deque[list[_Party]]:
    """Requests grouped by prompt in order of first appearance, each group cut into lanes."""
    by_prompt: dict[tuple[int, ...], list[_Row]] = {}
    for index, request in enumerate(requests):
        numbers = uniforms(request.seed, params.max_tokens)
        row = _Row(index=index, request=request, uniforms=numbers)
        by_prompt.setdefault(request.prompt_ids, []).append(row)
    return deque(
        [_Party(rows=rows[i : i + LANE_ROWS]) for i in range(0, len(rows), LANE_ROWS)]
        for rows in by_prompt.values()
    )


def _batches(prompts: Sequence[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """Cut ``prompts`` so that a batch has few tokens or is one prompt."""
    batch: list[tuple[int, ...]] = []
    for prompt in prompts:
        if batch and sum(map(len, batch)) + len(prompt) > _PROMPT_TOKENS_AT_ONCE:
            yield batch
            batch = []
        batch.append(prompt)
    if batch:
        yield batch
