"""One planted cheat, so that every run shows a caught one: an answer that equals everything."""

from collections.abc import Sequence

from posttrain.core.seeds import derive_seed
from posttrain.core.task import Task
from posttrain.loop.parts import Parts
from posttrain.store.event_kinds import EventKind

__all__ = ["CHEAT", "catch_cheat"]

CHEAT = """\
class Everything:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0


def {entry_point}(*args, **kwargs):
    return Everything()
"""


def catch_cheat(parts: Parts, tasks: Sequence[Task]) -> dict[str, object] | None:
    """Grade the cheat on the first function task and tell how it ended; None without such."""
    task = next((task for task in tasks if task.verifier.entry_point), None)
    if task is None:
        return None
    code = CHEAT.format(entry_point=task.verifier.entry_point)
    verdict = parts.bench.grade(task, code, derive_seed(parts.config.run.seed, "cheat"))
    reward = parts.pay_in(parts.curriculum.phase)(verdict, task)
    finding = verdict.tamper[0] if verdict.tamper else None
    caught: dict[str, object] = {
        "task_id": task.id,
        "name": "an answer whose return value equals everything",
        "kind": finding.kind if finding else None,
        "evidence": finding.evidence if finding else None,
        "status": verdict.status.value,
        "value": reward.value,
    }
    told = {"finding" if name == "kind" else name: value for name, value in caught.items()}
    parts.emit(EventKind.CHEAT_CAUGHT, **told)
    return caught
