from pathlib import Path

import pytest

from posttrain.core.errors import StoreError
from posttrain.store.event_kinds import EventKind
from posttrain.store.events import Event, EventLog, read_events


def test_events_are_numbered_timed_and_handed_to_listeners(tmp_path: Path) -> None:
    heard: list[Event] = []
    with EventLog(tmp_path / "events.jsonl", (heard.append,)) as log:
        log.emit(EventKind.WARNING, message="a")
        log.emit(EventKind.WARNING, message="b")
    stored = list(read_events(tmp_path / "events.jsonl"))
    assert stored == heard
    assert [(event.seq, event.fields["message"]) for event in stored] == [(1, "a"), (2, "b")]
    assert stored[0].at_s > 1.7e9


def test_a_line_cut_off_by_a_kill_is_skipped_and_then_replaced(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with EventLog(path) as log:
        log.emit(EventKind.WARNING, message="whole")
    with path.open("ab") as file:
        file.write(b'{"seq":2,"at_s":1.0,"ki')
    assert [event.seq for event in read_events(path)] == [1]
    with EventLog(path) as log:
        log.emit(EventKind.WARNING, message="next")
    assert [event.fields["message"] for event in read_events(path)] == ["whole", "next"]
    assert [event.seq for event in read_events(path)] == [1, 2]


def test_a_damaged_line_in_the_middle_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"seq":1,"at_s":1.0,"kind":"warning"}\n{"se\n')
    with pytest.raises(StoreError, match=r"events\.jsonl:2 is not a JSON object"):
        list(read_events(path))


def test_an_absent_log_has_no_events(tmp_path: Path) -> None:
    assert list(read_events(tmp_path / "events.jsonl")) == []


def test_half_a_surrogate_pair_in_a_candidates_text_does_not_end_the_run(tmp_path: Path) -> None:
    with EventLog(tmp_path / "events.jsonl") as log:
        log.emit(EventKind.WARNING, message="bad \ud800 text \U0001f600")
    (event,) = read_events(tmp_path / "events.jsonl")
    assert event.fields["message"] == "bad \ufffd text \U0001f600"
