"""What a ``PooledPolicy`` and its workers tell each other, pickled over a private socket.

parent ─► Start, then Sample | Score | Load | Cancel
worker ─► Done once loaded, then Drawn.. Done | Scored | Done | Failed
"""

from dataclasses import dataclass
from pathlib import Path

from posttrain.core.rollout import Turn
from posttrain.policy.model_store import DtypeName
from posttrain.policy.protocol import SampleRequest, SamplingParams

__all__ = [
    "Cancel",
    "Done",
    "Drawn",
    "Failed",
    "Load",
    "Sample",
    "Score",
    "Scored",
    "Start",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """First message: what to load."""

    parent_pid: int
    model_dir: Path
    name: str
    dtype: DtypeName
    max_rows: int
    layout: str
    weights_fd: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """Draw these (index, request) pairs; answered by ``Drawn`` each and ``Done``."""

    requests: tuple[tuple[int, SampleRequest], ...]
    params: SamplingParams


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Score these pairs; answered by ``Scored``."""

    pairs: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """Take over the shared weights; answered by ``Done``."""

    version: int


class Cancel:
    """Stop drawing; the ``Done`` of the ``Sample`` still comes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """One finished answer."""

    index: int
    turn: Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """Log-probs in the order of the pairs."""

    scores: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """The command is finished and weights of ``version`` are in place."""

    version: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """The command failed for a reason that ``detail`` tells."""

    detail: str
