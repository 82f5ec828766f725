"""A training run from its directory to its report, and going on with one that was cut off.

    lock ─► rewind ─► baseline ─► ( step ─► checkpoint ─► evaluation )* ─► final ─► report

The whole order of a run is ``_run``. Killed at any point, ``resume`` ends like an unbroken run:
see ``checkpointing``. Ctrl-C and SIGTERM flush and end as ``Interrupted``.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from typing import Any

from posttrain.config.run import RunConfig
from posttrain.core.clock import Clock, SystemClock
from posttrain.core.task import Task
from posttrain.loop.calibrate import expected_run_s
from posttrain.loop.cheat import catch_cheat
from posttrain.loop.checkpointing import Position, restore, rewind, save
from posttrain.loop.headline import headline
from posttrain.loop.interrupt import Interrupted, sigterm_as_interrupt
from posttrain.loop.measure import best_temperature, evaluate_inside, measure
from posttrain.loop.parts import Parts
from posttrain.loop.step import publish, run_step
from posttrain.loop.tracks import Tracks
from posttrain.observe.report import write_report_page
from posttrain.store.event_kinds import Emit, EventKind
from posttrain.store.events import EventLog, Listener
from posttrain.store.ledger import Ledger
from posttrain.store.metrics import MetricsLog
from posttrain.store.reports import read_report, write_report
from posttrain.store.run_directory import RunDirectory
from posttrain.store.run_lock import run_lock

__all__ = ["OpenParts", "RunFiles", "drive", "resume_command"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFiles:
    """The open files of a locked run."""

    directory: RunDirectory
    ledger: Ledger
    metrics: MetricsLog
    emit: Emit


OpenParts = Callable[[RunConfig, RunFiles], AbstractContextManager[tuple[Parts, Tracks]]]
"""Makes the parts of a run and frees them."""


def drive(
    directory: RunDirectory,
    open_parts: OpenParts,
    *,
    listeners: Sequence[Listener] = (),
    clock: Clock | None = None,
) -> dict[str, Any]:
    """Start the run in ``directory`` or go on with it, up to its final report, which it returns.

    Raises ``RunBusyError`` when another process drives it and ``Interrupted`` on Ctrl-C; after
    either, and after any kill, calling it again goes on.
    """
    clock = clock or SystemClock()
    config = RunConfig.model_validate(directory.read_json("config.json"))
    with ExitStack() as stack:
        stack.enter_context(run_lock(directory.path))
        finished = read_report(directory.reports / "final.json")
        if finished is not None:
            return finished
        stack.enter_context(sigterm_as_interrupt())
        ledger = stack.enter_context(closing(Ledger(directory.ledger)))
        log = stack.enter_context(EventLog(directory.events, tuple(listeners), clock))
        position = rewind(directory, ledger)
        metrics = stack.enter_context(closing(MetricsLog(directory.metrics)))
        files = RunFiles(directory=directory, ledger=ledger, metrics=metrics, emit=log.emit)
        log.emit(EventKind.STAGE_CHANGED, stage="load", step=position.step)
        try:
            parts, tracks = stack.enter_context(open_parts(config, files))
            return _run(parts, tracks, position)
        except KeyboardInterrupt:
            ledger.commit()
            command = resume_command(directory)
            log.emit(EventKind.RUN_INTERRUPTED, step=metrics.last_step, command=command)
            raise Interrupted(command) from None


def resume_command(directory: RunDirectory) -> str:
    """What a user types to go on with the run."""
    return f"posttrain resume {directory.path}"


def _run(parts: Parts, tracks: Tracks, position: Position) -> dict[str, Any]:
    started_s = parts.clock.monotonic_s()
    restore(parts, position)
    publish(parts)
    _tell_start(parts, tracks, position)
    caught = catch_cheat(parts, tracks.target)
    temperature = best_temperature(parts, tracks)
    base = measure(parts, tracks, step=0, temperature=temperature)
    _train(parts, tracks, position)
    steps = parts.config.run.steps
    final = base
    if steps:
        final = measure(parts, tracks, step=steps, temperature=temperature, base=base)
    parts.emit(EventKind.STAGE_CHANGED, stage="report", step=steps)
    report = {
        "run": parts.directory.name,
        "path": str(parts.directory.path),
        "seed": parts.config.run.seed,
        "steps": steps,
        "base": base.own["tracks"],
        "final": final.own["tracks"],
        "headline": headline(base, final, temperature),
        "cheat": caught,
        "attempts": {state.value: n for state, n in parts.ledger.counts().items()},
        "report": str(parts.directory.path / "report.html"),
        "time/run_s": parts.clock.monotonic_s() - started_s,
    }
    write_report(parts.directory.reports / "final.json", report)
    write_report_page(parts.directory, report, _prompts(parts.pool))
    parts.emit(EventKind.RUN_FINISHED, step=steps, wall_s=report["time/run_s"], report=report)
    return report


def _prompts(tasks: Sequence[Task]) -> dict[str, str]:
    return {task.id: task.prompt[-1].content for task in tasks}


def _train(parts: Parts, tracks: Tracks, position: Position) -> None:
    steps, every = parts.config.run.steps, parts.config.checkpoint.every
    _evaluate_if_due(parts, tracks, position.step)
    for step in range(position.step + 1, steps + 1):
        run_step(parts, step, stored=step in position.stored)
        if step % every == 0 or step == steps:
            save(parts, step)
        _evaluate_if_due(parts, tracks, step)


def _evaluate_if_due(parts: Parts, tracks: Tracks, step: int) -> None:
    every = parts.config.evaluation.every
    if every and 0 < step < parts.config.run.steps and step % every == 0:
        evaluate_inside(parts, tracks, step)


def _tell_start(parts: Parts, tracks: Tracks, position: Position) -> None:
    run, algorithm = parts.config.run, parts.config.algorithm
    if position.step or position.stored or position.num_discarded:
        parts.emit(
            EventKind.RUN_RESUMED,
            run=parts.directory.name,
            step=position.step + 1,
            policy_version=parts.policy.version,
            replayed_steps=list(position.stored),
            discarded_attempts=position.num_discarded,
        )
        return
    parts.emit(EventKind.STAGE_CHANGED, stage="calibrate", step=0)
    parts.emit(
        EventKind.RUN_STARTED,
        run=parts.directory.name,
        seed=run.seed,
        steps=run.steps,
        model=parts.config.policy.model,
        policy_version=parts.policy.version,
        group_size=algorithm.group_size,
        groups_per_step=algorithm.groups_per_step,
        train_tasks=len(parts.pool),
        expected_s=expected_run_s(parts, tracks),
        command=resume_command(parts.directory),
    )
