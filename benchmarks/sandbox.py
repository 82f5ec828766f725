"""How fast the sandbox runs Python code, against starting interpreters and against bare forks.

    python benchmarks/sandbox.py [--json] [--quick]

Every ratio compares what was measured side by side in the same run, in alternating rounds, each
taken at its best round, so that other work on the machine disturbs both alike:

    python_run_vs_subprocess           subprocess.run([python, "-c", "pass"]) ÷ one sandboxed run
    python_run_prepared_vs_subprocess  the same, but from the moment the run starts on an idle lane
    python_run_vs_fork                 one sandboxed run ÷ fork, exit, wait of a bare interpreter
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from posttrain.core.execution import Outcome
from posttrain.core.task import Limits
from posttrain.sandbox.backends import open_sandbox
from posttrain.sandbox.protocol import ExecSpec, Program, Sandbox

PROGRAM = """
def main(payload, fds):
    consult()
    exec(compile(payload, "<candidate>", "exec"), {"__name__": "__main__"})
"""
FORKS = """
import gc, os, time
gc.collect(); gc.freeze()
best = 1e9
for _ in range({rounds}):
    start = time.perf_counter()
    for _ in range(50):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    best = min(best, (time.perf_counter() - start) / 50)
print(best)
"""
IDLE_SANDBOXES = 200
PAUSE_S = 0.02
"""Long enough for a lane to prepare its next execution."""


def one_run(sandbox: Sandbox) -> float:
    """Seconds from start to record of an empty program."""
    started = time.perf_counter()
    result = sandbox.run(ExecSpec(limits=Limits(), program="bench", payload=b"pass"))
    assert result.outcome is Outcome.OK, result
    return time.perf_counter() - started


def one_prepared_run(sandbox: Sandbox) -> float:
    """The same, after the lane had time to prepare."""
    time.sleep(PAUSE_S)
    return one_run(sandbox)


def one_subprocess(_: Sandbox) -> float:
    """Seconds of starting an interpreter that does nothing."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - started


def best_round(measure: Callable[[Sandbox], float], sandbox: Sandbox, size: int) -> float:
    """Mean seconds over one round."""
    return sum(measure(sandbox) for _ in range(size)) / size


def fork_s(rounds: int) -> float:
    """Seconds of fork, exit and wait in an interpreter that loaded nothing."""
    command = [sys.executable, "-I", "-S", "-c", FORKS.format(rounds=rounds)]
    return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def rate(sandbox: Sandbox, num_threads: int, measure: Callable[[Sandbox], float], n: int) -> float:
    """Executions per second with so many at once."""
    with ThreadPoolExecutor(num_threads) as workers:
        list(workers.map(measure, [sandbox] * num_threads))
        started = time.perf_counter()
        list(workers.map(measure, [sandbox] * n))
        return n / (time.perf_counter() - started)


def available_bytes() -> int:
    """Memory that the kernel says is free for the taking."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def idle_sandbox_bytes(sandbox: Sandbox) -> float:
    """Drop of available memory for each open, sleeping execution."""
    before = available_bytes()
    sleeper = ExecSpec(
        limits=Limits(wall_s=60), program="bench", payload=b"import time; time.sleep(60)"
    )
    processes = [sandbox.start(sleeper) for _ in range(IDLE_SANDBOXES)]
    time.sleep(0.5)
    drop = before - available_bytes()
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()
    return drop / IDLE_SANDBOXES


def measure_all(sandbox: Sandbox, *, quick: bool) -> dict[str, object]:
    """The whole report."""
    rounds, size = (4, 8) if quick else (12, 20)
    best: dict[str, float] = {}
    for _ in range(rounds):
        for measure in (one_subprocess, one_run, one_prepared_run):
            seconds = best_round(measure, sandbox, size)
            best[measure.__name__] = min(seconds, best.get(measure.__name__, seconds))
    fork = fork_s(rounds)
    widths = (1, 2, 8) if quick else (1, 2, 8, 64)
    count = 200 if quick else 1000
    rates = {str(width): rate(sandbox, width, one_run, count) for width in widths}
    return {
        "ratios": {
            "python_run_vs_subprocess": best["one_subprocess"] / best["one_run"],
            "python_run_vs_fork": best["one_run"] / fork,
            "python_run_prepared_vs_subprocess": best["one_subprocess"] / best["one_prepared_run"],
            "open_vs_container": None,
            "fork_vs_copy": None,
        },
        "runs_per_s": {"64": None, **rates},
        "subprocess_runs_per_s": rate(sandbox, 2, one_subprocess, count // 5),
        "idle_sandbox_bytes": None if quick else idle_sandbox_bytes(sandbox),
        "milliseconds": {
            "subprocess": best["one_subprocess"] * 1e3,
            "run": best["one_run"] * 1e3,
            "prepared_run": best["one_prepared_run"] * 1e3,
            "fork": fork * 1e3,
        },
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        program = Path(folder) / "bench.py"
        program.write_text(PROGRAM)
        sandbox = open_sandbox("namespace", slots=2)
        sandbox.prepare([Program(name="bench", path=program)])
        report = measure_all(sandbox, quick=options.quick)
        sandbox.close()
    if options.json:
        print(json.dumps(report))
        return
    for section, values in report.items():
        for name, value in values.items() if isinstance(values, dict) else [("", values)]:
            shown = "not measured" if value is None else f"{value:.2f}"
            print(f"{section:24} {name:36} {shown}")


if __name__ == "__main__":
    main()
