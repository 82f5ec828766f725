import pytest
import torch
from torch import Tensor

from posttrain.train import head
from posttrain.train.head import centred, token_logprobs

WIDTH, VOCABULARY, TOKENS = 5, 11, 7


def inputs(dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(TOKENS, WIDTH, generator=generator, dtype=dtype)
    weight = torch.randn(VOCABULARY, WIDTH, generator=generator, dtype=dtype) + 3.0
    targets = torch.randint(VOCABULARY, (TOKENS,), generator=generator)
    temperatures = torch.tensor([0.5, 0.8, 1.0, 1.0, 1.0, 1.5, 2.0])
    return hidden.requires_grad_(), weight.requires_grad_(), targets, temperatures


def plain(hidden: Tensor, weight: Tensor, targets: Tensor, temperatures: Tensor) -> Tensor:
    table = (hidden @ weight.T / temperatures[:, None]).log_softmax(-1)
    return table.gather(1, targets[:, None])[:, 0]


@pytest.fixture(params=[512, 3], ids=["one-chunk", "many-chunks"])
def chunk_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "_CHUNK_ROWS", request.param)


@pytest.mark.usefixtures("chunk_rows")
def test_values_and_gradients_equal_a_plain_softmax() -> None:
    hidden, weight, targets, temperatures = inputs(torch.float32)
    expected = plain(hidden, weight, targets, temperatures)
    found, _ = token_logprobs(hidden, weight, centred(weight, torch.float32), targets, temperatures)
    pull = torch.linspace(-1.0, 2.0, TOKENS)
    wanted = torch.autograd.grad((expected * pull).sum(), (hidden, weight))
    given = torch.autograd.grad((found * pull).sum(), (hidden, weight))
    torch.testing.assert_close(found, expected, atol=2e-6, rtol=1e-5)
    # A shift of all head rows changes no log-prob, so the centred head's gradient to hidden is
    # the plain one's too.
    for one, other in zip(given, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=5e-6, rtol=1e-5)


def test_entropy_is_that_of_the_tempered_distribution() -> None:
    hidden, weight, targets, temperatures = inputs(torch.float32)
    logits = (hidden @ weight.T / temperatures[:, None]).detach()
    _, found = token_logprobs(hidden, weight, centred(weight, torch.float32), targets, temperatures)
    expected = torch.distributions.Categorical(logits=logits).entropy()
    torch.testing.assert_close(found, expected, atol=5e-6, rtol=1e-5)
    assert not found.requires_grad


def test_frozen_head_gets_no_gradient() -> None:
    hidden, weight, targets, temperatures = inputs(torch.float32)
    frozen = weight.detach()
    found, _ = token_logprobs(hidden, frozen, centred(frozen, torch.float32), targets, temperatures)
    found.sum().backward()
    assert frozen.grad is None
    assert hidden.grad is not None


def test_bfloat16_products_stay_close_to_float32() -> None:
    hidden, weight, targets, temperatures = inputs(torch.float32)
    expected = plain(hidden, weight, targets, temperatures)
    found, _ = token_logprobs(
        hidden, weight, centred(weight, torch.bfloat16), targets, temperatures
    )
    torch.testing.assert_close(found, expected, atol=0.06, rtol=0.01)
