"""What pages and help tell people to type exists."""

import re
import shlex
from pathlib import Path

import pytest

from posttrain.cli.main import VERBS, build_app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def typed(text: str) -> list[str]:
    """Whole command lines in code blocks."""
    return re.findall(r"^    (posttrain .+)$", text, re.M)


def mentioned(text: str) -> list[str]:
    """Commands in backticks, which may be cut short."""
    return re.findall(r"`posttrain\s+([a-z]+)", text)


def parses(line: str) -> None:
    tokens = shlex.split(line.partition(" # ")[0])[1:]
    build_app().parse_args(tokens, exit_on_error=False, print_error=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_on_a_page_can_be_typed(page):
    for line in typed(page.read_text()):
        parses(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_verb_that_a_page_mentions_exists(page):
    assert set(mentioned(page.read_text())) <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_example_in_the_help_of_a_verb_can_be_typed(verb):
    epilogue = build_app()[verb].help_epilogue
    examples = [line.strip() for line in epilogue.splitlines() if "posttrain" in line]
    assert examples
    for line in examples:
        parses(line)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_every_make_target_on_a_page_exists(page):
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"`make (\w+)|^    make (\w+)", page.read_text(), re.M))
    for target in {name for pair in targets for name in pair if name}:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_the_readme_names_the_two_commands_and_shows_the_result():
    text = (ROOT / "README.md").read_text()
    assert "    make demo" in text
    assert "    make test" in text
    assert "](docs/images/demo-report.png)" in text
