import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from posttrain.policy.local_draw import draw, uniforms


def test_uniforms_are_a_prefix_stable_stream_per_seed() -> None:
    assert uniforms(3, 100)[:10].tolist() == uniforms(3, 10).tolist()
    assert uniforms(3, 10).tolist() != uniforms(4, 10).tolist()
    numbers = uniforms(2**63 - 1, 20_000)
    assert numbers.min() >= 0.0 and numbers.max() < 1.0
    assert abs(numbers.mean() - 0.5) < 0.01


@given(
    st.lists(st.floats(-30.0, 30.0, width=32), min_size=2, max_size=700),
    st.floats(0.0, 1.0, exclude_max=True),
    st.floats(0.2, 2.0),
)
def test_a_draw_is_the_token_whose_share_of_the_cdf_holds_the_uniform(
    logits: list[float], uniform: float, temperature: float
) -> None:
    z = np.asarray(logits, dtype=np.float64) / temperature
    cdf = np.cumsum(np.exp(z - z.max()) / np.exp(z - z.max()).sum())
    ids, logprobs = draw(
        torch.tensor([logits]), torch.tensor([uniform], dtype=torch.float64), temperature
    )
    token = int(ids[0])
    below = cdf[token - 1] if token else 0.0
    assert below - 1e-5 <= uniform <= cdf[token] + 1e-5
    assert abs(float(logprobs[0]) - (z[token] - z.max() - np.log(np.exp(z - z.max()).sum()))) < 1e-4


def test_a_token_of_probability_zero_is_never_drawn() -> None:
    logits = torch.full((3, 1000), -torch.inf)
    logits[:, 700] = 0.0
    numbers = torch.tensor([0.0, 0.5, 1.0 - 2.0**-53], dtype=torch.float64)
    ids, logprobs = draw(logits, numbers, 1.0)
    assert ids.tolist() == [700, 700, 700]
    assert logprobs.tolist() == [0.0, 0.0, 0.0]


def test_drawn_shares_follow_the_probabilities() -> None:
    probabilities = torch.tensor([0.5, 0.3, 0.15, 0.05])
    numbers = torch.from_numpy(uniforms(11, 20_000))
    ids, _ = draw(probabilities.log().repeat(20_000, 1), numbers, 1.0)
    shares = ids.bincount(minlength=4) / 20_000
    assert (shares - probabilities).abs().max() < 0.015


def test_greedy_reports_the_logprob_at_temperature_one() -> None:
    ids, logprobs = draw(torch.tensor([[0.0, 1.0, 3.0]]), torch.tensor([0.1]), 0.0)
    assert ids.tolist() == [2]
    assert abs(logprobs[0] - torch.tensor([0.0, 1.0, 3.0]).log_softmax(-1)[2]) < 1e-6
