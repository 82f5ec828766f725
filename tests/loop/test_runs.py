import itertools
from pathlib import Path

import pytest
from fake_run import STEPS, TRAIN, grade, make_run, open_fakes

from posttrain.core.errors import NotFoundError
from posttrain.loop.bench import Bench
from posttrain.loop.replay_run import find_rollout, replay
from posttrain.loop.runs import list_runs, show_run
from posttrain.loop.train_run import drive
from posttrain.store.events import Event
from posttrain.store.rollout_log import read_rollouts
from posttrain.store.run_directory import RunDirectory


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    directory = make_run(tmp_path_factory.mktemp("runs"))
    drive(directory, open_fakes)
    return directory


def test_a_finished_run_is_listed_with_what_it_reached(finished: RunDirectory) -> None:
    (row,) = list_runs(finished.path.parent)
    assert (row["name"], row["status"], row["steps_done"]) == ("r", "finished", STEPS)
    assert 0 <= row["pass_rate"] <= 1


def test_a_run_in_full_shows_attempts_checkpoints_and_reports(finished: RunDirectory) -> None:
    shown = show_run(finished.path)
    assert sum(shown["attempts"].values()) == STEPS * 6
    assert shown["checkpoints"] == [4, 5]
    assert {"eval_000000.json", "eval_000005.json", "final.json"} <= set(shown["reports"])
    assert shown["final"]["headline"]["target"]["trained_minus_base"]["pass@1"]["n"] == 3


def test_a_damaged_run_is_named_beside_the_others(finished: RunDirectory, tmp_path: Path) -> None:
    make_run(tmp_path)
    (tmp_path / "r" / "config.json").write_text("{")
    (row,) = list_runs(tmp_path)
    assert row["status"] == "damaged" and "config.json" in row["reason"]


def test_a_run_that_stopped_without_a_word_is_open(tmp_path: Path) -> None:
    directory = make_run(tmp_path)

    def stop(event: Event) -> None:
        if event.seq == 40:
            raise GeneratorExit

    with pytest.raises(GeneratorExit):
        drive(directory, open_fakes, listeners=[stop])
    assert list_runs(tmp_path)[0]["status"] == "open"


def test_a_stored_rollout_judged_again_has_the_same_verdict(finished: RunDirectory) -> None:
    stored = itertools.chain(*(read_rollouts(finished.rollouts, s) for s in range(1, STEPS + 1)))
    tasks = {task.id: task for task in TRAIN}
    for rollout in stored:
        name = f"{rollout.key.step}/{rollout.key.task_id}/{rollout.key.index}"
        assert find_rollout(finished, name) == rollout
        again = replay(rollout, tasks, Bench(grade=grade), run_seed=3)
        assert again["same"], name


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("1/train/0", "step 1 has no rollout train/0; its tasks are train/"),
        ("99/train/0/0", "no rollouts of step 99; steps: 1 to 5"),
        ("nonsense", "give STEP/TASK_ID/INDEX"),
    ],
)
def test_a_rollout_that_is_not_there_is_answered_with_what_is(
    finished: RunDirectory, name: str, complaint: str
) -> None:
    with pytest.raises(NotFoundError, match=complaint):
        find_rollout(finished, name)
