"""One sampler process of a ``PooledPolicy``: ``python -m posttrain.policy.local_worker FD``.

Serves the parent that started it over an inherited socket, and no one else. The kernel kills it
when the thread that started it ends; end of file on the socket ends it too.
"""

import ctypes
import os
import signal
import sys
from contextlib import closing
from multiprocessing.connection import Connection

import torch

from posttrain.core.errors import PosttrainError
from posttrain.policy.local import LocalPolicy
from posttrain.policy.local_messages import Done, Drawn, Failed, Load, Sample, Score, Scored, Start
from posttrain.policy.local_shared import SharedWeights
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1


class _Worker:
    def __init__(self, connection: Connection, start: Start) -> None:
        self._connection = connection
        self._policy = LocalPolicy(
            start.model_dir, name=start.name, dtype=start.dtype, max_rows=start.max_rows
        )
        self._weights = SharedWeights.attach(start.layout, start.weights_fd)

    def answer(self, command: object) -> None:
        match command:
            case Sample(requests=requests, params=params):
                self._sample(requests, params)
            case Score(pairs=pairs):
                self._connection.send(Scored(scores=tuple(self._policy.score(pairs))))
            case Load(version=version):
                self._policy.load_weights(self._weights.tensors, version)
                self.acknowledge()
            case _:
                # A Cancel that crossed the last Done has nothing left to stop.
                pass

    def acknowledge(self) -> None:
        self._connection.send(Done(version=self._policy.version))

    def _sample(
        self, requests: tuple[tuple[int, SampleRequest], ...], params: SamplingParams
    ) -> None:
        turns = self._policy.sample([request for _, request in requests], params)
        with closing(turns):
            for position, turn in turns:
                self._connection.send(Drawn(index=requests[position][0], turn=turn))
                # Only a Cancel can arrive before this command is done.
                if self._connection.poll():
                    break
        self.acknowledge()


def _die_with(parent_pid: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        sys.exit(1)


def main() -> None:
    """Serve the socket whose descriptor is the only argument until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(int(sys.argv[1]))
    start = connection.recv()
    _die_with(start.parent_pid)
    try:
        worker = _Worker(connection, start)
        worker.acknowledge()
        while True:
            worker.answer(connection.recv())
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except (PosttrainError, RuntimeError, OSError, torch.OutOfMemoryError) as error:
        connection.send(Failed(detail=f"{type(error).__name__}: {error}"))
        raise


if __name__ == "__main__":
    main()
