import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posttrain.curriculum.curriculum import Curriculum
from posttrain.curriculum.outcome import GroupOutcome
from posttrain.curriculum.phase import Phase
from posttrain.curriculum.spec import CurriculumSpec
from posttrain.reward.layers import RewardSpec
from posttrain.testing.bare_tasks import bare_pool

PHASES = (
    Phase(name="warm-up", max_difficulty=0.4, reward=RewardSpec(partial=0.5)),
    Phase(name="full", unlock_pass_rate=0.6, unlock_step=30),
)


def attempt(tasks, rng, rate_of, size=8):
    """Groups of a policy that passes a task of difficulty d with probability ``rate_of(d)``."""
    return [
        GroupOutcome(
            task_id=t.id,
            passes=sum(rng.random() < rate_of(t.difficulty) for _ in range(size)),
            judged=size,
        )
        for t in tasks
    ]


def run(curriculum, steps, rate_of, *, begin=0, num_groups=8):
    for step in range(begin, begin + steps):
        tasks = curriculum.draw(step, num_groups)
        curriculum.observe(step, attempt(tasks, random.Random(step), rate_of))


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**62), begun=st.integers(0, 6), shuffle=st.randoms())
def test_a_resumed_curriculum_goes_on_like_the_unbroken_one(seed, begun, shuffle):
    whole = Curriculum(bare_pool(), CurriculumSpec(phases=PHASES), seed)
    run(whole, begun, lambda d: 1 - d)
    state = json.loads(json.dumps(whole.state()))
    tasks = bare_pool()
    shuffle.shuffle(tasks)
    resumed = Curriculum(tasks, CurriculumSpec(phases=PHASES), seed)
    resumed.load_state(state)
    run(whole, 5, lambda d: 1 - d, begin=begun)
    run(resumed, 5, lambda d: 1 - d, begin=begun)
    assert resumed.state() == whole.state()
    assert resumed.metrics() == whole.metrics()


def test_drawing_changes_nothing():
    curriculum = Curriculum(bare_pool(), CurriculumSpec(), 1)
    before = curriculum.state()
    assert curriculum.draw(3, 8) == curriculum.draw(3, 8)
    assert curriculum.state() == before


@given(st.randoms())
def test_the_order_of_outcomes_does_not_matter(shuffle):
    outcomes = attempt(bare_pool()[::3], random.Random(1), lambda d: 1 - d)
    mixed = list(outcomes)
    shuffle.shuffle(mixed)
    one, other = (Curriculum(bare_pool(), CurriculumSpec(), 1) for _ in range(2))
    one.observe(0, outcomes)
    other.observe(0, mixed)
    assert one.state() == other.state()


@pytest.mark.parametrize("per_cell", [1, 5])
def test_no_task_comes_back_before_its_cell_is_exhausted(per_cell):
    curriculum = Curriculum(bare_pool(per_cell=per_cell), CurriculumSpec(), 3)
    drawn: dict[str, int] = {t.id: 0 for t in bare_pool(per_cell=per_cell)}
    for step in range(60):
        tasks = curriculum.draw(step, 4)
        curriculum.observe(step, attempt(tasks, random.Random(step), lambda d: 1 - d))
        for t in tasks:
            drawn[t.id] += 1
            cell = [n for other, n in drawn.items() if other.rpartition("/")[0] == t.id[:-2]]
            assert max(cell) - min(cell) <= 2


def test_groups_without_a_verdict_teach_nothing_but_count_as_drawn():
    curriculum = Curriculum(bare_pool(), CurriculumSpec(), 1)
    first = curriculum.draw(0, 8)
    curriculum.observe(0, [GroupOutcome(task_id=t.id, passes=0, judged=0) for t in first])
    assert curriculum.metrics()["curriculum/coverage"] == 0.0
    assert not {t.id for t in first} & {t.id for t in curriculum.draw(1, 8)}


def test_measured_pass_rate_unlocks_the_next_phase_and_its_weights():
    curriculum = Curriculum(bare_pool(), CurriculumSpec(phases=PHASES), 1)
    assert (curriculum.phase.name, curriculum.phase.weights["partial"]) == ("warm-up", 0.5)
    assert max(t.difficulty for t in curriculum.draw(0, 8)) <= 0.4
    run(curriculum, 8, lambda _: 0.9)
    assert (curriculum.phase.name, curriculum.phase.weights["partial"]) == ("full", 0.3)
    assert max(t.difficulty for t in curriculum.draw(8, 8)) > 0.4


def test_a_policy_that_fails_stays_in_its_phase_until_the_step_is_due():
    curriculum = Curriculum(bare_pool(), CurriculumSpec(phases=PHASES), 1)
    run(curriculum, 29, lambda _: 0.05)
    assert curriculum.phase.name == "warm-up"
    run(curriculum, 1, lambda _: 0.05, begin=29)
    assert curriculum.phase.name == "full"


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_a_starved_curriculum_widens_its_band_and_says_so(rate):
    curriculum = Curriculum(bare_pool(), CurriculumSpec(decay=1.0), 1)
    run(curriculum, 40, lambda _: rate)
    metrics = curriculum.metrics()
    assert metrics["curriculum/widened"] == 1.0
    assert metrics["curriculum/in_band"] == 0.0
    assert len(curriculum.draw(40, 8)) == 8


def test_metrics_are_finite_numbers_under_their_prefix():
    curriculum = Curriculum(bare_pool(), CurriculumSpec(phases=PHASES), 1)
    run(curriculum, 5, lambda d: 1 - d)
    metrics = curriculum.metrics()
    assert all(name.startswith("curriculum/") for name in metrics)
    assert all(type(value) is float and value == value for value in metrics.values())
    shares = [metrics[f"curriculum/{place}"] for place in ("below", "in_band", "above")]
    assert sum(shares) == pytest.approx(1.0)
    assert 0.0 <= metrics["curriculum/favoured_mixed"] <= 1.0


def test_an_empty_pool_is_survived():
    curriculum = Curriculum([], CurriculumSpec(phases=PHASES), 1)
    assert curriculum.draw(0, 8) == []
    curriculum.observe(0, [])
    assert "curriculum/pass_rate" not in curriculum.metrics()


def test_outcomes_of_unknown_tasks_are_refused():
    curriculum = Curriculum(bare_pool(), CurriculumSpec(), 1)
    with pytest.raises(ValueError, match="not in the pool"):
        curriculum.observe(0, [GroupOutcome(task_id="nobody", passes=1, judged=8)])


def test_something_else_than_a_state_is_refused():
    curriculum = Curriculum(bare_pool(), CurriculumSpec(), 1)
    with pytest.raises(ValueError, match="not the state of a curriculum"):
        curriculum.load_state({"version": 1, "cells": []})


def test_a_state_from_another_pool_keeps_what_fits():
    large = Curriculum(bare_pool(families=3), CurriculumSpec(), 1)
    run(large, 10, lambda d: 1 - d)
    small = Curriculum(bare_pool(families=1), CurriculumSpec(), 1)
    small.load_state(large.state())
    assert {key.partition("@")[0] for key in small.state()["cells"]} == {"f0"}


def mixed_share(spec, seed, *, steps=40):
    """Share of mixed groups for a learner that masters what it meets in mixed groups."""
    curriculum = Curriculum(bare_pool(families=6), spec, seed)
    skill = {f"f{family}": 0.15 * family for family in range(6)}
    rng, num_mixed = random.Random(seed), 0
    for step in range(steps):
        outcomes = []
        for t in curriculum.draw(step, 8):
            rate = 1 / (1 + 10 ** (4 * (t.difficulty - skill[t.family])))
            passes = sum(rng.random() < rate for _ in range(8))
            outcomes.append(GroupOutcome(task_id=t.id, passes=passes, judged=8))
            num_mixed += outcomes[-1].is_mixed
            skill[t.family] += 0.005 * outcomes[-1].is_mixed
        curriculum.observe(step, outcomes)
    return num_mixed / (8 * steps)


def test_a_simulated_learner_meets_far_more_mixed_groups_than_under_uniform_draws():
    taught = [mixed_share(CurriculumSpec(), seed) for seed in range(3)]
    uniform = [mixed_share(CurriculumSpec(uniform_share=1.0), seed) for seed in range(3)]
    assert min(taught) > max(uniform) + 0.1
