"""A whole run from the command line: two steps of a tiny model, then a look at what it left."""

import json
from pathlib import Path

import pytest

from posttrain.config.files import EvalReport, MetricsLine, RolloutLine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

RUN_FILE = """
[run]
name = "tiny"
steps = 2
[policy]
model = "model"
max_tokens = 8
[tasks]
per_family = 1
families = ["affine", "ranked_key"]
[algorithm]
group_size = 2
groups_per_step = 2
[sft]
prompts = 2
max_tokens = 4
[evaluation]
every = 1
tasks = 2
final_per_family = 1
attempts = 1
inner_attempts = 1
base_temperatures = []
regression_items = 4
inner_regression_items = 2
prose_chunks = 0
report_mbpp = 0
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a finished run, and what ``train --json`` printed."""
    import subprocess
    import sys

    from posttrain.policy.model_store import tiny_model

    folder = tmp_path_factory.mktemp("whole")
    tiny_model(folder / "model", 0)
    (folder / "run.toml").write_text(RUN_FILE)
    command = [sys.executable, "-m", "posttrain", "train", "run.toml", "--json", "-q"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder, json.loads(ended.stdout)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_the_document_names_the_run_its_steps_and_both_tracks(finished):
    _, document = finished
    assert (document["run"], document["steps"]) == ("tiny", 2)
    assert {"target", "regression"} <= set(document["base"])
    assert "pass@1" in document["final"]["target"]


def test_every_step_left_metrics_of_the_published_form(finished):
    folder, _ = finished
    found = [MetricsLine.model_validate_json(x) for x in lines(folder / "runs/tiny/metrics.jsonl")]
    assert [one.step for one in found] == [1, 2]


def test_every_attempt_left_a_rollout_of_the_published_form(finished):
    folder, _ = finished
    found = [x for path in folder.glob("runs/tiny/rollouts/*.jsonl") for x in lines(path)]
    assert len([RolloutLine.model_validate_json(line) for line in found]) == 8


def test_every_evaluation_left_a_report_of_the_published_form(finished):
    folder, _ = finished
    paths = sorted(folder.glob("runs/tiny/reports/eval_*.json"))
    steps = [EvalReport.model_validate_json(path.read_text()).step for path in paths]
    assert steps == [0, 1, 2]


def test_the_report_page_is_one_file_without_addresses(finished):
    folder, _ = finished
    page = (folder / "runs/tiny/report.html").read_text()
    assert "<svg" in page
    assert "src=" not in page


def test_resuming_a_finished_run_gives_its_document_again(finished, cli):
    folder, document = finished
    again = json.loads(cli("resume", "runs/tiny", "--json", "-q", cwd=folder).stdout)
    assert again == document


def test_a_name_that_is_taken_is_refused_and_nothing_is_overwritten(finished, cli):
    folder, _ = finished
    ended = cli("train", "run.toml", cwd=folder)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "posttrain resume runs/tiny" in ended.stderr


def test_a_stored_rollout_is_judged_again_alike(finished, cli):
    folder, _ = finished
    first = json.loads(lines(folder / "runs/tiny/rollouts/step_000001.jsonl")[0])
    name = f"{first['step']}/{first['task_id']}/{first['index']}"
    ended = cli("replay", "runs/tiny", name, "--json", cwd=folder)
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["same"] is True


def test_the_run_is_listed_as_finished(finished, cli):
    folder, _ = finished
    assert "finished" in cli("runs", "list", cwd=folder).stdout


def test_a_checkpoint_of_the_run_is_a_policy(finished, cli):
    folder, _ = finished
    flags = ["-n", "1", "-g", "1", "--max-tokens", "4", "--json"]
    ended = cli("rollout", "basics", "--policy", "runs/tiny@2", *flags, cwd=folder)
    assert json.loads(ended.stdout)["attempts"] == 1


def test_a_step_without_a_checkpoint_is_answered_by_those_that_have_one(finished, cli):
    folder, _ = finished
    ended = cli("rollout", "basics", "--policy", "runs/tiny@7", cwd=folder)
    assert ended.returncode == 2
    assert "steps: 2" in ended.stderr
