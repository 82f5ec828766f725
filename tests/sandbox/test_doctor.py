from pathlib import Path

import pytest

from posttrain.core.errors import ConfigError, PrerequisiteError
from posttrain.sandbox.backends import open_sandbox
from posttrain.sandbox.doctor import Status, capability_tables, probe
from posttrain.sandbox.prerequisites import user_namespace_fault


def test_a_machine_that_runs_these_tests_has_no_part_missing() -> None:
    checks = {check.name: check for check in probe()}
    assert [name for name, check in checks.items() if check.status is Status.MISSING] == []
    assert {"bubblewrap", "cgroups", "sandbox self-test", "user namespaces"} <= set(checks)


def test_what_is_not_ok_comes_with_a_mend() -> None:
    assert all(check.mend for check in probe() if check.status is not Status.OK)


def test_both_backends_have_a_table_with_the_same_limits() -> None:
    tables = capability_tables()
    assert set(tables["namespace"]) == set(tables["process"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("user/max_user_namespaces", "0"),
        ("kernel/unprivileged_userns_clone", "0"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
    ],
)
def test_a_setting_that_forbids_namespaces_is_named_with_its_mend(
    tmp_path: Path, name: str, value: str
) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(value + "\n")
    fault = user_namespace_fault(tmp_path)
    assert fault is not None
    assert fault[0] == f"{name.replace('/', '.')} is {value}"
    assert "sysctl -w" in fault[1]


def test_settings_that_allow_namespaces_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user/max_user_namespaces").write_text("15000\n")
    assert user_namespace_fault(tmp_path) is None


def test_the_backend_without_walls_has_to_be_asked_for_twice() -> None:
    with pytest.raises(PrerequisiteError, match="--unsafe"):
        open_sandbox("process")


def test_an_unknown_backend_is_named_with_the_allowed_ones() -> None:
    with pytest.raises(ConfigError, match=r"'docker'.*namespace, process"):
        open_sandbox("docker")
