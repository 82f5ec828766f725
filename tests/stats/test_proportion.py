import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from posttrain.stats.estimate import Estimate
from posttrain.stats.proportion import clopper_pearson, jeffreys, wilson

counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.golden
@given(counts)
def test_wilson_equals_scipys(count):
    c, n = count
    expected = stats.binomtest(c, n).proportion_ci(method="wilson")
    ours = wilson(c, n)
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.golden
@given(counts)
def test_clopper_pearson_equals_scipys(count):
    c, n = count
    expected = stats.binomtest(c, n).proportion_ci(method="exact")
    ours = clopper_pearson(c, n)
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.golden
def test_jeffreys_equals_scipys_beta_quantiles():
    expected = stats.beta.ppf([0.025, 0.975], 7.5, 13.5)
    estimate = jeffreys(7, 20)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=1e-10)


@given(counts)
def test_jeffreys_lies_within_clopper_pearson(count):
    inner, outer = jeffreys(*count), clopper_pearson(*count)
    assert outer.low - 1e-9 <= inner.low <= inner.value <= inner.high <= outer.high + 1e-9


@pytest.mark.parametrize("method", [wilson, jeffreys, clopper_pearson])
def test_without_trials_nothing_is_claimed(method):
    assert method(0, 0) == Estimate(value=None, low=None, high=None, n=0)


@pytest.mark.parametrize("method", [wilson, jeffreys, clopper_pearson])
def test_more_successes_than_trials_are_refused(method):
    with pytest.raises(ValueError, match="3 successes of 2"):
        method(3, 2)
