import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.curriculum.cell import CellState, form_cells
from posttrain.curriculum.draw import Arm, favoured_band, plan_draw
from posttrain.curriculum.spec import CurriculumSpec
from posttrain.curriculum.systematic import systematic_shares
from posttrain.testing.bare_tasks import bare_pool, bare_task

SPEC = CurriculumSpec()
CELLS = form_cells(bare_pool())


def plan(cells=CELLS, states=None, spec=SPEC, *, max_difficulty=1.0, seed=1, step=0, num_groups=8):
    return plan_draw(
        cells,
        states or {},
        spec,
        max_difficulty=max_difficulty,
        seed=seed,
        step=step,
        num_groups=num_groups,
    )


def ids(drawn):
    return [pick.task.id for pick in drawn.picks]


@given(seed=st.integers(0, 2**62), step=st.integers(0, 1000), num_groups=st.integers(0, 80))
def test_a_draw_repeats_itself_and_never_a_task(seed, step, num_groups):
    first = plan(seed=seed, step=step, num_groups=num_groups)
    assert first == plan(seed=seed, step=step, num_groups=num_groups)
    assert len(set(ids(first))) == len(first.picks) == min(num_groups, 60)
    assert first.num_missing == num_groups - len(first.picks)


def test_draws_differ_by_step_and_by_seed():
    assert ids(plan()) != ids(plan(step=1))
    assert ids(plan()) != ids(plan(seed=2))


def test_the_global_generator_is_left_alone():
    before = random.getstate()
    plan()
    assert random.getstate() == before


@given(max_difficulty=st.floats(0.1, 1.0), step=st.integers(0, 50))
def test_locked_tasks_wait(max_difficulty, step):
    drawn = plan(max_difficulty=max_difficulty, step=step)
    assert all(pick.task.difficulty <= max_difficulty for pick in drawn.picks)
    assert drawn.num_borrowed == 0


def test_too_few_unlocked_tasks_borrow_the_easiest_locked_ones():
    drawn = plan(max_difficulty=0.2, num_groups=16)
    assert drawn.num_borrowed == 4
    assert {pick.task.difficulty for pick in drawn.picks[12:]} == {0.3}


def test_an_empty_pool_draws_nothing_and_says_so():
    drawn = plan(cells=())
    assert (drawn.picks, drawn.num_missing) == ((), 8)


def test_cells_with_a_favoured_pass_rate_get_most_groups():
    states = {c.key: CellState(passes=0.0, failures=60.0, step=9) for c in CELLS}
    states["f1@2"] = CellState(passes=18.0, failures=42.0, step=9)
    arms = Counter()
    for step in range(10, 60):
        drawn = plan(states=states, step=step, num_groups=4, spec=CurriculumSpec(decay=1.0))
        arms.update(p.arm for p in drawn.picks if p.task.id.startswith("f1/0.5"))
    assert arms[Arm.FAVOURED] > 0.95 * 50 * 4 * 0.81


def test_uniform_and_stale_shares_hold_on_average():
    arms = Counter(pick.arm for step in range(400) for pick in plan(step=step).picks)
    assert arms[Arm.UNIFORM] / 3200 == pytest.approx(0.1, abs=0.01)
    assert arms[Arm.STALE] / 3200 == pytest.approx(0.09, abs=0.01)


def test_the_control_draws_each_task_equally_often():
    uneven = form_cells(
        [bare_task(f"a{n}", "a", 0.1) for n in range(30)] + [bare_task("b", "b", 0.9)]
    )
    spec = CurriculumSpec(uniform_share=1.0)
    drawn = Counter(
        pick.task.id for step in range(1500) for pick in plan(uneven, spec=spec, step=step).picks
    )
    assert drawn["b"] / 1500 == pytest.approx(8 / 31, abs=0.04)


def test_stale_cells_come_back():
    states = {c.key: CellState(passes=30.0, failures=0.0, step=99) for c in CELLS}
    states["f2@4"] = CellState(passes=30.0, failures=0.0, step=0)
    spec = CurriculumSpec(uniform_share=0.0, stale_share=1.0)
    drawn = plan(states=states, step=100, spec=spec, num_groups=4)
    assert sum(pick.task.id.startswith("f2/0.9") for pick in drawn.picks) >= 3


def test_used_tasks_wait_for_the_rest_of_their_cell():
    cells = form_cells(bare_pool(families=1, per_cell=6, difficulties=(0.5,)))
    used = frozenset({"f0/0.5/0", "f0/0.5/3"})
    drawn = plan(cells, {"f0@2": CellState(used=used, step=0)}, num_groups=4, step=1)
    assert used.isdisjoint(ids(drawn))


@pytest.mark.parametrize(
    ("means", "low", "high", "widened"),
    [
        ([0.3, 0.9], 0.15, 0.5, False),
        ([0.65, 0.9], 0.0, 0.7, True),
        ([0.0], 0.0, 0.7, True),
        ([1.0], 0.0, 1.0, True),
        ([], 0.15, 0.5, False),
    ],
)
def test_the_band_widens_until_some_cell_is_inside(means, low, high, widened):
    band = favoured_band(means, SPEC)
    assert (band.low, band.high) == pytest.approx((low, high))
    assert band.widened is widened


@given(
    weights=st.lists(st.floats(0.0, 10.0), min_size=1, max_size=12),
    count=st.integers(0, 40),
    seed=st.integers(0, 1000),
)
def test_systematic_shares_sum_up_and_stay_within_one_of_expectation(weights, count, seed):
    shares = systematic_shares(weights, count, random.Random(seed))
    assert sum(shares) == count
    total = sum(weights)
    if total > 1e-6:
        for share, weight in zip(shares, weights, strict=True):
            assert abs(share - count * weight / total) < 1 + 1e-6
