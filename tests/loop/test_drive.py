"""A whole run with fakes: killed, interrupted and damaged, then compared with an unbroken one."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_run import STEPS, grade, make_run, open_fakes, outcome

from posttrain.config.run import RunConfig
from posttrain.core.errors import SandboxError
from posttrain.core.task import Split, Task
from posttrain.core.verdict import Verdict
from posttrain.loop.interrupt import Interrupted
from posttrain.loop.parts import Parts
from posttrain.loop.tracks import Tracks
from posttrain.loop.train_run import RunFiles, drive
from posttrain.store.event_kinds import EventKind
from posttrain.store.events import Event, read_events
from posttrain.store.ledger import AttemptState
from posttrain.store.run_lock import RunBusyError, run_lock


class Killed(BaseException):
    """Ends a driver in this process where nothing catches it."""


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[str]]:
    directory = make_run(tmp_path_factory.mktemp("unbroken"))
    drive(directory, open_fakes)
    return outcome(directory), [event.kind for event in read_events(directory.events)]


def _ends_after_kills(folder: Path, *, first: int, stride: int) -> str:
    """What ``fake_run.py`` has to complain about."""
    command = [sys.executable, "-m", "fake_run", str(folder), str(first), str(stride)]
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        command, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_a_run_killed_at_some_events_ends_like_an_unbroken_one(tmp_path: Path) -> None:
    assert _ends_after_kills(tmp_path, first=1, stride=17) == ""


@pytest.mark.slow
def test_a_run_killed_at_any_event_ends_like_an_unbroken_one(tmp_path: Path) -> None:
    assert _ends_after_kills(tmp_path, first=1, stride=1) == ""


def test_a_run_stopped_again_and_again_ends_like_an_unbroken_one(
    unbroken: tuple[dict[str, Any], list[str]], tmp_path: Path
) -> None:
    directory = make_run(tmp_path)

    def stop(event: Event) -> None:
        if event.seq % 45 == 0:
            raise Killed

    stops = 0
    while stops < 50:
        try:
            drive(directory, open_fakes, listeners=[stop])
            break
        except Killed:
            stops += 1
    assert outcome(directory) == unbroken[0]
    assert stops > 2


def test_every_attempt_is_trained_once_or_dropped_with_its_reason(
    unbroken: tuple[dict[str, Any], list[str]],
) -> None:
    rows = unbroken[0]["ledger"]
    assert len(rows) == STEPS * 2 * 3
    states = {row.state for row in rows}
    assert states == {AttemptState.TRAINED, AttemptState.DROPPED}
    assert all(row.trained_step == row.key.step for row in rows if row.trained_step)
    assert all("infra_invalid" in row.reason for row in rows if row.reason)


def test_stored_steps_are_trained_again_without_sampling(tmp_path: Path) -> None:
    directory = make_run(tmp_path)

    def kill(event: Event) -> None:
        if event.kind == EventKind.STEP_FINISHED and event.fields["step"] == 3:
            raise Killed

    with pytest.raises(Killed):
        drive(directory, open_fakes, listeners=[kill])
    seen: list[Event] = []
    drive(directory, open_fakes, listeners=[seen.append])
    sampled = {event.fields["step"] for event in seen if event.kind == EventKind.ANSWER_SAMPLED}
    (resumed,) = [event for event in seen if event.kind == EventKind.RUN_RESUMED]
    assert (resumed.fields["step"], resumed.fields["replayed_steps"]) == (3, [3])
    assert sampled == {4, 5}


def test_a_damaged_checkpoint_falls_back_to_the_one_before(
    unbroken: tuple[dict[str, Any], list[str]], tmp_path: Path
) -> None:
    directory = make_run(tmp_path)

    def kill(event: Event) -> None:
        if event.kind == EventKind.STEP_STARTED and event.fields["step"] == 5:
            raise Killed

    with pytest.raises(Killed):
        drive(directory, open_fakes, listeners=[kill])
    (directory.checkpoints / "step_000004" / "learner" / "digest").write_text("4 forged")
    drive(directory, open_fakes)
    assert outcome(directory) == unbroken[0]


def test_ctrl_c_flushes_and_says_how_to_go_on(
    unbroken: tuple[dict[str, Any], list[str]], tmp_path: Path
) -> None:
    directory = make_run(tmp_path)

    def press(event: Event) -> None:
        if event.kind == EventKind.ATTEMPT_JUDGED and event.fields["step"] == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted, match=f"posttrain resume {directory.path}") as caught:
        drive(directory, open_fakes, listeners=[press])
    assert caught.value.exit_code == 130
    assert list(read_events(directory.events))[-1].kind == EventKind.RUN_INTERRUPTED
    drive(directory, open_fakes)
    assert outcome(directory) == unbroken[0]


def test_sigterm_ends_a_run_as_ctrl_c_does(tmp_path: Path) -> None:
    directory = make_run(tmp_path)

    def end(event: Event) -> None:
        if event.kind == EventKind.STEP_STARTED:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Interrupted):
        drive(directory, open_fakes, listeners=[end])


def test_a_finished_run_gives_its_report_again_without_doing_anything(tmp_path: Path) -> None:
    directory = make_run(tmp_path)
    report = drive(directory, open_fakes)
    events = directory.events.read_bytes()
    assert drive(directory, open_fakes)["run"] == report["run"]
    assert directory.events.read_bytes() == events


def test_a_run_that_is_driven_cannot_be_resumed_beside(tmp_path: Path) -> None:
    directory = make_run(tmp_path)
    with run_lock(directory.path), pytest.raises(RunBusyError):
        drive(directory, open_fakes)


def test_a_step_of_which_nothing_could_be_judged_stops_the_run_and_is_redrawn(
    unbroken: tuple[dict[str, Any], list[str]], tmp_path: Path
) -> None:
    directory = make_run(tmp_path)

    @contextmanager
    def open_broken(config: RunConfig, files: RunFiles) -> Iterator[tuple[Parts, Tracks]]:
        with open_fakes(config, files) as (parts, tracks):
            yield replace(parts, bench=replace(parts.bench, grade=_no_verdict)), tracks

    with pytest.raises(SandboxError, match=r"none of the 6 attempts of step 1 .* the wall is down"):
        drive(directory, open_broken)
    drive(directory, open_fakes)
    assert outcome(directory)["ledger"] == unbroken[0]["ledger"]


def _no_verdict(task: Task, code: str | None, seed: int) -> Verdict:
    if task.split is Split.TRAIN:
        raise SandboxError("the wall is down")
    return grade(task, code, seed)


def test_nan_metrics_are_null_in_the_file_and_in_the_event(
    unbroken: tuple[dict[str, Any], list[str]],
) -> None:
    assert [line["entropy"] for line in unbroken[0]["metrics"]] == [None] * STEPS
