import json
import shutil
import subprocess
import sys

import pytest

DISK_BYTES = 32768


def test_a_missing_run_file_is_named(cli):
    ended = cli("train", "absent.toml")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "'absent.toml' does not exist" in ended.stderr


def test_an_unknown_key_in_the_run_file_is_answered_by_the_nearest(cli, tmp_path):
    (tmp_path / "run.toml").write_text("[algorithm]\ngroup_sise = 4\n")
    ended = cli("train", "run.toml")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "run.toml: unknown key 'algorithm.group_sise'; did you mean" in ended.stderr


def test_a_dry_run_prints_what_would_be_run_and_makes_nothing(cli, tmp_path):
    ended = cli("train", "--dry-run", "--set", "run.steps=3")
    assert json.loads(ended.stdout)["run"]["steps"] == 3
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_model_folder_is_one_line_and_makes_no_run(cli, tmp_path):
    ended = cli("train", "--set", "policy.model=./no-such-model")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "no-such-model" in ended.stderr
    assert list(tmp_path.glob("runs/*")) == []


@pytest.mark.parametrize("verb", ["resume", "replay"])
def test_a_run_that_is_not_there_is_named(cli, verb):
    more = ["1/task/0"] if verb == "replay" else []
    ended = cli(verb, "runs/absent", *more)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "runs/absent" in ended.stderr


@pytest.mark.slow
def test_a_full_disk_for_the_run_is_one_line_and_exit_4(tmp_path):
    from posttrain.policy.model_store import tiny_model

    tiny_model(tmp_path / "model", 0)
    (tmp_path / "full").mkdir()
    small_disk = ["--size", str(DISK_BYTES), "--tmpfs", str(tmp_path / "full")]
    ended = subprocess.run(
        [
            *[shutil.which("bwrap"), "--dev-bind", "/", "/", *small_disk],
            *[sys.executable, "-m", "posttrain", "train", "-q"],
            *["--set", f"run.root={tmp_path}/full", "--set", f"policy.model={tmp_path}/model"],
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 4, ended.stderr
    assert ended.stderr.count("\n") == 1
    assert "full" in ended.stderr
