"""Judge a stored attempt again, and say whether the verdict is the same.

The code is the stored one, and the seed that named its fresh tests is derived as in the run, so
a verifier that is deterministic gives the same verdict.
"""

from collections.abc import Mapping
from typing import Any

from posttrain.core.errors import NotFoundError
from posttrain.core.rollout import Rollout
from posttrain.core.seeds import derive_seed
from posttrain.core.task import Task
from posttrain.loop.bench import Bench
from posttrain.reward.layers import RewardSpec, score
from posttrain.rollout.results import result_line
from posttrain.store.rollout_log import read_rollouts, stored_steps
from posttrain.store.run_directory import RunDirectory

__all__ = ["find_rollout", "replay"]


def find_rollout(directory: RunDirectory, name: str) -> Rollout:
    """The attempt named ``STEP/TASK_ID/INDEX``; raises ``NotFoundError`` saying what there is."""
    step_text, _, rest = name.partition("/")
    task_id, _, index_text = rest.rpartition("/")
    if not (step_text.isdecimal() and index_text.isdecimal() and task_id):
        raise NotFoundError(f"{name!r} names no rollout; give STEP/TASK_ID/INDEX, as 12/task/0")
    step = int(step_text)
    rollouts = read_rollouts(directory.rollouts, step)
    for rollout in rollouts:
        if rollout.key.task_id == task_id and rollout.key.index == int(index_text):
            return rollout
    if not rollouts:
        steps = stored_steps(directory.rollouts)
        span = f"{steps[0]} to {steps[-1]}" if steps else "none yet"
        raise NotFoundError(f"run {directory.name!r} has no rollouts of step {step}; steps: {span}")
    ids = ", ".join(sorted({rollout.key.task_id for rollout in rollouts}))
    raise NotFoundError(f"step {step} has no rollout {task_id}/{index_text}; its tasks are {ids}")


def replay(
    rollout: Rollout, tasks: Mapping[str, Task], bench: Bench, *, run_seed: int
) -> dict[str, Any]:
    """Grade the attempt's code again: both results, and ``same`` for status and test counts."""
    task = tasks.get(rollout.key.task_id)
    if task is None:
        raise NotFoundError(
            f"task {rollout.key.task_id!r} is not in the run's tasks; "
            "give the tasks file that the run used"
        )
    key, before = rollout.key, rollout.verdict
    grade_seed = derive_seed(run_seed, "grade", key.step, key.task_id, key.index)
    verdict = bench.grade(task, before.code, derive_seed(grade_seed, "try", rollout.tries))
    name = f"{key.step}/{key.task_id}/{key.index}"
    return {
        "rollout": name,
        "same": (verdict.status, verdict.tests) == (before.status, before.tests),
        "before": result_line(before, rollout.reward, solution_id=name),
        "now": result_line(verdict, score(verdict, RewardSpec()), solution_id=name),
        "code": before.code,
        "text": "".join(turn.text for turn in rollout.turns),
    }
