"""Events kept in a list, for tests of whatever tells them."""

import threading
from typing import Any

from posttrain.core.clock import Clock
from posttrain.store.event_kinds import EventKind
from posttrain.store.events import Event
from posttrain.testing.clock import FakeClock

__all__ = ["MemoryEvents"]


class MemoryEvents:
    """An ``Emit`` that numbers events as the log does and keeps them; safe across threads."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.events: list[Event] = []
        """In the order in which they were told."""
        self._clock = clock or FakeClock()
        self._lock = threading.Lock()

    def __call__(self, kind: EventKind, **fields: Any) -> None:
        """Keep one event."""
        with self._lock:
            seq = len(self.events) + 1
            event = Event(seq=seq, at_s=self._clock.wall_s(), kind=kind.value, fields=fields)
            self.events.append(event)

    def of(self, kind: EventKind) -> list[dict[str, Any]]:
        """The fields of the events of one kind, in order."""
        return [event.fields for event in self.events if event.kind == kind.value]
