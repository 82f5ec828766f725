import json
import subprocess
import sys
from pathlib import Path

import pytest

from posttrain.core.errors import ConfigError, NotFoundError, StoreError
from posttrain.policy import model_store
from posttrain.policy.local_model import read_shape
from posttrain.policy.model_store import EMBEDDED, cache_root, resolve_model, resolve_tokenizer
from posttrain.policy.open import open_policy


def test_an_unknown_model_is_named_with_what_is_allowed() -> None:
    with pytest.raises(NotFoundError, match="'no/such' is not a folder") as caught:
        resolve_model("no/such")
    assert EMBEDDED.name in str(caught.value) and "\n" not in str(caught.value)


def test_a_folder_that_lacks_weights_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(NotFoundError, match=r"without tokenizer\.json, \*\.safetensors"):
        open_policy(tmp_path)


def test_a_complete_local_folder_resolves_to_itself(tiny_dir: Path) -> None:
    assert resolve_model(tiny_dir) == tiny_dir


def test_an_architecture_that_cannot_run_here_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "mamba"}))
    with pytest.raises(ConfigError, match="'mamba'"):
        read_shape(tmp_path)


def test_the_cache_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POSTTRAIN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_root() == Path("/somewhere/posttrain")
    monkeypatch.setenv("POSTTRAIN_CACHE", "/own")
    assert cache_root() == Path("/own")


@pytest.mark.slow
def test_a_damaged_cache_folder_is_converted_again(tmp_path: Path) -> None:
    folder = resolve_tokenizer(tmp_path)
    whole = (folder / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_bytes(whole[:-1])
    assert resolve_tokenizer(tmp_path) == folder
    assert (folder / "tokenizer.json").read_bytes() == whole
    assert sorted(p.name for p in tmp_path.iterdir()) == [folder.name, f"{folder.name}.lock"]


@pytest.mark.slow
def test_a_killed_conversion_leaves_nothing_that_counts(tmp_path: Path) -> None:
    key = f"{EMBEDDED.key}-tokenizer"
    half = tmp_path / f".{key}.new.abc"
    half.mkdir()
    (half / "tokenizer.json").write_text("{")
    resolve_tokenizer(tmp_path)
    assert not half.exists()


def test_a_cache_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="POSTTRAIN_CACHE"):
        resolve_tokenizer(tmp_path / "file")


@pytest.mark.slow
def test_two_processes_at_once_convert_once(tmp_path: Path) -> None:
    program = (
        "import logging, sys; from pathlib import Path; logging.basicConfig(level=20); "
        "from posttrain.policy.model_store import resolve_tokenizer; "
        "print(resolve_tokenizer(Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=100) for process in running]
    assert answers[0][0] == answers[1][0] != ""
    assert sum(error.count("converting") for _, error in answers) == 1


def test_finding_a_name_imports_no_torch() -> None:
    program = (
        "import sys; import posttrain.policy.open, posttrain.policy.scripted; "
        "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_same_seed_writes_the_same_tiny_weights(tiny_dir: Path, tmp_path: Path) -> None:
    same = model_store.tiny_model(tmp_path / "same", seed=0)
    other = model_store.tiny_model(tmp_path / "other", seed=1)
    weights = (tiny_dir / "model.safetensors").read_bytes()
    assert (same / "model.safetensors").read_bytes() == weights
    assert (other / "model.safetensors").read_bytes() != weights
