"""The event log of a run: every event gets a number and a time, is stored, then handed on.

    any thread ── emit(kind, **fields) ──► events.jsonl ──► listeners (live board), in order

The log tells a run; it decides nothing, and resume does not read it. A listener that raises is
a bug and ends the run; a slow one slows the run, so listeners only update their own state.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from posttrain.core.clock import Clock, SystemClock
from posttrain.core.plain import to_plain
from posttrain.store.event_kinds import EventKind
from posttrain.store.jsonl import LineFile, read_lines

__all__ = ["Event", "EventLog", "Listener", "read_events"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One line of ``events.jsonl``; ``kind`` is text so that logs of other versions can be read."""

    seq: int
    at_s: float
    kind: str
    fields: dict[str, Any] = field(default_factory=dict)


Listener = Callable[[Event], None]


def read_events(path: Path) -> Iterator[Event]:
    """The whole events of a log in order; a line cut off by a kill is skipped."""
    for line in read_lines(path):
        seq, at_s, kind = line.pop("seq"), line.pop("at_s"), line.pop("kind")
        yield Event(seq=seq, at_s=at_s, kind=kind, fields=line)


class EventLog:
    """Writes events; safe to call from several threads."""

    def __init__(
        self, path: Path, listeners: tuple[Listener, ...] = (), clock: Clock | None = None
    ) -> None:
        self._clock = clock or SystemClock()
        self._listeners = listeners
        self._lock = threading.Lock()
        self._file = LineFile(path)
        self._seq = sum(1 for _ in read_lines(path))

    def emit(self, kind: EventKind, **fields: Any) -> None:
        """Append one event and hand it to every listener.

        Raises ``StoreError`` when the disk refuses; the log then ends at its last whole event.
        """
        plain = to_plain(fields)
        with self._lock:
            event = Event(
                seq=self._seq + 1, at_s=self._clock.wall_s(), kind=kind.value, fields=plain
            )
            self._file.append({"seq": event.seq, "at_s": event.at_s, "kind": event.kind, **plain})
            self._seq = event.seq
            for listener in self._listeners:
                listener(event)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the log; idempotent."""
        with self._lock:
            self._file.close()
