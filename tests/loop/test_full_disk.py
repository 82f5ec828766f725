import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_run import make_run, open_fakes, outcome

from posttrain.core.errors import StoreError
from posttrain.loop.train_run import drive

pytestmark = pytest.mark.root


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this machine does not allow mounts")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_run_on_a_full_disk_ends_with_one_clear_error_and_goes_on_with_more_space(
    small_disk: Path, tmp_path: Path
) -> None:
    unbroken = make_run(tmp_path / "unbroken")
    drive(unbroken, open_fakes)
    directory = make_run(small_disk / "runs")
    with pytest.raises(StoreError, match=r"disk is full|database or disk is full") as caught:
        drive(directory, open_fakes)
    assert "\n" not in str(caught.value) and "posttrain resume" in str(caught.value)
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    drive(directory, open_fakes)
    assert outcome(directory) == outcome(unbroken)
