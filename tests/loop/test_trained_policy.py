from pathlib import Path

import pytest
from fake_run import make_run

from posttrain.core.errors import NotFoundError
from posttrain.loop.trained_policy import model_of
from posttrain.store.checkpoints import save_checkpoint
from posttrain.store.run_directory import RunDirectory


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    directory = make_run(tmp_path)
    for step in (5, 10):
        save_checkpoint(directory.checkpoints, step, lambda into: (into / "learner").mkdir())
    return directory


def test_a_run_stands_for_its_last_checkpoint(run: RunDirectory) -> None:
    assert model_of(str(run.path)) == str(run.checkpoints / "step_000010" / "learner")


def test_a_run_at_a_step_stands_for_that_checkpoint(run: RunDirectory) -> None:
    assert model_of(f"{run.path}@5") == str(run.checkpoints / "step_000005" / "learner")


def test_a_step_that_was_not_kept_is_answered_with_those_that_were(run: RunDirectory) -> None:
    with pytest.raises(NotFoundError, match="no checkpoint 7; it kept: 5, 10"):
        model_of(f"{run.path}@7")


def test_a_run_without_checkpoints_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no checkpoint at all; it kept: none yet"):
        model_of(str(make_run(tmp_path).path))


@pytest.mark.parametrize("name", ["demo", "some/folder", "openai:http://host#model", "odd@name"])
def test_a_name_that_is_no_run_stays_as_it_is(name: str) -> None:
    assert model_of(name) == name
