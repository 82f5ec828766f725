"""kill -9 of real processes that train a tiny model, then resume: equal weights, equal records."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_run import outcome

from posttrain.core.task import Limits, Message, Source, Split, Task, VerifierSpec
from posttrain.policy.model_store import tiny_model
from posttrain.store.ledger import AttemptState
from posttrain.store.run_directory import RunDirectory
from posttrain.tasks.format import write_tasks

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

RUN_FILE = """
[run]
name = "tiny"
root = "{root}"
seed = 5
steps = 4
[policy]
model = "{model}"
temperature = 1.0
max_tokens = 40
dtype = "float32"
workers = 1
prefill = "```python\\ndef same(x):\\n    return x #"
[tasks]
source = ["{tasks}"]
[sandbox]
backend = "process"
unsafe = true
workers = 2
[algorithm]
group_size = 4
groups_per_step = 2
[optimizer]
learning_rate = 1e-3
[sft]
prompts = 3
sequences_per_step = 2
max_tokens = 8
[evaluation]
every = 2
tasks = 2
attempts = 2
inner_attempts = 1
base_temperatures = [0.5]
regression_items = 4
inner_regression_items = 2
prose_chunks = 0
report_mbpp = 0
[checkpoint]
every = 2
keep = 1
"""


def _tasks() -> list[Task]:
    return [
        Task(
            id=f"same/{number}",
            domain="code",
            family="same",
            split=Split.EVAL if number < 2 else Split.TRAIN,
            prompt=(Message(role="user", content=f"Return x, {number}"),),
            verifier=VerifierSpec(
                type="function", entry_point="same", hidden=({"args": [1], "expect": 1},)
            ),
            reference="def same(x):\n    return x\n",
            limits=Limits(wall_s=6, cpu_s=2),
            source=Source(name="test", license="CC0-1.0"),
        )
        for number in range(6)
    ]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("parts")
    write_tasks(folder / "tasks.jsonl", _tasks())
    return {"model": tiny_model(folder / "model", seed=1), "tasks": folder / "tasks.jsonl"}


def _start(folder: Path, parts: dict[str, Any]) -> Path:
    run_file = folder / "run.toml"
    run_file.write_text(RUN_FILE.format(root=folder, **parts))
    return run_file


def _drive(run_file: Path, kind: str = "none", step: int = 0, delay_s: float = 0.0) -> int:
    script = Path(__file__).parent / "killed_run.py"
    command = [sys.executable, str(script), str(run_file), kind, str(step), str(delay_s)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def _result(folder: Path) -> dict[str, Any]:
    return outcome(RunDirectory.open(folder / "tiny"))


@pytest.fixture(scope="module")
def unbroken(parts: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("unbroken")
    assert _drive(_start(folder, parts)) == 0
    return _result(folder)


@pytest.mark.parametrize(
    ("kind", "step", "delay_s"),
    [
        pytest.param("answer_sampled", 3, 0.0, id="sampling"),
        pytest.param("attempt_judged", 3, 0.0, id="grading"),
        pytest.param("stage_changed:train", 3, 0.05, id="update"),
        pytest.param("step_finished", 3, 0.0, id="after the update"),
        pytest.param("stage_changed:checkpoint", 4, 0.01, id="checkpoint"),
        pytest.param("eval_started", 2, 0.0, id="evaluation"),
    ],
)
def test_a_killed_run_ends_bit_for_bit_like_an_unbroken_one(
    kind: str,
    step: int,
    delay_s: float,
    parts: dict[str, Any],
    unbroken: dict[str, Any],
    tmp_path: Path,
) -> None:
    run_file = _start(tmp_path, parts)
    assert _drive(run_file, kind, step, delay_s) == -signal.SIGKILL
    assert _drive(run_file) == 0
    assert _result(tmp_path) == unbroken


def test_every_attempt_is_trained_exactly_once(unbroken: dict[str, Any]) -> None:
    rows = unbroken["ledger"]
    assert len(rows) == len({row.key for row in rows}) == 4 * 2 * 4
    assert {row.state for row in rows} == {AttemptState.TRAINED}


def test_the_tiny_run_has_rewards_to_learn_from(unbroken: dict[str, Any]) -> None:
    values = {reward.value for step in unbroken["rollouts"] for *_, reward in step}
    assert len(values) > 1
    assert all(line["grad_norm"] > 0 and line["skipped"] == 0 for line in unbroken["metrics"])
