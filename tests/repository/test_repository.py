"""What must hold for the files of the repository as a whole."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MACHINE_PATHS = re.compile(r"(?<![\w.])/(root|work|opt|home)/[\w.-]+")
REGISTRY_ADDRESS = re.compile(
    r"https?://(?:[\w-]+\.)*(?:pypi\.org|pythonhosted\.org|pytorch\.org/whl)|--(?:extra-)?index-url"
)
PIN = re.compile(r"^[a-z0-9-]+==[0-9][\w.]*$")


def tracked(*suffixes: str) -> list[Path]:
    """Files that git knows, without data that came from elsewhere."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    found = [ROOT / name for name in names if name.endswith(suffixes)]
    own = [path for path in found if "tests/data" not in str(path) and path.suffix != ".jsonl"]
    return [path for path in own if path.is_file()]


def texts() -> dict[str, str]:
    suffixes = (".py", ".md", ".toml", ".txt", ".sh", "Makefile", ".ci/run")
    return {
        str(path.relative_to(ROOT)): path.read_text()
        for path in tracked(*suffixes)
        if path != Path(__file__)
    }


def test_no_file_names_a_place_on_one_machine():
    found = {n: m.group() for n, t in texts().items() if (m := MACHINE_PATHS.search(t))}
    assert found == {}


def test_no_file_names_a_package_registry():
    found = {n: m.group() for n, t in texts().items() if (m := REGISTRY_ADDRESS.search(t))}
    assert found == {}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda p: p.name
)
def test_every_requirement_is_pinned_exactly(path):
    lines = [line for line in path.read_text().splitlines() if line and line[0] not in "#-"]
    assert lines
    assert [line for line in lines if not PIN.match(line)] == []


def test_the_page_about_the_run_file_is_up_to_date():
    command = [sys.executable, ROOT / "tools" / "write_run_file_page.py", "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run `make docs`"


def test_the_changelog_speaks_to_users_by_area():
    unreleased = (ROOT / "CHANGELOG.md").read_text().partition("## Unreleased")[2]
    entries = [line for line in unreleased.splitlines() if line.startswith("-")]
    assert entries
    assert [line for line in entries if not re.match(r"- [A-Z][\w ]+: \S.*", line)] == []


def test_links_between_pages_lead_somewhere():
    broken = [
        f"{name}: {target}"
        for name, text in texts().items()
        if name.endswith(".md")
        for target in re.findall(r"\]\(([^)#\s]+)", text)
        if "://" not in target and not (ROOT / name).parent.joinpath(target).exists()
    ]
    assert broken == []


def test_ci_runs_the_very_check_that_people_run():
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert "make check" in script.read_text()
