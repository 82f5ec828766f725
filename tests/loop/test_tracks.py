from pathlib import Path

import pytest

from posttrain.config.run import RunConfig
from posttrain.core.errors import ConfigError
from posttrain.core.task import Split
from posttrain.loop.sft_data import without_regression
from posttrain.loop.tracks import build_tracks, spread_over_families, training_pool
from posttrain.tasks.basics import UNSEEN
from posttrain.tasks.format import write_tasks

SMALL = {
    "tasks": {"per_family": 2},
    "evaluation": {"final_per_family": 2, "tasks": 10, "regression_items": 7, "report_mbpp": 3},
}


def _config(**sections: object) -> RunConfig:
    return RunConfig.model_validate({**SMALL, **sections})


def test_no_target_task_is_a_training_or_a_selection_task() -> None:
    config = _config()
    tracks = build_tracks(config)
    prompts = {task.prompt for task in [*training_pool(config), *tracks.selection]}
    assert not prompts & {task.prompt for task in tracks.target}
    assert {task.split for task in tracks.target} == {Split.EVAL}


def test_unseen_families_are_measured_apart_and_never_trained_on() -> None:
    config = _config()
    tracks = build_tracks(config)
    assert {tracks.group_of(task) for task in tracks.target} == {"seen", "unseen"}
    trained = {task.family for task in [*training_pool(config), *tracks.selection]}
    assert not trained & set(UNSEEN)


def test_equal_seeds_give_equal_tracks_and_other_seeds_others() -> None:
    first, again = build_tracks(_config()), build_tracks(_config())
    other = build_tracks(_config(run={"seed": 2}))
    assert (first.target, first.choices, first.mbpp) == (again.target, again.choices, again.mbpp)
    assert first.choices != other.choices


def test_the_evaluation_inside_the_run_touches_every_family_it_can() -> None:
    easy = {"max_difficulty": 0.95}
    tracks = build_tracks(_config(tasks=easy, evaluation={"final_per_family": 3, "tasks": 60}))
    families = {task.family for task in tracks.target}
    assert {task.family for task in tracks.inner_target} == families
    assert spread_over_families(tracks.target, 5) == list(tracks.inner_target[:5])


def test_a_file_without_training_tasks_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_tasks(path, build_tracks(_config()).target)
    with pytest.raises(ConfigError, match="no task of split 'train'"):
        training_pool(_config(tasks={"source": [str(path)]}))


def test_prompts_that_the_regression_track_asks_are_left_out() -> None:
    prompts = ["What is  water?", "Name a river."]
    assert without_regression(prompts, ["what is water?"]) == ["Name a river."]
