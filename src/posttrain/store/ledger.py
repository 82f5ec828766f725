"""The ledger: which attempts exist, how far each one is, and in which step it was trained on.

    planned ──► leased ──► generated ──► judged ──► trained(step)
       └───────────┴───────────┴───────────┴──────► dropped(reason)

An attempt is planned here before anything samples it, and it can be trained on once: the key
(run, step, task, index) is unique and ``mark_trained`` moves judged attempts only. SQLite in WAL
mode with synchronous NORMAL: what was committed survives kill -9 of the process, not loss of
power. Marks are committed in groups, at the latest by ``commit``, which every change of stage
calls. One thread owns a ledger.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from posttrain.core.errors import StoreError
from posttrain.core.rollout import AttemptKey

__all__ = ["AttemptState", "Ledger", "LedgerRow"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts (
    run TEXT NOT NULL,
    step INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (
        state IN ('planned', 'leased', 'generated', 'judged', 'trained', 'dropped')),
    tries INTEGER NOT NULL DEFAULT 1,
    trained_step INTEGER,
    reason TEXT,
    PRIMARY KEY (run, step, task_id, idx),
    CHECK ((state = 'trained') = (trained_step IS NOT NULL)),
    CHECK ((state = 'dropped') = (reason IS NOT NULL))
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS attempts_by_state ON attempts (step, state);
CREATE TABLE IF NOT EXISTS rewinds (
    id INTEGER PRIMARY KEY, to_step INTEGER NOT NULL,
    returned INTEGER NOT NULL, discarded INTEGER NOT NULL
);
"""
_GROUP_SIZE = 64


class AttemptState(StrEnum):
    """How far an attempt is."""

    PLANNED = "planned"
    LEASED = "leased"
    GENERATED = "generated"
    JUDGED = "judged"
    TRAINED = "trained"
    DROPPED = "dropped"

    @property
    def is_settled(self) -> bool:
        """True when sampling and grading are over for the attempt."""
        return self in (AttemptState.JUDGED, AttemptState.TRAINED, AttemptState.DROPPED)


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerRow:
    """One attempt as the ledger has it."""

    key: AttemptKey
    state: AttemptState
    tries: int
    trained_step: int | None
    reason: str | None


class Ledger:
    """Opens or creates the ledger at ``path``; every method raises ``StoreError`` on a bad disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pending = 0
        with self._storing():
            self._db = sqlite3.connect(path, isolation_level=None)
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._db.executescript(_SCHEMA)
            except sqlite3.Error:
                self._db.close()
                raise

    def plan(self, keys: Sequence[AttemptKey]) -> None:
        """Enter attempts; committed when it returns. Raises ``StoreError`` for a known key."""
        rows = [tuple(key) for key in keys]
        with self._storing():
            self._begin()
            self._db.executemany(
                "INSERT INTO attempts (run, step, task_id, idx, state) "
                "VALUES (?, ?, ?, ?, 'planned')",
                rows,
            )
        self.commit()

    def mark_leased(self, keys: Iterable[AttemptKey]) -> None:
        """The sampler holds these planned attempts."""
        for key in keys:
            self._move(key, AttemptState.LEASED, (AttemptState.PLANNED,))

    def mark_generated(self, key: AttemptKey) -> None:
        """The answer is there, not judged yet."""
        self._move(key, AttemptState.GENERATED, (AttemptState.LEASED,))

    def mark_judged(self, key: AttemptKey, *, tries: int = 1) -> None:
        """The attempt has a verdict and a reward and is stored in the rollouts file."""
        self._move(key, AttemptState.JUDGED, (AttemptState.GENERATED,), "tries = ?", tries)

    def mark_trained(self, keys: Iterable[AttemptKey], step: int) -> None:
        """The update of ``step`` used these judged attempts; no attempt can be marked twice."""
        for key in keys:
            self._move(key, AttemptState.TRAINED, (AttemptState.JUDGED,), "trained_step = ?", step)

    def mark_dropped(self, key: AttemptKey, reason: str, *, tries: int = 1) -> None:
        """The attempt is lost for a stated reason and is never trained on."""
        unsettled = (
            AttemptState.PLANNED,
            AttemptState.LEASED,
            AttemptState.GENERATED,
            AttemptState.JUDGED,
        )
        self._move(key, AttemptState.DROPPED, unsettled, "reason = ?, tries = ?", reason, tries)

    def rewind(self, step: int, stored_steps: Iterable[int]) -> tuple[int, int]:
        """Return to the weights after ``step``; gives (attempts returned, attempts discarded).

        Later attempts whose update is lost with the weights are judged again if their whole step
        is in ``stored_steps``; attempts of any other later step are removed, to be redrawn.
        """
        kept = sorted(set(stored_steps))
        later = f"step > ? AND step IN ({','.join('?' * len(kept))})"
        gone = f"step > ? AND step NOT IN ({','.join('?' * len(kept))})"
        with self._storing():
            self._begin()
            returned = self._db.execute(
                f"UPDATE attempts SET state = 'judged', trained_step = NULL "
                f"WHERE state = 'trained' AND {later}",
                (step, *kept),
            ).rowcount
            discarded = self._db.execute(
                f"DELETE FROM attempts WHERE {gone}", (step, *kept)
            ).rowcount
            self._db.execute(
                "INSERT INTO rewinds (to_step, returned, discarded) VALUES (?, ?, ?)",
                (step, returned, discarded),
            )
        self.commit()
        return returned, discarded

    def rows(self, step: int | None = None) -> list[LedgerRow]:
        """Attempts in key order, of one step or of all."""
        where, values = ("", ()) if step is None else (" WHERE step = ?", (step,))
        with self._storing():
            found = self._db.execute(
                "SELECT run, step, task_id, idx, state, tries, trained_step, reason "
                f"FROM attempts{where} ORDER BY run, step, task_id, idx",
                values,
            ).fetchall()
        return [
            LedgerRow(
                key=AttemptKey(*row[:4]),
                state=AttemptState(row[4]),
                tries=row[5],
                trained_step=row[6],
                reason=row[7],
            )
            for row in found
        ]

    def counts(self) -> dict[AttemptState, int]:
        """Number of attempts by state."""
        with self._storing():
            found = self._db.execute("SELECT state, count(*) FROM attempts GROUP BY state")
            return {AttemptState(state): number for state, number in found}

    def settled_steps(self) -> list[int]:
        """Steps, ascending, all of whose attempts are judged, trained or dropped."""
        with self._storing():
            found = self._db.execute(
                "SELECT step FROM attempts GROUP BY step HAVING "
                "sum(state NOT IN ('judged', 'trained', 'dropped')) = 0 ORDER BY step"
            ).fetchall()
        return [step for (step,) in found]

    def commit(self) -> None:
        """Make every mark so far survive a kill."""
        with self._storing():
            if self._db.in_transaction:
                self._db.execute("COMMIT")
        self._pending = 0

    def close(self) -> None:
        """Commit and close; idempotent."""
        try:
            self.commit()
        finally:
            self._db.close()

    def _move(
        self,
        key: AttemptKey,
        state: AttemptState,
        allowed: tuple[AttemptState, ...],
        also: str = "",
        *also_values: int | str,
    ) -> None:
        values = [state.value, *also_values, *key]
        sources = ", ".join(f"'{source}'" for source in allowed)
        with self._storing():
            self._begin()
            moved = self._db.execute(
                f"UPDATE attempts SET state = ?{', ' + also if also else ''} "
                f"WHERE run = ? AND step = ? AND task_id = ? AND idx = ? AND state IN ({sources})",
                values,
            ).rowcount
        if moved != 1:
            raise StoreError(
                f"attempt {tuple(key)} cannot become {state.value}; it must be "
                f"{' or '.join(allowed)} in {str(self.path)!r}, see `posttrain runs show`"
            )
        self._pending += 1
        if self._pending >= _GROUP_SIZE:
            self.commit()

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise StoreError(f"the ledger {str(self.path)!r} refuses a record: {error}") from error
        except sqlite3.Error as error:
            raise StoreError(
                f"cannot use the ledger {str(self.path)!r}: {error}; "
                "free space or mend the file there, then go on with `posttrain resume`"
            ) from error
