"""The target track: what share of held-out tasks is solved.

Every figure is a mean over tasks, with an interval over tasks: the attempts at one task are not
independent. Attempts without a verdict are left out of their task; a task without any verdict, or
with fewer than k for pass@k, is left out of the figure, and ``n`` tells how many remained.

Names are ``pass@1`` and ``pass@K`` over all tasks, where K is the largest number of attempts, and
``GROUP/pass@1`` for each group when there is more than one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from posttrain.evaluate.comparison import Plain, compare_means, estimate_share
from posttrain.stats.pass_at_k import pass_at_k

__all__ = ["TaskOutcome", "compare_target", "summarize_target"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskOutcome:
    """The attempts at one task: passed, not passed, or None where no verdict was possible."""

    task_id: str
    family: str
    group: str
    """What is reported apart: seen, unseen, mbpp, ..."""
    passed: tuple[bool | None, ...]

    @property
    def num_judged(self) -> int:
        """Attempts with a verdict."""
        return sum(one is not None for one in self.passed)

    def pass_at(self, k: int) -> float | None:
        """Unbiased pass@k of this task, None with fewer than k verdicts."""
        if self.num_judged < k:
            return None
        return pass_at_k(self.num_judged, sum(one is True for one in self.passed), k)


def summarize_target(outcomes: Sequence[TaskOutcome]) -> dict[str, Plain]:
    """Estimate by name; empty without a single verdict."""
    return {
        prefix + f"pass@{k}": estimate_share(_rates(members, k))
        for prefix, members in _groups(outcomes)
        for k in _ks(members)
    }


def compare_target(a: Sequence[TaskOutcome], b: Sequence[TaskOutcome]) -> dict[str, Plain]:
    """Comparison by name, paired by task; pass@K up to the K that both sides have.

    Tasks that only one side has are left out.
    """
    common = {outcome.task_id for outcome in a} & {outcome.task_id for outcome in b}
    theirs = {outcome.task_id: outcome for outcome in b}
    compared = {}
    for prefix, ours in _groups([outcome for outcome in a if outcome.task_id in common]):
        members = [theirs[outcome.task_id] for outcome in ours]
        for k in _ks(ours, members):
            found = compare_means(_rates(ours, k), _rates(members, k), bound=1.0)
            if found is not None:
                compared[prefix + f"pass@{k}"] = found
    return compared


def _groups(outcomes: Sequence[TaskOutcome]) -> Iterator[tuple[str, list[TaskOutcome]]]:
    yield "", list(outcomes)
    names = sorted({outcome.group for outcome in outcomes})
    if len(names) > 1:
        for name in names:
            yield f"{name}/", [outcome for outcome in outcomes if outcome.group == name]


def _ks(*sides: Sequence[TaskOutcome]) -> list[int]:
    """1 and the largest number of verdicts that some task has on every side."""
    largest = min(max((outcome.num_judged for outcome in side), default=0) for side in sides)
    return sorted({1, largest} - {0}) if largest else []


def _rates(outcomes: Sequence[TaskOutcome], k: int) -> dict[str, float]:
    rates = {outcome.task_id: outcome.pass_at(k) for outcome in outcomes}
    return {task_id: rate for task_id, rate in rates.items() if rate is not None}
