import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run ``posttrain`` in an empty folder, as a user would; returns what it printed."""

    def run(*arguments: str, env: dict[str, str] | None = None, cwd: Path = tmp_path):
        return subprocess.run(
            [sys.executable, "-m", "posttrain", *arguments],
            cwd=cwd,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})},
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )

    return run
