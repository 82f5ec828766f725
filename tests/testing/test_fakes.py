import pytest

from posttrain.policy.protocol import Policy
from posttrain.store.event_kinds import EventKind
from posttrain.testing.clock import FakeClock
from posttrain.testing.letters import LetterPolicy
from posttrain.testing.memory_events import MemoryEvents


def test_a_fake_clock_moves_only_when_told():
    clock = FakeClock(wall_s=100.0)
    assert (clock.monotonic_s(), clock.wall_s()) == (0.0, 100.0)
    clock.advance(2.5)
    assert (clock.monotonic_s(), clock.wall_s()) == (2.5, 102.5)


def test_a_fake_clock_never_goes_back():
    with pytest.raises(ValueError, match="cannot advance by -1"):
        FakeClock().advance(-1.0)


def test_told_events_are_kept_in_order_with_their_fields():
    clock = FakeClock(wall_s=7.0)
    emit = MemoryEvents(clock)
    emit(EventKind.STAGE_CHANGED, stage="sample")
    clock.advance(1.0)
    emit(EventKind.WARNING, message="low disk")
    assert [(e.seq, e.at_s, e.kind) for e in emit.events] == [
        (1, 7.0, "stage_changed"),
        (2, 8.0, "warning"),
    ]
    assert emit.of(EventKind.WARNING) == [{"message": "low disk"}]


def test_a_letter_policy_is_a_policy():
    assert isinstance(LetterPolicy(), Policy)
