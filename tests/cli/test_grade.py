import json
from pathlib import Path

import pytest

from posttrain.config.files import ResultLine

CHEAT = Path(__file__).resolve().parents[2] / "examples" / "cheat"
TASKS, SOLUTIONS = str(CHEAT / "tasks.jsonl"), str(CHEAT / "solutions.jsonl")


def test_an_honest_and_a_cheating_solution_are_told_apart(cli):
    ended = cli("grade", TASKS, "--solutions", SOLUTIONS, "--out", "results.jsonl", "--json")
    summary = json.loads(ended.stdout)
    assert ended.returncode == 0
    assert (summary["passed"], summary["failed"], summary["error"]) == (1, 1, 0)


def test_every_result_has_the_published_form(cli, tmp_path):
    cli("grade", TASKS, "--solutions", SOLUTIONS, "--out", "results.jsonl")
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    honest, cheat = (ResultLine.model_validate_json(line) for line in lines)
    assert (honest.solution_id, honest.status, honest.tamper) == ("honest", "passed", [])
    assert (cheat.solution_id, cheat.status, cheat.reward) == ("cheat", "failed", -1.0)


def test_the_table_names_the_act_of_tampering(cli):
    shown = cli("grade", TASKS, "--solutions", SOLUTIONS).stdout
    assert "tampering: " in shown
    assert "1 passed, 1 failed, 0 error" in shown


def test_a_broken_line_is_one_complaint_with_file_and_line(cli, tmp_path):
    (tmp_path / "broken.jsonl").write_text(Path(TASKS).read_text() + '{"id": "a", \n')
    ended = cli("grade", "broken.jsonl", "--solutions", SOLUTIONS, "--out", "results.jsonl")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "broken.jsonl:2" in ended.stderr
    assert not (tmp_path / "results.jsonl").exists()


@pytest.mark.parametrize("missing", ["tasks", "solutions"])
def test_a_missing_file_is_named(cli, missing):
    tasks = "absent.jsonl" if missing == "tasks" else TASKS
    solutions = "absent.jsonl" if missing == "solutions" else SOLUTIONS
    ended = cli("grade", tasks, "--solutions", solutions)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "absent.jsonl" in ended.stderr


def test_an_unknown_key_in_a_task_is_answered_by_the_nearest(cli, tmp_path):
    task = json.loads(Path(TASKS).read_text()) | {"promt": []}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    ended = cli("grade", "tasks.jsonl", "--solutions", SOLUTIONS)
    assert ended.returncode == 2
    assert "did you mean 'prompt'?" in ended.stderr


def test_a_solution_of_an_unknown_task_is_refused_before_anything_runs(cli, tmp_path):
    (tmp_path / "s.jsonl").write_text('{"task_id": "nope", "solution": "x = 1"}\n')
    ended = cli("grade", TASKS, "--solutions", "s.jsonl")
    assert ended.returncode == 2
    assert "'nope'" in ended.stderr


def test_a_result_file_that_cannot_be_written_is_one_line(cli):
    ended = cli("grade", TASKS, "--solutions", SOLUTIONS, "--out", f"{TASKS}/results.jsonl")
    assert ended.returncode in (2, 4)
    assert ended.stderr.count("\n") == 1
    assert "Traceback" not in ended.stderr
