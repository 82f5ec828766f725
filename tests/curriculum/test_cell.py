import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.curriculum.cell import CellState, form_cells, posterior, prior
from posttrain.testing.bare_tasks import bare_pool, bare_task


def test_cells_partition_the_pool_by_family_and_fifth_of_difficulty():
    cells = form_cells(bare_pool(families=2, per_cell=3))
    assert [cell.key for cell in cells] == [
        f"f{f}@{bucket}" for f in range(2) for bucket in range(5)
    ]
    assert sum(len(cell.tasks) for cell in cells) == 30


def test_unknown_and_extreme_difficulties_have_cells():
    cells = form_cells(
        [bare_task("a", "f", None), bare_task("b", "f", 1.0), bare_task("c", "f", 0.0)]
    )
    assert {cell.key: cell.difficulty for cell in cells} == {"f@?": None, "f@4": 1.0, "f@0": 0.0}


def test_two_tasks_of_one_id_are_refused():
    with pytest.raises(ValueError, match="same id"):
        form_cells([bare_task("a", "f", 0.1), bare_task("a", "g", 0.1)])


@pytest.mark.parametrize(
    ("difficulty", "mean"), [(0.3, 0.7), (None, 0.5), (1.0, 0.05), (0.0, 0.95)]
)
def test_an_unseen_cell_is_estimated_by_its_difficulty(difficulty, mean):
    (cell,) = form_cells([bare_task("a", "f", difficulty)])
    assert prior(cell, 2.0).mean == pytest.approx(mean)
    assert posterior(cell, CellState(), 40, 0.9, 2.0) == prior(cell, 2.0)


def test_evidence_moves_the_estimate_and_then_fades():
    (cell,) = form_cells([bare_task("a", "f", 0.5)])
    state = CellState().observed(3, 0, 8, 0.9)
    assert posterior(cell, state, 3, 0.9, 2.0).mean == pytest.approx(1 / 10)
    assert posterior(cell, state, 13, 0.9, 2.0).mean == pytest.approx(1 / (2 + 8 * 0.9**10))
    assert posterior(cell, state, 500, 0.9, 2.0).mean == pytest.approx(0.5)


@given(st.permutations([(1, 3, 5), (4, 0, 8), (2, 7, 1)]))
def test_late_groups_count_as_if_they_had_come_in_order(groups):
    state = CellState()
    for step, passes, failures in groups:
        state = state.observed(step, passes, failures, 0.5)
    assert state.step == 4
    assert state.passes == pytest.approx(3 / 8 + 7 / 4)
    assert state.failures == pytest.approx(5 / 8 + 1 / 4 + 8)


def test_using_a_used_task_begins_the_next_round():
    state = CellState().drawn("a").drawn("b")
    assert (state.rounds, state.used) == (0, {"a", "b"})
    state = state.drawn("a")
    assert (state.rounds, state.used) == (1, {"a"})
