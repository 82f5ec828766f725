import os
from pathlib import Path

import pytest

from posttrain.core.errors import ConfigError, StoreError
from posttrain.store.disk import replacing


def test_an_output_that_fails_midway_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text("old")

    def fail_midway() -> None:
        with replacing(path) as write:
            write(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_midway()
    assert [entry.name for entry in tmp_path.iterdir()] == ["results.jsonl"]
    assert path.read_text() == "old"


def test_a_path_that_cannot_even_be_looked_at_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="File name too long"), replacing(tmp_path / ("x" * 300)):
        raise AssertionError("began to write")


def test_what_is_no_file_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    # Replacing a device would take it from every other program of the machine.
    device = tmp_path / "device"
    os.mkfifo(device)
    for path in (device, tmp_path):
        with pytest.raises(ConfigError, match="is not a regular file"), replacing(path):
            raise AssertionError("began to write")
    assert device.is_fifo()
    assert [entry.name for entry in tmp_path.iterdir()] == ["device"]
