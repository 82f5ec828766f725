from pathlib import Path

import pytest

from posttrain.core.errors import StoreError
from posttrain.store.checkpoints import latest_checkpoint, list_checkpoints, prune, save_checkpoint


def _save(folder: Path, step: int) -> Path:
    return save_checkpoint(folder, step, lambda into: _fill(into, step)).path


def _fill(into: Path, step: int) -> None:
    (into / "learner").mkdir()
    (into / "learner" / "weights").write_bytes(bytes([step]) * 1000)
    (into / "state.json").write_text("{}")


def test_the_latest_checkpoint_is_the_one_of_the_highest_step(tmp_path: Path) -> None:
    _save(tmp_path, 10)
    _save(tmp_path, 5)
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert (found.step, found.path.name) == (10, "step_000010")


@pytest.mark.parametrize("damage", ["changed", "missing", "added", "no manifest"])
def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path, damage: str) -> None:
    _save(tmp_path, 1)
    path = _save(tmp_path, 2)
    if damage == "changed":
        (path / "learner" / "weights").write_bytes(b"other")
    elif damage == "missing":
        (path / "state.json").unlink()
    elif damage == "added":
        (path / "extra").touch()
    else:
        (path / "manifest.json").unlink()
    found = latest_checkpoint(tmp_path)
    assert found is not None and found.step == 1


def test_a_failed_save_leaves_the_older_one_and_no_rest(tmp_path: Path) -> None:
    _save(tmp_path, 1)

    def fail(into: Path) -> None:
        (into / "half").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match="the disk is full"):
        save_checkpoint(tmp_path, 2, fail)
    assert [path.name for path in tmp_path.iterdir()] == ["step_000001"]


def test_pruning_keeps_the_last_ones_and_removes_unfinished_ones(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        _save(tmp_path, step)
    (tmp_path / ".step_000004.tmp").mkdir()
    prune(tmp_path, keep=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step_000002", "step_000003"]
    assert [checkpoint.step for checkpoint in list_checkpoints(tmp_path)] == [2, 3]


def test_a_run_without_checkpoints_has_no_latest(tmp_path: Path) -> None:
    assert latest_checkpoint(tmp_path / "absent") is None
