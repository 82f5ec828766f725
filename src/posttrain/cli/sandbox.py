"""``posttrain sandbox``: run one command inside the sandbox that judges candidates."""

import difflib
import sys
from typing import Annotated, Any

from cyclopts import Parameter

from posttrain.cli.output import Output, complain
from posttrain.cli.verb import AboveZero, Backend, Unsafe, verb
from posttrain.core.errors import ConfigError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Limits
from posttrain.rollout.results import exec_to_line
from posttrain.sandbox.backends import open_sandbox
from posttrain.sandbox.protocol import ExecSpec

__all__ = ["app"]

_DEFAULT = Limits()
_FLAGS = (
    "--wall-s", "--cpu-s", "--memory-bytes", "--pids", "--output-bytes", "--disk-bytes",
    "--template", "--backend", "--unsafe", "--json", "--quiet",
)  # fmt: skip

app = verb(
    "sandbox",
    "posttrain sandbox run -- python3 -c 'print(1)'",
    "posttrain sandbox run --wall-s 2 --json -- sleep 10",
)


@app.command
def run(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    template: str = "python",
    backend: Backend = "namespace",
    unsafe: Unsafe = False,
    wall_s: Annotated[float, AboveZero] = _DEFAULT.wall_s,
    cpu_s: Annotated[float, AboveZero] = _DEFAULT.cpu_s,
    memory_bytes: Annotated[int, AboveZero] = _DEFAULT.memory_bytes,
    pids: Annotated[int, AboveZero] = _DEFAULT.pids,
    output_bytes: Annotated[int, AboveZero] = _DEFAULT.output_bytes,
    disk_bytes: Annotated[int, AboveZero] = _DEFAULT.disk_bytes,
    output: Output = Output(),
) -> int:
    """Run CMD without network, files or identity of this machine; exit 4 unless it ended ok.

    Parameters
    ----------
    command:
        Program and arguments, after a double dash.
    template:
        What the sandbox holds.
    wall_s:
        Seconds from start to end.
    cpu_s:
        CPU seconds of the whole process tree.
    memory_bytes:
        Memory of the whole process tree.
    pids:
        Processes at a time.
    output_bytes:
        Bytes kept of each output stream.
    disk_bytes:
        Bytes that may be written.
    """
    limits = Limits(
        wall_s=wall_s,
        cpu_s=cpu_s,
        memory_bytes=memory_bytes,
        pids=pids,
        output_bytes=output_bytes,
        disk_bytes=disk_bytes,
    )
    result = _run(_checked(command, template), limits, backend, unsafe=unsafe)
    if output.json:
        output.document(_document(result))
    else:
        _show(result, output)
    return 0 if result.outcome is Outcome.OK else 4


def _checked(command: tuple[str, ...], template: str) -> tuple[str, ...]:
    if not command:
        raise ConfigError("no command given; add it after a double dash: sandbox run -- CMD …")
    if command[0].startswith("-"):
        near = difflib.get_close_matches(command[0], _FLAGS, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigError(f"no flag {command[0]!r}; {hint}allowed: {', '.join(_FLAGS)}")
    if template != "python":
        raise ConfigError(f"no template {template!r}; allowed: python")
    return command


def _run(command: tuple[str, ...], limits: Limits, backend: str, *, unsafe: bool) -> ExecResult:
    sandbox = open_sandbox(backend, unsafe=unsafe)
    try:
        return sandbox.run(ExecSpec(limits=limits, argv=command))
    finally:
        sandbox.close()


def _document(result: ExecResult) -> dict[str, Any]:
    return {
        **exec_to_line(result),
        "stdout": result.stdout.decode(errors="replace"),
        "stderr": result.stderr.decode(errors="replace"),
    }


def _show(result: ExecResult, output: Output) -> None:
    sys.stdout.buffer.write(result.stdout)
    sys.stdout.flush()
    sys.stderr.buffer.write(result.stderr)
    sys.stderr.flush()
    if result.outcome is not Outcome.OK or not output.quiet:
        status = "" if result.exit_code is None else f", exit code {result.exit_code}"
        limit = f", limit {result.limit_hit}" if result.limit_hit else ""
        complain(
            f"{result.outcome.value}{status}{limit}; {result.wall_s:.3f} s, "
            f"CPU {result.cpu_s:.3f} s {result.detail}"
        )
