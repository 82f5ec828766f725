"""One step of training, from the draw of its tasks to its line of metrics.

    draw ─► plan ─► sample ∥ judge ─► store ─► advantages ─► update ─► publish ─► record
            ledger                    ledger                                      ledger

Every arrow into the ledger is committed before the next stage starts. A step whose attempts are
all stored already (its update was lost with a killed driver) enters at the advantages.
"""

from collections.abc import Mapping, Sequence

from posttrain.core.errors import PolicyError, SandboxError
from posttrain.core.rollout import AttemptKey, Group, Rollout
from posttrain.core.seeds import derive_rng
from posttrain.core.verdict import Status
from posttrain.curriculum.outcome import GroupOutcome
from posttrain.loop.batch import advantages_by_key, form_groups, rl_sequences
from posttrain.loop.bench import Collected, Sampling, collect, plan_jobs
from posttrain.loop.parts import Parts
from posttrain.loop.step_events import StepWatch, tell_phase, tell_start
from posttrain.loop.step_metrics import rollout_metrics
from posttrain.policy.protocol import SamplingParams
from posttrain.store.event_kinds import EventKind
from posttrain.store.rollout_log import read_rollouts, write_rollouts
from posttrain.train.sequences import SftSequence

__all__ = ["policy_sampling", "publish", "run_step"]


def run_step(parts: Parts, step: int, *, stored: bool = False) -> None:
    """Do ``step``; ``stored`` trains on the attempts of the rollouts file without sampling."""
    started_s = parts.clock.monotonic_s()
    phase = parts.curriculum.phase
    if stored:
        collected = Collected(
            rollouts=read_rollouts(parts.directory.rollouts, step), sampling_s=0.0, waiting_s=0.0
        )
    else:
        collected = _sample_step(parts, step)
    groups = form_groups(collected.rollouts, parts.config.algorithm.group_size)
    parts.emit(EventKind.STAGE_CHANGED, stage="train", step=step)
    train_started_s = parts.clock.monotonic_s()
    trained = _update(parts, step, groups)
    publish(parts)
    ended_s = parts.clock.monotonic_s()
    parts.curriculum.observe(step, _outcomes(groups))
    metrics = {
        **rollout_metrics(groups),
        **trained,
        **parts.curriculum.metrics(),
        "policy_version": parts.learner.version,
        "time/rollout_s": collected.sampling_s,
        "time/verify_s": sum(r.timings_s.get("verify", 0.0) for r in collected.rollouts),
        "time/wait_s": collected.waiting_s,
        "time/train_s": ended_s - train_started_s,
    }
    parts.metrics.append(step, metrics)
    wall_s = ended_s - started_s
    parts.emit(
        EventKind.STEP_FINISHED,
        step=step,
        policy_version=parts.learner.version,
        metrics=_plain(metrics),
        wall_s=wall_s,
        eta_s=wall_s * (parts.config.run.steps - step),
    )
    tell_phase(parts, step, phase.name)


def policy_sampling(parts: Parts, temperature: float | None = None) -> Sampling:
    """How the run's policy is asked, at its own or another temperature."""
    policy = parts.config.policy
    chosen = policy.temperature if temperature is None else temperature
    return Sampling(
        params=SamplingParams(
            temperature=chosen, max_tokens=policy.max_tokens, stop=tuple(policy.stop)
        ),
        prefill=policy.prefill,
    )


def publish(parts: Parts) -> None:
    """Give the learner's weights to the sampler; raises ``PolicyError`` unless it says so."""
    version = parts.learner.version
    parts.policy.load_weights(parts.learner.weights(), version)
    if parts.policy.version != version:
        raise PolicyError(
            f"policy {parts.policy.name!r} answers with version {parts.policy.version} after "
            f"version {version} was published; nothing may be sampled from it"
        )


def _sample_step(parts: Parts, step: int) -> Collected:
    algorithm, run = parts.config.algorithm, parts.config.run
    tasks = parts.curriculum.draw(step, algorithm.groups_per_step)
    jobs = plan_jobs(
        tasks, run=parts.directory.name, step=step, attempts=algorithm.group_size, seed=run.seed
    )
    keys = [job.key for job in jobs]
    parts.ledger.plan(keys)
    tell_start(parts, step, len(tasks), len(jobs))
    parts.ledger.mark_leased(keys)
    collected = collect(
        jobs,
        policy=parts.policy,
        sampling=policy_sampling(parts),
        bench=parts.bench,
        pay=parts.pay_in(parts.curriculum.phase),
        watch=StepWatch(parts=parts, step=step, num_attempts=len(jobs)),
        clock=parts.clock,
    )
    parts.ledger.commit()
    _require_verdicts(step, collected.rollouts)
    write_rollouts(parts.directory.rollouts, step, collected.rollouts)
    _settle(parts, step, collected.rollouts)
    return collected


def _require_verdicts(step: int, rollouts: Sequence[Rollout]) -> None:
    """Stop where the sandbox judges nothing at all: the batch is redrawn by ``resume``."""
    lost = [rollout for rollout in rollouts if rollout.verdict.status is Status.ERROR]
    if lost and len(lost) == len(rollouts):
        raise SandboxError(
            f"none of the {len(lost)} attempts of step {step} could be judged "
            f"({_reason(lost[0])}); see `posttrain doctor`, then go on with `posttrain resume`"
        )


def _settle(parts: Parts, step: int, rollouts: Sequence[Rollout]) -> None:
    for rollout in rollouts:
        if rollout.verdict.status is Status.ERROR:
            reason = _reason(rollout)
            parts.ledger.mark_dropped(rollout.key, reason, tries=rollout.tries)
            parts.emit(
                EventKind.ATTEMPT_DROPPED,
                step=step,
                task_id=rollout.key.task_id,
                index=rollout.key.index,
                reason=reason,
            )
        else:
            parts.ledger.mark_judged(rollout.key, tries=rollout.tries)
    parts.ledger.commit()


def _reason(rollout: Rollout) -> str:
    failure = rollout.verdict.failure
    detail = f": {failure.detail}" if failure else ""
    return f"{rollout.reward.validity.value} after {rollout.tries} tries{detail}"


def _update(parts: Parts, step: int, groups: Sequence[Group]) -> dict[str, float | int | None]:
    advantages = advantages_by_key(groups, parts.advantage)
    batch = rl_sequences(groups, advantages)
    metrics: Mapping[str, float | None] = {}
    for _ in range(parts.config.algorithm.updates_per_step):
        metrics = parts.learner.update(batch, _sft_batch(parts, step))
    parts.ledger.mark_trained(_trained_keys(advantages), step)
    parts.ledger.commit()
    return dict(metrics)


def _trained_keys(advantages: Mapping[AttemptKey, float | None]) -> list[AttemptKey]:
    return sorted(key for key, advantage in advantages.items() if advantage is not None)


def _sft_batch(parts: Parts, step: int) -> list[SftSequence]:
    wanted = min(parts.config.sft.sequences_per_step, len(parts.sft))
    rng = derive_rng(parts.config.run.seed, "sft", step)
    return [parts.sft[place] for place in sorted(rng.sample(range(len(parts.sft)), wanted))]


def _outcomes(groups: Sequence[Group]) -> list[GroupOutcome]:
    return [
        GroupOutcome(task_id=group.task_id, passes=group.passes, judged=len(group.judged))
        for group in groups
    ]


def _plain(metrics: Mapping[str, float | int | None]) -> dict[str, float | int | None]:
    """NaN as None, as ``metrics.jsonl`` has it."""
    return {name: None if value != value else value for name, value in metrics.items()}
