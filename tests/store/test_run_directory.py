import os
import subprocess
import sys
from pathlib import Path

import pytest

from posttrain.core.errors import NotFoundError, StoreError
from posttrain.store.metrics import MetricsLog, cut_metrics, read_metrics
from posttrain.store.run_directory import RunDirectory, RunExistsError
from posttrain.store.run_lock import RunBusyError, run_lock


def test_a_made_run_is_opened_and_listed(tmp_path: Path) -> None:
    made = RunDirectory.create(tmp_path, "a", config={"run": {"seed": 3}}, run_toml="[run]\n")
    assert RunDirectory.open(made.path) == made
    assert RunDirectory.list(tmp_path) == [made]
    assert made.read_json("config.json") == {"run": {"seed": 3}}


def test_a_taken_name_is_refused_with_what_to_do(tmp_path: Path) -> None:
    RunDirectory.create(tmp_path, "a", config={})
    with pytest.raises(RunExistsError, match="posttrain resume"):
        RunDirectory.create(tmp_path, "a", config={})


def test_a_folder_that_is_no_run_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="posttrain runs list"):
        RunDirectory.open(tmp_path)
    assert RunDirectory.list(tmp_path / "absent") == []


def test_a_root_that_is_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot store .*file"):
        RunDirectory.create(tmp_path / "file", "a", config={})


def test_two_drivers_cannot_hold_one_run(tmp_path: Path) -> None:
    busy = pytest.raises(RunBusyError, match=f"driven by process {os.getpid()}")
    with run_lock(tmp_path), busy, run_lock(tmp_path):
        pass
    with run_lock(tmp_path):
        pass


def test_a_number_that_is_not_finite_is_stored_as_null(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "metrics.jsonl")
    log.append(1, {"kl": float("nan"), "tokens": 5, "loss/rl": float("inf")})
    log.close()
    assert read_metrics(tmp_path / "metrics.jsonl") == [
        {"step": 1, "kl": None, "tokens": 5, "loss/rl": None}
    ]


def test_a_step_has_metrics_once_and_cut_steps_can_come_again(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    log = MetricsLog(path)
    for step in (1, 2, 3):
        log.append(step, {"x": step})
    with pytest.raises(StoreError, match="step 3 has metrics already"):
        log.append(3, {"x": 0})
    log.close()
    cut_metrics(path, 1)
    again = MetricsLog(path)
    again.append(2, {"x": 20})
    again.close()
    assert [line["x"] for line in read_metrics(path)] == [1, 20]


_FILL = """
import resource, signal, sys
from pathlib import Path
from posttrain.core.errors import StoreError
from posttrain.store.metrics import MetricsLog
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
log = MetricsLog(Path(sys.argv[1]))
try:
    for step in range(1, 1000):
        log.append(step, {"x": 0.5, "message": "m" * 30})
except StoreError as error:
    print(error)
"""


def test_a_write_that_the_disk_refuses_keeps_every_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", _FILL, str(path)], capture_output=True, text=True, check=True
    )
    assert "cannot store" in done.stdout and "what was stored before is intact" in done.stdout
    lines = read_metrics(path)
    assert [line["step"] for line in lines] == list(range(1, len(lines) + 1))
    assert path.read_bytes().endswith(b"\n") and len(lines) > 5
