"""Expected on-policy gradients of KL estimators in a loss, over a softmax with three actions.

The table was computed by enumeration, independently of this code; the true gradient of the KL is
[0.02244, -0.17942, 0.15698].
"""

import pytest
import torch

from posttrain.train.kl import KlEstimator, KlSpec, kl_loss_terms

POLICY = (0.3, -0.2, 0.5)
REFERENCE = (0.0, 0.4, -0.1)
TRUE = (0.02244, -0.17942, 0.15698)
PLAIN_K3 = (0.05921, -0.22472, 0.16552)


def expected_gradient(spec: KlSpec, behaviour: tuple[float, ...] = POLICY) -> list[float]:
    """Sum over actions of behaviour probability times the gradient of the action's term."""
    logits = torch.tensor(POLICY, dtype=torch.float64, requires_grad=True)
    logprobs = logits.log_softmax(0)
    reference = torch.tensor(REFERENCE, dtype=torch.float64).log_softmax(0)
    sampled = torch.tensor(behaviour, dtype=torch.float64).log_softmax(0)
    terms = kl_loss_terms(logprobs, reference, torch.exp(logprobs - sampled), spec)
    (gradient,) = torch.autograd.grad((sampled.exp() * terms).sum(), logits)
    return [float(value) for value in gradient]


@pytest.mark.golden
@pytest.mark.parametrize("estimator", list(KlEstimator))
def test_unbiased_form_has_the_true_gradient(estimator: KlEstimator) -> None:
    found = expected_gradient(KlSpec(estimator=estimator, unbiased=True))
    assert found == pytest.approx(TRUE, abs=5.001e-6, rel=0)


@pytest.mark.golden
@pytest.mark.parametrize("estimator", list(KlEstimator))
def test_unbiased_form_has_the_true_gradient_off_policy_too(estimator: KlEstimator) -> None:
    found = expected_gradient(KlSpec(estimator=estimator, unbiased=True), behaviour=(0.9, 0.1, 0))
    assert found == pytest.approx(TRUE, abs=5.001e-6, rel=0)


@pytest.mark.golden
def test_plain_k2_has_the_true_gradient_on_policy() -> None:
    found = expected_gradient(KlSpec(estimator=KlEstimator.K2, unbiased=False))
    assert found == pytest.approx(TRUE, abs=5.001e-6, rel=0)


@pytest.mark.golden
def test_plain_k3_has_the_published_biased_gradient() -> None:
    found = expected_gradient(KlSpec(estimator=KlEstimator.K3, unbiased=False))
    assert found == pytest.approx(PLAIN_K3, abs=5.001e-6, rel=0)
