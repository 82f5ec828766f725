import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.stats.pass_at_k import pass_all_k, pass_at_k

cases = st.integers(1, 7).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(cases)
def test_both_equal_a_count_over_every_choice_of_attempts(case):
    n, c, k = case
    attempts = [True] * c + [False] * (n - c)
    choices = list(itertools.combinations(attempts, k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_all_k(n, c, k) == pytest.approx(sum(map(all, choices)) / len(choices))


@pytest.mark.golden
@pytest.mark.parametrize(("n", "c", "k"), [(8, 3, 1), (8, 3, 8), (200, 10, 100), (100, 1, 10)])
def test_pass_at_k_equals_the_product_form(n, c, k):
    product = math.prod(1 - k / i for i in range(n - c + 1, n + 1))
    expected = 1.0 if n - c < k else 1.0 - product
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, 2, 5), (4, 2, 0), (0, 0, 1)])
def test_impossible_counts_are_refused(n, c, k):
    with pytest.raises(ValueError, match=r"give 0 <= c <= n|needs at least"):
        pass_at_k(n, c, k)
