import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from posttrain.stats.paired import mcnemar_exact, paired_difference, pairs_needed


@pytest.mark.golden
@pytest.mark.parametrize(
    ("b", "c", "p"), [(8, 2, 0.0547), (12, 4, 0.0384), (20, 10, 0.0494), (5, 0, 0.0312)]
)
def test_one_sided_mcnemar_equals_the_table(b, c, p):
    assert mcnemar_exact(b, c, alternative="greater") == pytest.approx(p, abs=5e-5 + 1e-9)


@pytest.mark.golden
@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_two_sided_mcnemar_equals_scipys_binomial_test(b, c):
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("share", "sizes"),
    [
        (0.10, (6181, 1544, 685, 246)),
        (0.05, (3090, 771, 342, 122)),
        (0.20, (12364, 3090, 1372, 493)),
    ],
)
def test_pairs_needed_equals_the_table(share, sizes):
    needed = [pairs_needed(points / 100, share) for points in (1, 2, 3, 5)]
    assert needed == pytest.approx(sizes, abs=2)


def test_a_difference_larger_than_the_discordant_share_allows_is_refused():
    with pytest.raises(ValueError, match="cannot come from"):
        pairs_needed(0.5, 0.1)


def test_difference_is_b_minus_a_over_common_items():
    estimate = paired_difference({"x": 0.0, "y": 0.5, "only a": 1.0}, {"x": 1.0, "y": 1.0})
    assert (estimate.value, estimate.n) == (0.75, 2)


@given(st.dictionaries(st.text(max_size=3), st.floats(-1, 1), min_size=2, max_size=8))
def test_a_set_does_not_differ_from_itself(values):
    estimate = paired_difference(values, values, resamples=50)
    assert (estimate.value, estimate.low, estimate.high) == (0.0, 0.0, 0.0)


def test_pairing_sees_a_gain_that_the_spread_of_difficulty_hides():
    a = {f"t{i}": (i % 10) / 10 for i in range(50)}
    b = {item: value + (0.1 if int(item[1:]) % 2 else 0.02) for item, value in a.items()}
    estimate = paired_difference(a, b)
    assert 0.0 < estimate.low < 0.06 < estimate.high < 0.1


def test_equal_bounded_results_on_few_items_prove_little():
    a = {"x": 1.0, "y": 1.0, "z": 0.0}
    estimate = paired_difference(a, a, bound=1.0)
    assert (estimate.value, estimate.n) == (0.0, 3)
    assert estimate.low < -0.5 and estimate.high > 0.5


def test_clusters_of_like_items_widen_the_interval():
    a = {f"t{i}": 0.0 for i in range(40)}
    b = {f"t{i}": float(i < 20) for i in range(40)}
    families = {f"t{i}": f"family {i // 10}" for i in range(40)}
    alone, together = paired_difference(a, b), paired_difference(a, b, cluster_of=families)
    assert together.n == 4
    assert together.high - together.low > 2 * (alone.high - alone.low)
