"""Turn one verdict into one reward, layer by layer.

    error ──────────────► value None, validity says whose fault
    tampered ───────────► value = tamper (-1.0), every layer 0
    passed or failed ───► value = sum of contributions

A layer contributes ``score * weight``; efficiency is a charge, so its weight is negative. With the
default weights an all-passing solution is worth at least 1.25 and a wrong one at most 0.4, so no
amount of style or partial credit outranks correctness.
"""

import math
from dataclasses import dataclass

from posttrain.core.reward import LayerScore, Reward
from posttrain.core.verdict import FailureKind, Status, Validity, Verdict
from posttrain.reward.process import process_score

__all__ = ["LAYER_NAMES", "RewardSpec", "partial_credit", "score"]

LAYER_NAMES = ("correct", "partial", "process", "efficiency")


@dataclass(frozen=True, kw_only=True, slots=True)
class RewardSpec:
    """Weights of the layers, and the value of an attempt that tampered.

    Raises ``ValueError`` for a weight that is negative or not finite, or a positive ``tamper``.
    """

    correct: float = 1.0
    partial: float = 0.3
    process: float = 0.1
    efficiency: float = 0.05
    """What the slowest code loses; a positive number."""
    tamper: float = -1.0

    def __post_init__(self) -> None:
        for name in LAYER_NAMES:
            weight = getattr(self, name)
            if not (math.isfinite(weight) and weight >= 0.0):
                raise ValueError(f"reward weight {name} is {weight!r}; give a number of at least 0")
        if not (math.isfinite(self.tamper) and self.tamper <= 0.0):
            raise ValueError(f"reward tamper is {self.tamper!r}; give a number of at most 0")


def partial_credit(share: float, null_share: float) -> float:
    """Tests passed beyond what a solution without content passes, in [0, 1].

    partial = max(0, (share - null) / (1 - null)), and 0 where the null policies pass everything.
    """
    if null_share >= 1.0:
        return 0.0
    return max(0.0, (share - null_share) / (1.0 - null_share))


def score(
    verdict: Verdict,
    spec: RewardSpec,
    *,
    null_share: float = 0.0,
    process: float | None = None,
    efficiency: float = 0.0,
) -> Reward:
    """The layered reward of ``verdict``.

        value = correct * [all tests passed] + partial * partial_credit
              + process * process_score * [partial_credit > 0] - efficiency * efficiency_score

    ``null_share``, ``process`` and ``efficiency`` lie in [0, 1]; ``process`` None computes
    ``process_score`` of the judged code. A solution that exited before answering (failure kind
    ``exit``) earns no partial credit. ``verdict.suspicion`` is not read.
    """
    validity = _validity(verdict)
    if validity is not Validity.VALID:
        return Reward(value=None, validity=validity)
    if verdict.tamper:
        layers = _layers(spec, (0.0, 0.0, 0.0, 0.0))
        return Reward(
            value=spec.tamper, validity=Validity.VALID, layers=layers, penalty=spec.tamper
        )
    partial = _partial(verdict, null_share)
    style = 0.0
    if partial > 0.0:
        style = process_score(verdict.code) if process is None else process
    layers = _layers(spec, (float(verdict.passed), partial, style, efficiency))
    value = math.fsum(layer.contribution for layer in layers)
    return Reward(value=value, validity=Validity.VALID, layers=layers)


def _validity(verdict: Verdict) -> Validity:
    """An error that names no culprit is the verifier's: it can never become a reward."""
    if verdict.status is Status.ERROR and verdict.validity is Validity.VALID:
        return Validity.VERIFIER_INVALID
    return verdict.validity


def _partial(verdict: Verdict, null_share: float) -> float:
    if verdict.failure is not None and verdict.failure.kind is FailureKind.EXIT:
        return 0.0
    return partial_credit(verdict.tests.share, null_share)


def _layers(spec: RewardSpec, scores: tuple[float, ...]) -> tuple[LayerScore, ...]:
    weights = (spec.correct, spec.partial, spec.process, -spec.efficiency)
    return tuple(
        # + 0.0 turns the -0.0 of a layer that costs nothing into 0.0.
        LayerScore(name=name, score=value, weight=weight, contribution=value * weight + 0.0)
        for name, value, weight in zip(LAYER_NAMES, scores, weights, strict=True)
    )
