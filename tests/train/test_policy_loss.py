import pytest
import torch
from torch import Tensor

from posttrain.core.errors import ConfigError
from posttrain.train.kl import KlEstimator, KlSpec
from posttrain.train.loss import (
    PolicyLossSpec,
    PolicyTokens,
    Reduction,
    policy_loss,
    sequence_weights,
    sft_loss,
)


def random_tokens(seed: int, num: int = 40) -> PolicyTokens:
    generator = torch.Generator().manual_seed(seed)

    def draw() -> Tensor:
        return torch.randn(num, generator=generator, dtype=torch.float64)

    behaviour = -1.0 - draw().abs()
    return PolicyTokens(
        logprobs=behaviour + 0.3 * draw(),
        behaviour=behaviour,
        advantages=draw(),
        weights=draw().abs() / num,
        reference=behaviour + 0.2 * draw(),
        kl_weights=draw().abs() / num,
    )


@pytest.mark.parametrize("estimator", list(KlEstimator))
@pytest.mark.parametrize("cap", [None, 1.3])
def test_gradient_equals_finite_differences(estimator: KlEstimator, cap: float | None) -> None:
    tokens = random_tokens(3)
    # k2's unbiased form stops a gradient, which differences cannot see; its plain form does not.
    unbiased = estimator != KlEstimator.K2
    kl = KlSpec(coefficient=0.3, estimator=estimator, unbiased=unbiased)
    spec = PolicyLossSpec(ratio_cap=cap, kl=kl)

    def loss(logprobs: Tensor) -> Tensor:
        moved = PolicyTokens(
            logprobs=logprobs,
            behaviour=tokens.behaviour,
            advantages=tokens.advantages,
            weights=tokens.weights,
            reference=tokens.reference,
            kl_weights=tokens.kl_weights,
        )
        return policy_loss(moved, spec).loss

    assert torch.autograd.gradcheck(loss, (tokens.logprobs.clone().requires_grad_(),))


def test_clipped_tokens_have_no_gradient_and_are_counted() -> None:
    logprobs = torch.tensor([0.5, -0.5, 0.5, -0.5], requires_grad=True)
    tokens = PolicyTokens(
        logprobs=logprobs,
        behaviour=torch.zeros(4),
        advantages=torch.tensor([1.0, -1.0, -1.0, 1.0]),
        weights=torch.full((4,), 0.25),
    )
    terms = policy_loss(tokens, PolicyLossSpec())
    (gradient,) = torch.autograd.grad(terms.loss, logprobs)
    assert (gradient == 0).tolist() == [True, True, False, False]
    assert terms.clipped_high.tolist() == [True, False, False, False]
    assert terms.clipped_low.tolist() == [False, True, False, False]


def test_loss_without_a_reference_has_no_kl() -> None:
    tokens = PolicyTokens(
        logprobs=torch.zeros(2),
        behaviour=torch.zeros(2),
        advantages=torch.ones(2),
        weights=torch.full((2,), 0.5),
    )
    terms = policy_loss(tokens, PolicyLossSpec(kl=KlSpec(coefficient=1.0)))
    assert terms.loss.item() == -1.0
    assert terms.kl.item() == 0.0


@pytest.mark.parametrize(
    ("reduction", "length", "expected"),
    [
        (Reduction.TOKENS, None, [0.1, 0.1]),
        (Reduction.SEQUENCES, None, [0.25, 0.0625]),
        (Reduction.CONSTANT, 5, [0.1, 0.1]),
    ],
)
def test_weights_make_the_sum_the_named_mean(
    reduction: Reduction, length: int | None, expected: list[float]
) -> None:
    assert sequence_weights([2, 8], reduction, length) == expected


def test_sft_loss_is_the_weighted_cross_entropy() -> None:
    assert sft_loss(torch.tensor([-1.0, -3.0]), torch.tensor([0.5, 0.5])).item() == 2.0


def test_absurd_log_ratio_stays_finite() -> None:
    tokens = PolicyTokens(
        logprobs=torch.zeros(1),
        behaviour=torch.full((1,), -1e4),
        advantages=-torch.ones(1),
        weights=torch.ones(1),
    )
    assert torch.isfinite(policy_loss(tokens, PolicyLossSpec()).loss)


def test_plain_k1_in_the_loss_is_refused() -> None:
    with pytest.raises(ConfigError, match="'k1' in the loss has an expected gradient of zero"):
        KlSpec(coefficient=0.1, estimator=KlEstimator.K1, unbiased=False)


def test_constant_reduction_needs_its_length() -> None:
    with pytest.raises(ConfigError, match="constant_length None"):
        PolicyLossSpec(reduction=Reduction.CONSTANT)
