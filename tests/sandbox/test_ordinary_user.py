"""The namespace backend works for a user without any privilege."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from posttrain.sandbox.wall import Interpreter

ROOT = Path(__file__).parents[2]
SCRIPT = """
from pathlib import Path
import sys
from posttrain.core.task import Limits
from posttrain.sandbox.backends import open_sandbox
from posttrain.sandbox.protocol import ExecSpec, Program
sandbox = open_sandbox("namespace")
sandbox.prepare([Program(name="run_code", path=Path(sys.argv[1]))])
for code, wall_s in ((b"import os; print(os.getpid())", 10), (b"while True: pass", 0.2)):
    limits = Limits(wall_s=wall_s)
    result = sandbox.run(ExecSpec(limits=limits, program="run_code", payload=code))
    print(result.outcome, result.stdout.decode().strip())
sandbox.close()
"""


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_an_unprivileged_user_with_the_system_interpreter_can_run_code(tmp_path: Path) -> None:
    python, setpriv = shutil.which("python3", path="/usr/bin"), shutil.which("setpriv")
    if python is None or setpriv is None:
        pytest.skip("needs a system interpreter and setpriv")
    asked = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    if subprocess.run(asked).returncode != 0:
        pytest.skip("the system interpreter is older than 3.11")
    reachable = Path("/var/tmp") / f"posttrain-test-{os.getpid()}"
    shutil.copytree(ROOT / "src", reachable / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests/data/sandbox/run_code.py", reachable)
    try:
        result = subprocess.run(
            [
                *(setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups"),
                *(python, "-B", "-c", SCRIPT, str(reachable / "run_code.py")),
            ],
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(reachable / "src")},
            cwd="/",
            capture_output=True,
            text=True,
        )
    finally:
        shutil.rmtree(reachable)
    assert result.stderr == ""
    assert result.stdout == "ok 2\nwall_timeout \n"


def test_without_bubblewrap_nothing_runs_and_one_line_says_what_to_install() -> None:
    code = "from posttrain.sandbox.backends import open_sandbox; open_sandbox('namespace')"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "/nowhere", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    last = result.stderr.strip().splitlines()[-1]
    assert result.returncode == 1
    assert "PrerequisiteError" in last and last.endswith("apt install bubblewrap")


def test_the_interpreter_is_found_without_its_virtual_environment() -> None:
    found = Interpreter.current()
    assert found.executable.is_file() and not found.executable.is_symlink()
    assert (found.prefix / "lib").is_dir()
    assert found.executable.is_relative_to(found.prefix)
