import errno
import json
import os
import subprocess
import sys
import time

import pytest

from posttrain.cli.main import VERBS, build_app, exit_code_of, main
from posttrain.core.errors import PosttrainError, PrerequisiteError, StoreError, TaskFormatError
from posttrain.loop.interrupt import Interrupted

HEAVY = ("torch", "transformers", "scipy", "pandas", "fastapi", "numpy")


def test_help_loads_nothing_heavy():
    program = (
        "import sys; from posttrain.cli.main import main; main(['--help']); "
        f"print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stderr.strip() == "[]"


def test_help_needs_less_than_300_ms_of_processor_time():
    # Processor time, because neighbours on a busy machine stretch the wall clock.
    times = os_times_of([sys.executable, "-m", "posttrain", "--help"], repeats=3)
    assert min(times) < 0.3


def os_times_of(command_line: list[str], repeats: int) -> list[float]:
    import resource

    times = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command_line, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return times


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb, capsys):
    assert main([verb, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"posttrain {verb}" in shown.partition("Examples:")[2]


@pytest.mark.parametrize(
    "verb", ["doctor", "grade", "rollout", "train", "resume", "eval", "replay"]
)
def test_every_verb_takes_json_and_quiet(verb, capsys):
    main([verb, "--help"])
    shown = capsys.readouterr().out
    assert "--json" in shown
    assert "--quiet -q" in shown


def test_a_misspelt_verb_is_answered_by_the_nearest(capsys):
    assert main(["trian"]) == 2
    assert "did you mean 'train'?" in capsys.readouterr().err


def test_a_misspelt_flag_is_one_line_and_wrong_usage(capsys):
    assert main(["config", "show", "--schemas", "run"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Did you mean --schema?" in captured.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TaskFormatError("tasks.jsonl:3: no\nid"), 2),
        (PrerequisiteError("bubblewrap is missing"), 3),
        (StoreError("the disk is full"), 4),
        (OSError(errno.ENOSPC, "No space left on device", "runs/a"), 4),
        (KeyboardInterrupt(), 130),
        (Interrupted("posttrain resume runs/a"), 130),
    ],
)
def test_an_error_becomes_one_line_and_its_exit_code(error, code, capsys):
    assert exit_code_of(lambda: throw(error)) == code
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("bug", [ZeroDivisionError("x"), PosttrainError("x"), OSError("x")])
def test_a_bug_leaves_as_the_exception_that_it_is(bug):
    with pytest.raises(type(bug)):
        exit_code_of(lambda: throw(bug))


def throw(error):
    raise error


def test_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == "0.1.0"


def test_a_reader_that_leaves_ends_the_command_quietly(cli):
    ended = subprocess.run(
        f"{sys.executable} -m posttrain config show --schema run | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == ""


@pytest.mark.parametrize("ending", [">&-", ">&- 2>&-"])
def test_a_closed_output_is_no_bug(ending):
    command = f"{sys.executable} -m posttrain config show {ending}"
    assert subprocess.run(command, shell=True, check=False).returncode == 0


def test_a_table_whose_reader_leaves_is_no_bug():
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "posttrain", "tasks", "list"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_json_is_one_document_and_nothing_else(cli):
    ended = cli("config", "show", "--json")
    assert json.loads(ended.stdout)["policy"]["temperature"] == 0.8
    assert ended.stderr == ""


def test_verbs_are_not_loaded_until_they_are_used():
    started_s = time.process_time()
    build_app()
    assert time.process_time() - started_s < 0.2
