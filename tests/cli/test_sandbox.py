import json
import os
import shutil
import subprocess
import sys


def test_a_command_that_ends_well_exits_0_and_passes_its_output_on(cli):
    ended = cli("sandbox", "run", "-q", "--", "python3", "-c", "print('hello')")
    assert (ended.returncode, ended.stdout) == (0, "hello\n")


def test_a_command_that_fails_exits_4_and_its_status_is_in_the_document(cli):
    ended = cli("sandbox", "run", "--json", "--", "sh", "-c", "exit 3")
    document = json.loads(ended.stdout)
    assert ended.returncode == 4
    assert (document["outcome"], document["exit_code"]) == ("nonzero", 3)


def test_a_command_over_its_limit_names_the_limit(cli):
    ended = cli("sandbox", "run", "--json", "--wall-s", "0.3", "--", "sleep", "20")
    document = json.loads(ended.stdout)
    assert (document["outcome"], document["limit_hit"]) == ("wall_timeout", "wall_s")


def test_the_command_has_no_network_and_no_identity_of_the_user(cli):
    program = (
        "import os, socket; print(os.getuid() != 0, socket.if_nameindex() in ([], [(1, 'lo')]))"
    )
    ended = cli("sandbox", "run", "-q", "--", "python3", "-c", program)
    assert ended.stdout.split() == ["True", "True"]


def test_the_backend_that_protects_nothing_has_to_be_asked_for_twice(cli):
    ended = cli("sandbox", "run", "--backend", "process", "--", "true")
    assert ended.returncode == 3
    assert "--unsafe" in ended.stderr


def test_a_limit_that_is_not_positive_is_wrong_usage(cli):
    ended = cli("sandbox", "run", "--wall-s", "-1", "--", "true")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1


def test_a_flag_that_does_not_exist_is_wrong_usage_and_no_command(cli):
    ended = cli("sandbox", "run", "--wal-s", "3", "--", "true")
    assert ended.returncode == 2
    assert "no flag '--wal-s'; did you mean '--wall-s'?" in ended.stderr


def test_a_machine_without_bubblewrap_gets_one_line_and_exit_3(tmp_path):
    bubblewrap = shutil.which("bwrap")
    # The masked file is not executable, which is how a missing program looks.
    masked = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", os.devnull, bubblewrap]
    ended = subprocess.run(
        [*masked, sys.executable, "-m", "posttrain", "sandbox", "run", "--", "true"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 3
    assert ended.stderr.count("\n") == 1
    assert "bubblewrap" in ended.stderr
