import json
from pathlib import Path

TASKS = str(Path(__file__).resolve().parents[2] / "examples" / "cheat" / "tasks.jsonl")


def test_tasks_are_listed_one_a_line(cli):
    assert "example/smallest-missing" in cli("tasks", "list", TASKS).stdout


def test_the_built_in_set_is_counted_by_split_and_family(cli):
    counts = json.loads(cli("tasks", "stats", "basics", "--per-family", "1", "--json").stdout)
    assert set(counts["by_split"]) == {"train", "eval"}
    assert len(counts["by_family"]) >= 24


def test_a_task_is_shown_with_its_prompt_and_tests(cli):
    shown = cli("tasks", "show", "example/smallest-missing", "--tasks", TASKS).stdout
    assert "smallest positive integer" in shown
    assert "hidden tests: 3" in shown


def test_a_task_is_shown_as_the_line_that_it_is(cli):
    ended = cli("tasks", "show", "example/smallest-missing", "--tasks", TASKS, "--json")
    assert json.loads(ended.stdout)["verifier"]["entry_point"] == "smallest_missing"


def test_an_unknown_task_is_answered_by_the_nearest(cli):
    ended = cli("tasks", "show", "example/smalest-missing", "--tasks", TASKS)
    assert ended.returncode == 2
    assert "did you mean 'example/smallest-missing'?" in ended.stderr


def test_an_unknown_format_is_answered_by_what_is_known(cli, tmp_path):
    (tmp_path / "a.jsonl").write_text("{}\n")
    ended = cli("tasks", "import", "humanevall", "a.jsonl", "--out", "b.jsonl")
    assert ended.returncode == 2
    assert "humaneval" in ended.stderr


def test_a_broken_source_is_one_complaint_and_writes_nothing(cli, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"task_id": \n')
    ended = cli("tasks", "import", "humaneval", "a.jsonl", "--out", "b.jsonl")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "a.jsonl" in ended.stderr
    assert not (tmp_path / "b.jsonl").exists()
