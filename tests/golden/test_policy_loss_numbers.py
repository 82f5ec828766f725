"""Policy losses of two sequences as TRL 1.16's own ``_compute_loss`` gives them.

Both the value and the sum of absolute gradients are compared, to half a unit of the last digit.
"""

import pytest
import torch
from torch import Tensor

from posttrain.train.kl import KlEstimator, KlSpec, kl_values
from posttrain.train.loss import (
    PolicyLossSpec,
    PolicyTokens,
    Reduction,
    policy_loss,
    sequence_weights,
)

HALF_VALUE = 0.5001e-8
HALF_GRADIENT = 0.5001e-6

LOGPROBS = ((-0.5, -1.0, -2.0, -0.1), (-0.7, -0.3, -1.5, -0.9))
BEHAVIOUR = ((-0.6, -1.4, -1.9, -0.1), (-0.2, -0.35, -2.1, -0.9))
REFERENCE = ((-0.55, -1.1, -2.2, -0.3), (-0.6, -0.2, -1.4, -0.8))
ADVANTAGES = ((1.0,) * 4, (-0.5,) * 4)
MASK = ((1.0, 1.0, 1.0, 0.0), (1.0, 1.0, 1.0, 1.0))
LENGTHS = (3, 4)


def double(values: tuple[tuple[float, ...], ...]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def loss_and_gradient(spec: PolicyLossSpec) -> tuple[float, float]:
    logprobs = double(LOGPROBS).requires_grad_()
    per_sequence = sequence_weights(LENGTHS, spec.reduction, spec.constant_length)
    weights = torch.tensor(per_sequence, dtype=torch.float64)[:, None] * double(MASK)
    tokens = PolicyTokens(
        logprobs=logprobs,
        behaviour=double(BEHAVIOUR),
        advantages=double(ADVANTAGES),
        weights=weights,
        reference=double(REFERENCE),
        kl_weights=weights,
    )
    loss = policy_loss(tokens, spec).loss
    (gradient,) = torch.autograd.grad(loss, logprobs)
    return loss.item(), gradient.abs().sum().item()


def clipped(reduction: Reduction, length: int | None = None, high: float = 0.2) -> PolicyLossSpec:
    return PolicyLossSpec(clip_high=high, reduction=reduction, constant_length=length)


def dapo_with_kl(*, unbiased: bool) -> PolicyLossSpec:
    return PolicyLossSpec(clip_high=0.2, kl=KlSpec(coefficient=0.04, unbiased=unbiased))


@pytest.mark.golden
@pytest.mark.parametrize(
    ("spec", "value", "gradient"),
    [
        pytest.param(clipped(Reduction.SEQUENCES), -0.24291452, 0.577088, id="grpo"),
        pytest.param(clipped(Reduction.TOKENS), -0.12475906, 0.563815, id="bnpo-dapo"),
        pytest.param(clipped(Reduction.CONSTANT, 8), -0.05458209, 0.246669, id="dr-grpo-8"),
        pytest.param(clipped(Reduction.CONSTANT, 4), -0.10916417, 0.493338, id="verl-norm-4"),
        pytest.param(
            clipped(Reduction.TOKENS, high=0.28), -0.13618763, 0.563815, id="dapo-clip-higher"
        ),
        pytest.param(
            PolicyLossSpec(clip_high=0.2, ratio_cap=1.3), -0.16205326, 0.433663, id="dapo-cap-1.3"
        ),
        pytest.param(dapo_with_kl(unbiased=False), -0.12449916, 0.561842, id="dapo-k3-plain"),
        pytest.param(dapo_with_kl(unbiased=True), -0.12448083, 0.561451, id="dapo-k3-unbiased"),
    ],
)
def test_loss_and_gradient_equal_trl(spec: PolicyLossSpec, value: float, gradient: float) -> None:
    found_value, found_gradient = loss_and_gradient(spec)
    assert found_value == pytest.approx(value, abs=HALF_VALUE, rel=0)
    assert found_gradient == pytest.approx(gradient, abs=HALF_GRADIENT, rel=0)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("estimator", "value"),
    [
        (KlEstimator.K1, -0.00714286),
        (KlEstimator.K2, 0.00660714),
        (KlEstimator.K3, 0.00649732),
    ],
)
def test_masked_mean_of_a_kl_estimator_is_the_printed_one(
    estimator: KlEstimator, value: float
) -> None:
    values = kl_values(double(LOGPROBS), double(REFERENCE), estimator)
    mean = (values * double(MASK)).sum().item() / sum(LENGTHS)
    assert mean == pytest.approx(value, abs=HALF_VALUE, rel=0)
