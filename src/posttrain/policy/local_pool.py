"""Several sampler processes behind one ``Policy``, one torch thread each.

         ┌─ Sample(groups 0, 2, ..) ─► worker 0 ─ Drawn.. Done ─┐
    parent                                                       ├─► turns, as they finish
         └─ Sample(groups 1, 3, ..) ─► worker 1 ─ Drawn.. Done ─┘

| loop   | consumes            | produces   | waits for              | unblocked by           |
|--------|---------------------|------------|------------------------|------------------------|
| parent | Drawn, Scored, Done | commands   | a message of any worker| message, death, dead-line |
| worker | commands            | its answers| the parent's command   | command, parent's end  |

Weights travel through shared memory; ``load_weights`` returns once every worker has acknowledged
the version. Whole lanes of four go to one worker, so that the tokens of a request are the same
with any number of workers. Workers die with the thread that opened the pool: keep it alive.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path

from torch import Tensor

from posttrain.core.errors import PolicyError
from posttrain.core.rollout import Turn
from posttrain.core.task import Message
from posttrain.policy.local_cache import LANE_ROWS
from posttrain.policy.local_messages import (
    Cancel,
    Done,
    Drawn,
    Failed,
    Load,
    Sample,
    Score,
    Scored,
    Start,
)
from posttrain.policy.local_model import read_shape
from posttrain.policy.local_shared import SharedWeights
from posttrain.policy.local_tokenizer import LocalTokenizer
from posttrain.policy.model_store import DEFAULT_MAX_ROWS, DtypeName
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = ["PooledPolicy", "deal"]

_START_TIMEOUT_S = 300.0
_LOAD_TIMEOUT_S = 120.0
_SILENCE_TIMEOUT_S = 1800.0
_END_TIMEOUT_S = 5.0


class PooledPolicy:
    """Implements ``Policy`` with ``workers`` processes; ``max_rows`` is the sum of their batches.

    A worker's death or failure is a ``PolicyError`` and closes the pool.
    """

    def __init__(
        self,
        model_dir: Path,
        *,
        name: str = "",
        dtype: DtypeName = "auto",
        workers: int = 2,
        max_rows: int = DEFAULT_MAX_ROWS,
    ) -> None:
        self.name = name or model_dir.name
        self.version = 0
        self._busy = False
        self._processes: list[subprocess.Popen[bytes]] = []
        self._connections: list[Connection] = []
        read_shape(model_dir)
        self._weights = SharedWeights.create(model_dir)
        start = Start(
            parent_pid=os.getpid(),
            model_dir=model_dir.resolve(),
            name=self.name,
            dtype=dtype,
            max_rows=max(1, max_rows // workers),
            layout=self._weights.layout,
            weights_fd=self._weights.fd,
        )
        for _ in range(workers):
            self._start_worker(start)
        self._tokenizer = LocalTokenizer(model_dir)
        self._await_done(_START_TIMEOUT_S)

    def encode(self, messages: Sequence[Message], prefill: str = "") -> tuple[int, ...]:
        """Prompt ids of the chat template, which may add a system prompt, with ``prefill``."""
        return self._tokenizer.encode_chat(messages, prefill)

    def encode_text(self, text: str) -> tuple[int, ...]:
        """Ids of ``text`` alone."""
        return self._tokenizer.encode(text)

    def sample(
        self, requests: Sequence[SampleRequest], params: SamplingParams
    ) -> Iterator[tuple[int, Turn]]:
        """Yield (index, turn) as answers finish in any worker."""
        self._claim("sample")
        hands = deal(requests, len(self._connections))
        for connection, hand in zip(self._connections, hands, strict=True):
            self._send(
                connection, Sample(requests=tuple((i, requests[i]) for i in hand), params=params)
            )
        pending = set(self._connections)
        try:
            while pending:
                connection, message = self._receive(pending, _SILENCE_TIMEOUT_S)
                if isinstance(message, Drawn):
                    yield message.index, message.turn
                else:
                    pending.discard(connection)
        except GeneratorExit:
            self._cancel(pending)
            raise
        finally:
            self._busy = False

    def score(
        self, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    ) -> list[tuple[float, ...]]:
        """Log-probs (nats, temperature 1), pairs with equal prompts in one worker."""
        self._claim("score")
        try:
            hands = _deal_pairs(pairs, len(self._connections))
            for connection, hand in zip(self._connections, hands, strict=True):
                self._send(connection, Score(pairs=tuple(pairs[i] for i in hand)))
            by_worker = dict(zip(self._connections, hands, strict=True))
            scores: list[tuple[float, ...]] = [()] * len(pairs)
            while by_worker:
                connection, message = self._receive(set(by_worker), _SILENCE_TIMEOUT_S)
                found = message.scores if isinstance(message, Scored) else ()
                for index, values in zip(by_worker.pop(connection), found, strict=True):
                    scores[index] = values
            return scores
        finally:
            self._busy = False

    def load_weights(self, named: Mapping[str, Tensor], version: int) -> None:
        """Give all workers these tensors; returns when each has acknowledged ``version``."""
        self._claim("load weights")
        try:
            self._weights.write(named)
            for connection in self._connections:
                self._send(connection, Load(version=version))
            self._await_done(_LOAD_TIMEOUT_S, version)
            self.version = version
        finally:
            self._busy = False

    def close(self) -> None:
        """End the workers and wait for them; idempotent."""
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(_END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._connections, self._processes = [], []
        self._weights.close()

    def _start_worker(self, start: Start) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "posttrain.policy.local_worker", str(theirs.fileno())],
                pass_fds=(theirs.fileno(), start.weights_fd),
                stdin=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        self._processes.append(process)
        self._connections.append(Connection(ours.detach()))
        self._send(self._connections[-1], start)

    def _claim(self, what: str) -> None:
        if not self._connections:
            raise PolicyError(f"policy {self.name!r} is closed; open it again")
        if self._busy:
            raise PolicyError(
                f"policy {self.name!r} is at work and cannot {what}; exhaust or close the "
                "iterator of its last sample first"
            )
        self._busy = True

    def _send(self, connection: Connection, message: object) -> None:
        try:
            connection.send(message)
        except OSError as error:
            raise self._lost(connection) from error

    def _receive(self, pending: set[Connection], timeout_s: float) -> tuple[Connection, object]:
        """The next message of any pending worker that is not a failure."""
        ready = wait(pending, timeout_s)
        if not ready:
            self.close()
            raise PolicyError(f"{len(pending)} sampler workers gave no answer in {timeout_s:.0f} s")
        connection = next(c for c in pending if c is ready[0])
        try:
            message = connection.recv()
        except (EOFError, OSError) as error:
            raise self._lost(connection) from error
        if isinstance(message, Failed):
            self.close()
            raise PolicyError(f"a sampler worker failed: {message.detail}")
        return connection, message

    def _lost(self, connection: Connection) -> PolicyError:
        number = self._connections.index(connection)
        process = self._processes[number]
        self.close()
        return PolicyError(
            f"sampler worker {number} (pid {process.pid}) died with status {process.returncode}; "
            "its requests were not answered"
        )

    def _await_done(self, timeout_s: float, version: int = 0) -> None:
        pending = set(self._connections)
        deadline = time.monotonic() + timeout_s
        while pending:
            connection, message = self._receive(pending, max(0.0, deadline - time.monotonic()))
            if not isinstance(message, Done) or message.version != version:
                self.close()
                raise PolicyError(f"a sampler worker answered {message!r}, not version {version}")
            pending.discard(connection)

    def _cancel(self, pending: set[Connection]) -> None:
        for connection in pending:
            self._send(connection, Cancel())
        while pending:
            connection, message = self._receive(pending, _SILENCE_TIMEOUT_S)
            if isinstance(message, Done):
                pending.discard(connection)


def deal(requests: Sequence[SampleRequest], workers: int) -> list[list[int]]:
    """Share request indices out, a prompt's requests together where there are enough prompts.

    With few prompts they are cut between lanes, never inside one.
    """
    by_prompt: dict[tuple[int, ...], list[int]] = {}
    for index, request in enumerate(requests):
        by_prompt.setdefault(request.prompt_ids, []).append(index)
    units = list(by_prompt.values())
    if len(units) < 2 * workers:
        units = [u[i : i + LANE_ROWS] for u in units for i in range(0, len(u), LANE_ROWS)]
    return _deal_units(units, [len(unit) for unit in units], workers)


def _deal_pairs(
    pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]], workers: int
) -> list[list[int]]:
    by_prompt: dict[tuple[int, ...], list[int]] = {}
    for index, (prompt, _) in enumerate(pairs):
        by_prompt.setdefault(prompt, []).append(index)
    units = list(by_prompt.values())
    sizes = [len(pairs[u[0]][0]) + sum(len(pairs[i][1]) for i in u) for u in units]
    return _deal_units(units, sizes, workers)


def _deal_units(units: Sequence[list[int]], sizes: Sequence[int], workers: int) -> list[list[int]]:
    """Each unit to the worker with the least so far, in order."""
    hands: list[list[int]] = [[] for _ in range(workers)]
    loads = [0] * workers
    for unit, size in zip(units, sizes, strict=True):
        least = loads.index(min(loads))
        hands[least] += unit
        loads[least] += size
    return hands
