"""Flags that verbs share in groups: how answers are drawn, and where they are judged.

Defaults are those of a run file, so that ``eval`` measures a model as a run would.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from posttrain.cli.verb import Backend, Unsafe
from posttrain.config.run import PolicyConfig
from posttrain.loop.bench import Bench, Sampling
from posttrain.loop.judging import open_bench
from posttrain.policy.protocol import SamplingParams

__all__ = ["JudgingFlags", "SamplingFlags"]

_DEFAULT = PolicyConfig()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SamplingFlags:
    """How answers are drawn."""

    temperature: Annotated[float, Parameter(validator=Number(gte=0, lte=2))] = _DEFAULT.temperature
    """Sampling temperature; 0 is greedy."""
    max_tokens: Annotated[int, Parameter(validator=Number(gt=0))] = _DEFAULT.max_tokens
    """Longest answer in tokens."""
    prefill: str = _DEFAULT.prefill
    """Begin of each answer."""
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    """Every draw derives from this number."""

    @property
    def sampling(self) -> Sampling:
        """The settings as the loop takes them."""
        return Sampling(
            params=SamplingParams(
                temperature=self.temperature, max_tokens=self.max_tokens, stop=_DEFAULT.stop
            ),
            prefill=self.prefill,
        )


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class JudgingFlags:
    """Where answers are judged."""

    workers: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    """Gradings at a time; 0 takes the usable cores."""
    backend: Backend = "namespace"
    unsafe: Unsafe = False

    def open_bench(self) -> AbstractContextManager[Bench]:
        """A bench with these settings."""
        return open_bench(self.backend, unsafe=self.unsafe, workers=self.workers)
