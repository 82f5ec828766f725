"""A whole run made of fakes, and what of it must be equal whatever happened on the way.

As a program, ``fake_run.py FOLDER FIRST STRIDE``, it kills runs with SIGKILL at every STRIDE-th
event from FIRST on, resumes each, and prints the events after which a run ended differently. The
driver is a fork that dies, so nothing of it is flushed.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from posttrain.config.run import RunConfig
from posttrain.core.clock import SystemClock
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.reward import LayerScore, Reward
from posttrain.core.task import Message, Source, Split, Task, Trust, VerifierSpec
from posttrain.core.verdict import Status, Validity, Verdict
from posttrain.curriculum.curriculum import Curriculum
from posttrain.curriculum.phase import Phase
from posttrain.curriculum.spec import CurriculumSpec
from posttrain.loop.bench import Bench
from posttrain.loop.parts import Parts
from posttrain.loop.tracks import Tracks
from posttrain.loop.train_run import RunFiles, drive
from posttrain.rollout.attempt import Pay
from posttrain.store.checkpoints import latest_checkpoint
from posttrain.store.events import Event, read_events
from posttrain.store.ledger import Ledger
from posttrain.store.metrics import read_metrics
from posttrain.store.rollout_log import read_rollouts, stored_steps
from posttrain.store.run_directory import RunDirectory
from posttrain.testing.training import DigestLearner, DigestPolicy
from posttrain.train.advantage import AdvantageSpec
from posttrain.train.sequences import SftSequence

STEPS = 5
CONFIG = {
    "run": {"name": "r", "steps": STEPS, "seed": 3},
    "algorithm": {"group_size": 3, "groups_per_step": 2},
    "checkpoint": {"every": 2, "keep": 1},
    "evaluation": {"every": 2, "attempts": 2, "inner_attempts": 1, "base_temperatures": [0.2]},
}
ANSWERS = ("```python\ngood\n```", "```python\nbad\n```", "none")


def _task(number: int, split: Split = Split.TRAIN) -> Task:
    return Task(
        id=f"{split.value}/{number}",
        domain="code",
        family=f"family{number % 2}",
        split=split,
        prompt=(Message(role="user", content=f"{split} {number}"),),
        verifier=VerifierSpec(type="function", entry_point="f"),
        source=Source(name="test", license="CC0-1.0"),
    )


TRAIN = [_task(number) for number in range(6)]
EVAL = [_task(number, Split.EVAL) for number in range(3)]
TRACKS = Tracks(
    target=EVAL,
    inner_target=EVAL[:2],
    selection=TRAIN[:2],
    mbpp=(),
    choices=(),
    inner_choices=(),
    prose=(),
    group_of=lambda task: "seen",
)


def grade(task: Task, code: str | None, seed: int) -> Verdict:
    lost = task.split is Split.TRAIN and (seed // 3) % 40 == 0
    status = Status.ERROR if lost else Status.PASSED if code == "good\n" else Status.FAILED
    return Verdict(
        task_id=task.id,
        status=status,
        trust=Trust.ISOLATED,
        validity=Validity.INFRA_INVALID if lost else Validity.VALID,
        exec=ExecResult(outcome=Outcome.OK),
        code=code,
    )


def _pay_in(phase: Phase) -> Pay:
    def pay(verdict: Verdict, task: Task) -> Reward:
        value = None if verdict.status is Status.ERROR else float(verdict.passed)
        layers = LayerScore(name="correct", score=value or 0, weight=1, contribution=value or 0)
        return Reward(value=value, validity=verdict.validity, layers=(layers,))

    return pay


@contextmanager
def open_fakes(config: RunConfig, files: RunFiles) -> Iterator[tuple[Parts, Tracks]]:
    yield (
        Parts(
            config=config,
            directory=files.directory,
            ledger=files.ledger,
            metrics=files.metrics,
            emit=files.emit,
            policy=DigestPolicy(ANSWERS),
            learner=DigestLearner(),
            curriculum=Curriculum(TRAIN, CurriculumSpec(), 3),
            pool=TRAIN,
            bench=Bench(grade=grade, workers=2, max_tries=1),
            pay_in=_pay_in,
            advantage=AdvantageSpec(),
            sft=[SftSequence(prompt_ids=(n,), answer_ids=(n,)) for n in range(8)],
            clock=SystemClock(),
        ),
        TRACKS,
    )


def make_run(root: Path) -> RunDirectory:
    config = RunConfig.model_validate(CONFIG).model_dump(mode="json")
    return RunDirectory.create(root, "r", config=config)


def outcome(directory: RunDirectory) -> dict[str, Any]:
    """All of a run that must be equal: everything but times and memory."""
    final = latest_checkpoint(directory.checkpoints)
    assert final is not None
    with closing(Ledger(directory.ledger)) as ledger:
        rows = ledger.rows()
    files = [path for path in sorted(final.path.rglob("*")) if path.is_file()]
    return {
        "checkpoint": {str(path.relative_to(final.path)): path.read_bytes() for path in files},
        "ledger": rows,
        "metrics": [
            {k: v for k, v in line.items() if not k.startswith("time/")}
            for line in read_metrics(directory.metrics)
        ],
        "rollouts": [
            [(r.key, r.turns, _untimed(r.verdict), r.reward) for r in rollouts]
            for rollouts in map(
                partial(read_rollouts, directory.rollouts), stored_steps(directory.rollouts)
            )
        ],
        "reports": {
            path.name: directory.read_json(f"reports/{path.name}").get("outcomes")
            for path in sorted(directory.reports.glob("*.json"))
        },
    }


def _untimed(verdict: Verdict) -> Verdict:
    bare = replace(verdict.exec, cpu_s=0.0, wall_s=0.0, peak_memory_bytes=None)
    return replace(verdict, exec=bare)


def kill_at(number: int) -> Callable[[Event], None]:
    """A listener that kills its own process at event ``number``."""

    def listener(event: Event) -> None:
        if event.seq == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return listener


def drive_in_a_fork(directory: RunDirectory, number: int) -> int:
    """Drive until event ``number`` kills the fork; the signal that ended it, 0 for none."""
    child = os.fork()
    if child == 0:
        drive(directory, open_fakes, listeners=[kill_at(number)])
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def main(folder: Path, first: int, stride: int) -> None:
    """Print each event whose kill changed how the run ended."""
    whole = make_run(folder / "whole")
    drive(whole, open_fakes)
    expected = outcome(whole)
    num_events = sum(1 for _ in read_events(whole.events))
    for number in range(first, num_events + 1, stride):
        directory = make_run(folder / str(number))
        killed = drive_in_a_fork(directory, number)
        drive(directory, open_fakes)
        if killed != signal.SIGKILL or outcome(directory) != expected:
            sys.stdout.write(f"event {number} of {num_events}: signal {killed}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
