import json

from posttrain.config.run import RunConfig
from posttrain.store.run_directory import RunDirectory


def make_run(root, name):
    RunDirectory.create(root, name, config=RunConfig().model_dump(mode="json"))


def test_runs_are_listed_by_name(cli, tmp_path):
    make_run(tmp_path / "runs", "b")
    make_run(tmp_path / "runs", "a")
    document = json.loads(cli("runs", "list", "--json").stdout)
    assert [run["name"] for run in document["runs"]] == ["a", "b"]


def test_a_run_is_a_row_of_the_table(cli, tmp_path):
    make_run(tmp_path / "runs", "first")
    shown = cli("runs", "list").stdout
    assert "first" in shown
    assert "0/30" in shown


def test_no_runs_is_no_error_and_says_how_to_start_one(cli):
    ended = cli("runs", "list")
    assert ended.returncode == 0
    assert "posttrain train examples/demo.toml" in ended.stdout


def test_one_run_is_shown_with_its_attempts(cli, tmp_path):
    make_run(tmp_path / "runs", "first")
    document = json.loads(cli("runs", "show", "runs/first", "--json").stdout)
    assert document["status"] == "new"
    assert document["final"] is None


def test_a_run_that_is_not_there_is_wrong_usage(cli):
    ended = cli("runs", "show", "runs/absent")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
