"""What this machine can enforce and run, check by check, each with the command that mends it.

A check measures; nothing here changes the machine. ``missing`` means that a run cannot start.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from posttrain.core.errors import PrerequisiteError
from posttrain.core.execution import Outcome
from posttrain.core.task import Limits
from posttrain.sandbox.backends import open_sandbox
from posttrain.sandbox.cgroups import find_layout
from posttrain.sandbox.namespace import namespace_capabilities
from posttrain.sandbox.prerequisites import user_namespace_fault
from posttrain.sandbox.process import PROCESS_CAPABILITIES
from posttrain.sandbox.protocol import Capability, ExecSpec
from posttrain.sandbox.wall import find_bubblewrap

__all__ = ["Check", "Status", "capability_tables", "probe"]

_NEEDED_DISK_BYTES = 4 * 1024**3
_BF16_FLAGS = ("amx_bf16", "avx512_bf16", "bf16")


class Status(StrEnum):
    """What a check found."""

    OK = "ok"
    DEGRADED = "degraded"
    MISSING = "missing"


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    status: Status
    detail: str
    mend: str = ""
    """The command or step that mends it; empty where nothing is wrong."""


def probe() -> list[Check]:
    """Run every check; takes about a quarter of a second."""
    self_test = _self_test()
    works = self_test.status is Status.OK
    return [
        *(_python(), _bubblewrap(), _user_namespaces(works=works), _cgroups(), self_test),
        *(_training(), _disk(), _processor()),
    ]


def capability_tables() -> dict[str, Mapping[str, Capability]]:
    """Level and mechanism by limit, for each backend on this machine."""
    layout = find_layout()
    kind = f"cgroup {layout.hierarchy}" if layout else ""
    controllers = frozenset(layout.parents) if layout else frozenset[str]()
    return {
        "namespace": namespace_capabilities(kind, controllers),
        "process": PROCESS_CAPABILITIES,
    }


def _python() -> Check:
    """Older versions than the package allows cannot get here, so this only names it."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Check(name="python", status=Status.OK, detail=version)


def _bubblewrap() -> Check:
    try:
        path = find_bubblewrap()
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    except (PrerequisiteError, OSError, subprocess.CalledProcessError) as error:
        return Check(
            name="bubblewrap",
            status=Status.MISSING,
            detail=str(error),
            mend="apt install bubblewrap",
        )
    return Check(name="bubblewrap", status=Status.OK, detail=shown.stdout.strip())


def _user_namespaces(*, works: bool) -> Check:
    """A setting that forbids them in general may allow them to bubblewrap, so the test decides."""
    fault = user_namespace_fault()
    if works or fault is None:
        detail = "nested ones can be made" if works else "no setting is known to forbid them"
        return Check(name="user namespaces", status=Status.OK, detail=detail)
    reason, mend = fault
    return Check(name="user namespaces", status=Status.MISSING, detail=reason, mend=mend)


def _cgroups() -> Check:
    layout = find_layout()
    if layout is not None:
        held = ", ".join(sorted(layout.parents))
        return Check(name="cgroups", status=Status.OK, detail=f"{layout.hierarchy}: {held}")
    return Check(
        name="cgroups",
        status=Status.DEGRADED,
        detail="none can be written: a tree watchdog (20 ms) with resource limits holds instead",
        mend="run as root, or under: systemd-run --user --scope -p Delegate=yes posttrain …",
    )


def _self_test() -> Check:
    """Run one command in the real sandbox."""
    name = "sandbox self-test"
    try:
        sandbox = open_sandbox("namespace")
    except PrerequisiteError as error:
        reason, _, mend = str(error).partition("; to mend it: ")
        return Check(name=name, status=Status.MISSING, detail=reason, mend=mend)
    result = sandbox.run(ExecSpec(limits=Limits(), argv=("/bin/sh", "-c", "echo $$")))
    sandbox.close()
    if result.outcome is Outcome.OK:
        return Check(name=name, status=Status.OK, detail="a command ran in nested namespaces")
    return Check(
        name=name,
        status=Status.MISSING,
        detail=f"a command ended as {result.outcome}: {result.detail or result.stderr!r}",
        mend="report this with the output of: posttrain doctor --json",
    )


def _training() -> Check:
    absent = [name for name in ("torch", "transformers") if not importlib.util.find_spec(name)]
    if not absent:
        return Check(name="training", status=Status.OK, detail="torch and transformers installed")
    return Check(
        name="training",
        status=Status.DEGRADED,
        detail=f"{' and '.join(absent)} not installed: grading works, local policies do not",
        mend="pip install 'posttrain[train]'",
    )


def _disk() -> Check:
    free_bytes = shutil.disk_usage(Path.cwd()).free
    detail = f"{free_bytes / 1024**3:.1f} GiB free in {Path.cwd()}"
    if free_bytes >= _NEEDED_DISK_BYTES:
        return Check(name="disk", status=Status.OK, detail=detail)
    return Check(
        name="disk",
        status=Status.DEGRADED,
        detail=detail,
        mend="free some room: a run keeps checkpoints, 4 GiB are comfortable",
    )


def _processor() -> Check:
    num_cores = len(os.sched_getaffinity(0))
    flags = set(Path("/proc/cpuinfo").read_text().split())
    found = [flag for flag in _BF16_FLAGS if flag in flags]
    if found:
        return Check(
            name="processor", status=Status.OK, detail=f"{num_cores} cores, bf16 by {found[0]}"
        )
    return Check(
        name="processor",
        status=Status.DEGRADED,
        detail=f"{num_cores} cores without bf16: sampling uses float32 and is slower",
        mend="use a processor with AMX or AVX512-BF16 for the stated times",
    )
