import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posttrain.core.errors import StoreError
from posttrain.core.rollout import AttemptKey
from posttrain.store.ledger import AttemptState, Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    yield ledger
    ledger.close()


def _keys(step: int, count: int = 3) -> list[AttemptKey]:
    return [AttemptKey("run", step, "task", index) for index in range(count)]


def _judge(ledger: Ledger, step: int) -> list[AttemptKey]:
    keys = _keys(step)
    ledger.plan(keys)
    ledger.mark_leased(keys)
    for key in keys:
        ledger.mark_generated(key)
        ledger.mark_judged(key)
    return keys


def _states(ledger: Ledger, step: int) -> set[AttemptState]:
    return {row.state for row in ledger.rows(step)}


def test_an_attempt_is_trained_on_at_most_once(ledger: Ledger) -> None:
    keys = _judge(ledger, 1)
    ledger.mark_trained(keys, 1)
    with pytest.raises(StoreError, match="cannot become trained; it must be judged"):
        ledger.mark_trained(keys[:1], 2)
    assert [row.trained_step for row in ledger.rows()] == [1, 1, 1]


def test_an_attempt_cannot_be_planned_twice(ledger: Ledger) -> None:
    ledger.plan(_keys(1))
    with pytest.raises(StoreError, match="refuses a record"):
        ledger.plan(_keys(1, 1))


def test_an_unjudged_attempt_cannot_be_trained_on(ledger: Ledger) -> None:
    ledger.plan(_keys(1))
    with pytest.raises(StoreError, match="cannot become trained"):
        ledger.mark_trained(_keys(1), 1)


def test_a_dropped_attempt_keeps_its_reason_and_is_never_trained_on(ledger: Ledger) -> None:
    keys = _judge(ledger, 1)
    ledger.mark_dropped(keys[0], "infra: sandbox dead")
    with pytest.raises(StoreError):
        ledger.mark_trained(keys, 1)
    assert ledger.rows()[0].reason == "infra: sandbox dead"


def test_a_rewind_returns_stored_steps_and_removes_the_others(ledger: Ledger) -> None:
    for step in (1, 2, 3):
        ledger.mark_trained(_judge(ledger, step), step)
    ledger.plan(_keys(4))
    assert ledger.rewind(1, stored_steps=[2, 3]) == (6, 3)
    assert [_states(ledger, step) for step in (1, 2, 3, 4)] == [
        {AttemptState.TRAINED},
        {AttemptState.JUDGED},
        {AttemptState.JUDGED},
        set(),
    ]


def test_only_steps_without_open_attempts_are_settled(ledger: Ledger) -> None:
    _judge(ledger, 1)
    ledger.plan(_keys(2))
    assert ledger.settled_steps() == [1]


def test_marks_committed_by_one_process_are_read_by_the_next(tmp_path: Path) -> None:
    first = Ledger(tmp_path / "ledger.sqlite")
    _judge(first, 1)
    first.commit()
    second = Ledger(tmp_path / "ledger.sqlite")
    assert _states(second, 1) == {AttemptState.JUDGED}
    first.close()
    second.close()


def test_a_damaged_ledger_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"this is no database, but it is long enough to be one" * 100)
    with pytest.raises(StoreError, match=r"cannot use the ledger .*; free space or mend"):
        Ledger(path)


def test_the_database_itself_refuses_a_trained_row_without_its_step(ledger: Ledger) -> None:
    ledger.plan(_keys(1))
    other = sqlite3.connect(ledger.path)
    with pytest.raises(sqlite3.IntegrityError):
        other.execute("UPDATE attempts SET state = 'trained'")
    other.close()


@settings(max_examples=30, deadline=None)
@given(
    moves=st.lists(
        st.tuples(
            st.sampled_from(["lease", "generate", "judge", "train", "drop", "rewind"]),
            st.integers(1, 3),
            st.integers(0, 1),
        ),
        max_size=40,
    )
)
def test_no_order_of_moves_trains_an_attempt_twice_or_loses_one(
    moves: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    ledger = Ledger(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")
    planned = {key for step in (1, 2, 3) for key in _keys(step, 2)}
    ledger.plan(sorted(planned))
    trained: set[AttemptKey] = set()
    for move, step, index in moves:
        key = AttemptKey("run", step, "task", index)
        try:
            if move == "lease":
                ledger.mark_leased([key])
            elif move == "generate":
                ledger.mark_generated(key)
            elif move == "judge":
                ledger.mark_judged(key)
            elif move == "drop":
                ledger.mark_dropped(key, "lost")
            elif move == "rewind":
                ledger.rewind(step, stored_steps=[1, 2, 3])
                trained = {done for done in trained if done.step <= step}
            else:
                ledger.mark_trained([key], step)
                assert key not in trained
                trained.add(key)
        except StoreError:
            continue
    rows = ledger.rows()
    ledger.close()
    assert {row.key for row in rows} == planned
    assert {row.key for row in rows if row.state is AttemptState.TRAINED} == trained
