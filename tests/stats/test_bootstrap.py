import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posttrain.stats.bootstrap import cluster_bootstrap, ratio_bootstrap
from posttrain.stats.estimate import Estimate

values = st.lists(st.floats(min_value=-10, max_value=10), min_size=1, max_size=4)
clusters = st.dictionaries(st.text(max_size=3), values, min_size=2, max_size=8)


@settings(max_examples=30, deadline=None)
@given(clusters)
def test_value_is_the_mean_of_all_values_and_lies_inside_its_interval(by_cluster):
    estimate = cluster_bootstrap(by_cluster, resamples=200)
    everything = [value for values in by_cluster.values() for value in values]
    assert estimate.value == pytest.approx(math.fsum(everything) / len(everything), abs=1e-9)
    assert estimate.low <= estimate.value <= estimate.high
    assert estimate.n == len(by_cluster)


def test_equal_seeds_give_equal_intervals_in_any_order_of_clusters():
    by_cluster = {f"t{i}": [i**0.5, i / 7] for i in range(20)}
    backwards = dict(reversed(by_cluster.items()))
    assert cluster_bootstrap(by_cluster, seed=3) == cluster_bootstrap(backwards, seed=3)
    assert cluster_bootstrap(by_cluster, seed=3) != cluster_bootstrap(by_cluster, seed=4)


def test_global_generators_are_left_alone():
    before = (random.getstate(), np.random.get_state()[1].tolist())
    cluster_bootstrap({"a": [1.0], "b": [2.0]})
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_repeating_the_values_of_a_cluster_does_not_narrow_the_interval():
    once = {f"t{i}": [float(i % 2)] for i in range(30)}
    tenfold = {key: values * 10 for key, values in once.items()}
    assert cluster_bootstrap(once).low == pytest.approx(cluster_bootstrap(tenfold).low)


def test_width_agrees_with_the_normal_interval_for_many_clusters():
    rng = random.Random(5)
    sample = [rng.gauss(0.0, 1.0) for _ in range(400)]
    estimate = cluster_bootstrap({str(i): [x] for i, x in enumerate(sample)})
    mean = sum(sample) / 400
    error = math.sqrt(sum((x - mean) ** 2 for x in sample) / (400 * 399))
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_interval_covers_the_truth_about_as_often_as_stated():
    rng = random.Random(11)
    hits = 0
    for trial in range(200):
        rates = [rng.betavariate(1.0, 3.0) for _ in range(40)]
        drawn = {str(i): [float(rng.random() < p) for _ in range(4)] for i, p in enumerate(rates)}
        estimate = cluster_bootstrap(drawn, seed=trial, resamples=400)
        hits += estimate.low <= 0.25 <= estimate.high
    assert 0.90 <= hits / 200 <= 0.99


def test_one_cluster_has_a_value_and_no_interval():
    assert cluster_bootstrap({"a": [1.0, 0.0], "b": []}) == Estimate(
        value=0.5, low=None, high=None, n=1
    )


def test_nothing_measured_gives_nothing():
    assert cluster_bootstrap({}) == Estimate(value=None, low=None, high=None, n=0)


def test_ratio_weighs_pairs_by_their_denominators():
    assert ratio_bootstrap([10.0, 0.0], [1.0, 9.0]).value == pytest.approx(1.0)
