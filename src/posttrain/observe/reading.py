"""Which rollouts a reader should see first: few, telling, and from both ends of the run.

Taken in this order until twelve are found: observed tampering, suspicion, one early failure of
each kind, late passes of different families, late failures of each kind, then whatever is left.
The choice depends on the records alone, so two readers see the same page.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from posttrain.core.rollout import Rollout

__all__ = ["choose_rollouts"]


def choose_rollouts(
    early: Sequence[Rollout], late: Sequence[Rollout], *, number: int = 12
) -> list[Rollout]:
    """At most ``number`` rollouts of ``early`` and ``late`` steps, each once."""
    chosen: dict[object, Rollout] = {}
    both = [*early, *late]
    shelves: tuple[Iterable[Rollout], ...] = (
        _first(2, (r for r in both if r.verdict.tamper)),
        _first(1, (r for r in both if r.verdict.suspicion)),
        _first(4, _one_each((r for r in early if not r.verdict.passed), _kind)),
        _first(4, _one_each((r for r in late if r.verdict.passed), _family)),
        _first(3, _one_each((r for r in late if not r.verdict.passed), _kind)),
        reversed(both),
    )
    for shelf in shelves:
        for rollout in shelf:
            if len(chosen) < number:
                chosen.setdefault(rollout.key, rollout)
    return list(chosen.values())


def _kind(rollout: Rollout) -> str:
    failure = rollout.verdict.failure
    return failure.kind.value if failure is not None else ""


def _family(rollout: Rollout) -> str:
    return rollout.family


def _one_each(rollouts: Iterable[Rollout], key: Callable[[Rollout], str]) -> Iterator[Rollout]:
    seen: set[str] = set()
    for rollout in rollouts:
        if key(rollout) not in seen:
            seen.add(key(rollout))
            yield rollout


def _first(number: int, rollouts: Iterable[Rollout]) -> Iterator[Rollout]:
    for _, rollout in zip(range(number), rollouts, strict=False):
        yield rollout
