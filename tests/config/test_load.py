import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.config.load import load_run_config, parse_override, read_saved_config
from posttrain.config.run import RunConfig
from posttrain.core.errors import ConfigError, NotFoundError


def complaint(text: str, tmp_path: Path) -> str:
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_run_config(path)
    return str(caught.value)


def test_an_empty_file_is_a_run_with_all_defaults(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("")
    assert load_run_config(path) == RunConfig()


def test_an_override_wins_over_the_file_and_leaves_its_neighbours_alone(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("[policy]\ntemperature = 0.5\nmax_tokens = 10\n")
    config = load_run_config(path, ["policy.temperature=0.7"])
    assert (config.policy.temperature, config.policy.max_tokens) == (0.7, 10)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NotFoundError, match=r"absent\.toml' does not exist"):
        load_run_config(tmp_path / "absent.toml")


def test_a_folder_in_place_of_a_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_run_config(tmp_path)


def test_broken_toml_names_file_and_line(tmp_path):
    assert "run.toml is not TOML" in complaint("[run]\nsteps = = 3\n", tmp_path)
    assert "line 2" in complaint("[run]\nsteps = = 3\n", tmp_path)


def test_a_misspelt_key_is_answered_by_the_nearest_one(tmp_path):
    text = complaint("[algorithm]\ngroup_sise = 4\n", tmp_path)
    assert "unknown key 'algorithm.group_sise'; did you mean 'algorithm.group_size'?" in text


def test_a_misspelt_table_is_answered_by_the_nearest_one(tmp_path):
    assert "did you mean 'optimizer'?" in complaint("[optimiser]\nbeta1 = 0.9\n", tmp_path)


def test_a_key_in_the_wrong_table_is_answered_by_its_right_place(tmp_path):
    text = complaint("[policy]\nlearning_rate = 1e-4\n", tmp_path)
    assert "did you mean 'optimizer.learning_rate'?" in text


def test_a_key_like_no_other_is_answered_by_what_is_allowed(tmp_path):
    text = complaint("[checkpoint]\nzzz = 1\n", tmp_path)
    assert "unknown key 'checkpoint.zzz'; allowed here: every, keep" in text


def test_a_value_out_of_bounds_is_shown_with_its_bound(tmp_path):
    text = complaint("[policy]\ntemperature = 9.5\n", tmp_path)
    assert "policy.temperature = 9.5 is not allowed: should be less than or equal to 2" in text


def test_a_value_outside_a_closed_list_is_shown_with_the_list(tmp_path):
    text = complaint('[policy]\ndtype = "fp8"\n', tmp_path)
    assert "'auto', 'bfloat16' or 'float32'" in text


def test_a_key_within_a_list_of_tables_is_found(tmp_path):
    text = complaint('[[curriculum.phases]]\nname = "a"\nmax_dificulty = 1.0\n', tmp_path)
    assert "did you mean 'curriculum.phases.0.max_difficulty'?" in text


def test_every_complaint_is_one_line(tmp_path):
    text = complaint("[policy]\nx = 1\ny = 2\nz = 3\n", tmp_path)
    assert "\n" not in text
    assert "2 more like this" in text


def test_the_process_backend_needs_unsafe(tmp_path):
    assert "sandbox.unsafe = true" in complaint('[sandbox]\nbackend = "process"\n', tmp_path)


def test_a_phase_that_nothing_unlocks_is_refused(tmp_path):
    text = complaint('[[curriculum.phases]]\nname="a"\n[[curriculum.phases]]\nname="b"\n', tmp_path)
    assert "'b' is never entered" in text


def test_an_override_without_a_value_says_how_to_write_one():
    with pytest.raises(ConfigError, match="give KEY=VALUE"):
        load_run_config(None, ["policy.temperature"])


def test_an_override_below_a_value_is_refused():
    with pytest.raises(ConfigError, match="goes below 'steps', which is a value"):
        load_run_config(None, ["run.steps=3", "run.steps.x=4"])


def test_an_override_that_is_wrong_is_named_rather_than_the_file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("")
    with pytest.raises(ConfigError, match=r"^--set polcy\.model=x: unknown key 'polcy'"):
        load_run_config(path, ["polcy.model=x"])


def test_an_override_that_is_not_toml_is_plain_text():
    assert load_run_config(None, ["policy.model=./my-model"]).policy.model == "./my-model"


@given(st.one_of(st.integers(-(2**40), 2**40), st.booleans(), st.lists(st.integers(), max_size=3)))
def test_an_override_is_typed_as_toml_types_it(value):
    text = str(value).lower() if isinstance(value, bool) else str(value)
    assert parse_override(f"a.b={text}") == (("a", "b"), tomllib.loads(f"v={text}")["v"])


def test_what_a_run_saves_is_read_back_equal(tmp_path):
    config = load_run_config(None, ["tasks.source=['a.jsonl']", "run.seed=7"])
    (tmp_path / "config.json").write_text(config.model_dump_json())
    assert read_saved_config(tmp_path / "config.json") == config


def test_a_damaged_saved_configuration_names_the_file(tmp_path):
    (tmp_path / "config.json").write_text('{"run": {"sede": 1}}')
    with pytest.raises(ConfigError, match=r"config\.json: unknown key 'run\.sede'"):
        read_saved_config(tmp_path / "config.json")
