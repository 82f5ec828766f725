"""The Task record: what is asked, where it runs, how it is verified, and its limits.

These are the in-memory forms of one line of ``tasks.jsonl``. Parsing and validation live in
``posttrain.tasks``; nothing here reads files. ``verifier.visible`` and ``verifier.hidden`` hold
tests as plain dicts exactly as the file has them, because each verifier type defines its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

__all__ = [
    "EnvironmentSpec",
    "GeneratorSpec",
    "Limits",
    "Message",
    "Network",
    "Source",
    "Split",
    "Task",
    "Trust",
    "VerifierSpec",
]

Network = Literal["none", "loopback"] | tuple[str, ...]


class Split(StrEnum):
    """What a task may be used for."""

    TRAIN = "train"
    EVAL = "eval"
    REGRESSION = "regression"


class Trust(StrEnum):
    """Whether the candidate ever shared a process with an expected value."""

    ISOLATED = "isolated"
    SHARED = "shared"


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One chat message."""

    role: str
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Bounds on the candidate over one whole attempt; memory counts its whole process tree."""

    wall_s: float = 10.0
    cpu_s: float = 10.0
    memory_bytes: int = 512 * 1024 * 1024
    pids: int = 32
    output_bytes: int = 1024 * 1024
    disk_bytes: int = 64 * 1024 * 1024
    files: int = 4096
    idle_s: float | None = None
    network: Network = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class EnvironmentSpec:
    """The environment that an attempt acts in."""

    template: str = "python"
    files: Mapping[str, bytes] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    max_turns: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifierSpec:
    """How an attempt is judged; ``options`` holds the keys that only one verifier type knows."""

    type: str
    entry_point: str | None = None
    trust: Trust = Trust.ISOLATED
    visible: tuple[Mapping[str, Any], ...] = ()
    hidden: tuple[Mapping[str, Any], ...] = ()
    atol: float = 0.0
    rtol: float = 0.0
    unordered: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class GeneratorSpec:
    """Where fresh tests come from: ``ref`` is ``module:function``."""

    ref: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    n: int = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Provenance of a task."""

    name: str
    license: str
    revision: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One task; ``id`` is unique in its pool."""

    id: str
    domain: str
    family: str
    split: Split
    prompt: tuple[Message, ...]
    environment: EnvironmentSpec = field(default_factory=EnvironmentSpec)
    verifier: VerifierSpec
    generator: GeneratorSpec | None = None
    reference: str | None = None
    """Code that solves the task; never shown to a policy."""
    demonstration: str | None = None
    """A completion that a policy may imitate."""
    difficulty: float | None = None
    """Prior estimate of the pass rate's complement in [0, 1]; 0 is trivial, None is unknown."""
    limits: Limits = field(default_factory=Limits)
    tags: tuple[str, ...] = ()
    source: Source
