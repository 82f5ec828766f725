import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from posttrain.stats.beta import Beta

shapes = st.floats(min_value=0.05, max_value=500.0)


@pytest.mark.golden
@given(a=shapes, b=shapes, x=st.floats(min_value=0.0, max_value=1.0))
def test_distribution_function_equals_scipys(a, b, x):
    assert Beta(a, b).cdf(x) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-8)


@pytest.mark.parametrize("probability", [0.001, 0.025, 0.5, 0.975])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 10.5), (30, 12), (3, 400)])
def test_quantile_inverts_the_distribution_function(a, b, probability):
    x = Beta(a, b).quantile(probability)
    assert x == pytest.approx(stats.beta.ppf(probability, a, b), rel=1e-9)


def test_mass_of_an_empty_interval_is_zero():
    assert Beta(2, 3).mass(0.6, 0.4) == 0.0


def test_mass_of_uniform_is_the_length():
    assert Beta(1, 1).mass(0.15, 0.5) == pytest.approx(0.35)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, -1), (float("inf"), 1), (float("nan"), 1)])
def test_impossible_shapes_are_refused(a, b):
    with pytest.raises(ValueError, match="positive"):
        Beta(a, b)
