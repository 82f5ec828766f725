"""What one step tells while it runs: the ledger and the event log follow each answer."""

from dataclasses import dataclass

from posttrain.core.rollout import Rollout, Turn
from posttrain.loop.bench import Job
from posttrain.loop.parts import Parts
from posttrain.store.event_kinds import EventKind

__all__ = ["StepWatch", "tell_phase", "tell_start"]


def tell_start(parts: Parts, step: int, num_groups: int, num_attempts: int) -> None:
    """The step's tasks are drawn and its attempts are in the ledger."""
    parts.emit(
        EventKind.STEP_STARTED,
        step=step,
        phase=parts.curriculum.phase.name,
        policy_version=parts.policy.version,
        groups=num_groups,
        attempts=num_attempts,
    )
    parts.emit(EventKind.STAGE_CHANGED, stage="sample", step=step)


def tell_phase(parts: Parts, step: int, before: str) -> None:
    """Say so when the curriculum left the phase called ``before``."""
    phase = parts.curriculum.phase
    if phase.name != before:
        parts.emit(
            EventKind.PHASE_CHANGED,
            step=step + 1,
            phase=phase.name,
            max_difficulty=phase.max_difficulty,
            weights=phase.weights,
        )


@dataclass(kw_only=True, slots=True)
class StepWatch:
    """Ledger and log follow the batch."""

    parts: Parts
    step: int
    num_attempts: int
    num_sampled: int = 0
    num_judged: int = 0

    def sampled(self, job: Job, turn: Turn) -> None:
        """Mark the attempt as generated."""
        self.num_sampled += 1
        self.parts.ledger.mark_generated(job.key)
        self.parts.emit(
            EventKind.ANSWER_SAMPLED,
            step=self.step,
            task_id=job.key.task_id,
            index=job.key.index,
            tokens=len(turn.token_ids),
            stop_reason=turn.stop_reason,
            sampled=self.num_sampled,
            attempts=self.num_attempts,
        )

    def judged(self, rollout: Rollout, num_grading: int) -> None:
        """Tell the verdict and what it pays."""
        self.num_judged += 1
        verdict, reward = rollout.verdict, rollout.reward
        self.parts.emit(
            EventKind.ATTEMPT_JUDGED,
            step=self.step,
            task_id=rollout.key.task_id,
            index=rollout.key.index,
            family=rollout.family,
            difficulty=rollout.difficulty,
            status=verdict.status,
            value=reward.value,
            validity=reward.validity,
            layers={layer.name: layer.contribution for layer in reward.layers},
            failure=verdict.failure and verdict.failure.kind,
            tamper=[finding.kind for finding in verdict.tamper],
            tokens=sum(len(turn.token_ids) for turn in rollout.turns),
            cpu_s=verdict.exec.cpu_s,
            wall_s=verdict.exec.wall_s,
            tries=rollout.tries,
            judged=self.num_judged,
            grading=num_grading,
            attempts=self.num_attempts,
        )
