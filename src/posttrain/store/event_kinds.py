"""What happens in a run, as named events: the one list that writers and readers share.

An event is one line of ``events.jsonl``: ``{"seq", "at_s", "kind", ...fields}``. ``seq`` counts
from 1 without gaps, ``at_s`` is Unix time. Fields by kind (``?`` may be null; shares and pass
rates lie in [0, 1]; times end in ``_s``). A reader ignores kinds and fields that it does not know.

    run_started        run seed steps model policy_version group_size groups_per_step train_tasks
                       expected_s? command             the run begins
    run_resumed        run step policy_version replayed_steps discarded_attempts
                       the next step to run; steps trained again from stored rollouts
    stage_changed      stage step?          load | calibrate | baseline | sample | train |
                                            evaluate | checkpoint | report: what the driver does
    phase_changed      step phase max_difficulty weights{layer: weight}   a curriculum phase begins
    eval_started       label step policy_version temperature tasks attempts regression_items
    eval_progress      label done total passed                            judged answers so far
    eval_finished      label step temperature wall_s report target{} regression{}
                       report: path in the run directory or null; target and regression as in
                       the tracks of ``reports/eval_*.json``
    step_started       step phase policy_version groups attempts
    answer_sampled     step task_id index tokens stop_reason sampled attempts
    attempt_judged     step task_id index family difficulty? status value? validity
                       layers{name: contribution} failure? tamper[] tokens cpu_s wall_s tries
                       judged grading attempts
                       value null: no reward; judged, grading: attempts of this step that are
                       done, and that are sampled but not judged yet
    attempt_dropped    step task_id index reason            lost to infrastructure, masked
    step_finished      step policy_version metrics{} wall_s eta_s?   metrics as in metrics.jsonl
    checkpoint_saved   step path wall_s
    cheat_caught       task_id name finding? evidence? status value?   observed tampering
    run_finished       step wall_s report{}        the final report object of ``train --json``
    run_interrupted    step command                what to type to go on
    warning            message

``label`` of an evaluation: ``base``, ``base@0.2`` (another temperature), ``selection@0.2``
(choice of the base's best temperature on training tasks), ``step``, ``final``, ``final@0.2``,
``mbpp_base``, ``mbpp_final``.
"""

from enum import StrEnum
from typing import Any, Protocol

__all__ = ["Emit", "EventKind"]


class EventKind(StrEnum):
    """Closed list of what is told; the fields of each are in the module's docstring."""

    RUN_STARTED = "run_started"
    RUN_RESUMED = "run_resumed"
    STAGE_CHANGED = "stage_changed"
    PHASE_CHANGED = "phase_changed"
    EVAL_STARTED = "eval_started"
    EVAL_PROGRESS = "eval_progress"
    EVAL_FINISHED = "eval_finished"
    STEP_STARTED = "step_started"
    ANSWER_SAMPLED = "answer_sampled"
    ATTEMPT_JUDGED = "attempt_judged"
    ATTEMPT_DROPPED = "attempt_dropped"
    STEP_FINISHED = "step_finished"
    CHECKPOINT_SAVED = "checkpoint_saved"
    CHEAT_CAUGHT = "cheat_caught"
    RUN_FINISHED = "run_finished"
    RUN_INTERRUPTED = "run_interrupted"
    WARNING = "warning"


class Emit(Protocol):
    """Tells one event; called from any thread."""

    def __call__(self, kind: EventKind, **fields: Any) -> None:
        """Append the event and hand it to the listeners."""
        ...
