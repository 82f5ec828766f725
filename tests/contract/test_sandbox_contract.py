"""What every sandbox backend promises, proved by real programs."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from posttrain.core.errors import LimitUnsupportedError, SandboxError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Limits
from posttrain.sandbox.backends import open_namespace, open_sandbox
from posttrain.sandbox.protocol import ExecSpec, Level, Process, Program, Sandbox

PROGRAMS = Path(__file__).parents[1] / "data" / "sandbox"
LIMITS = Limits(
    wall_s=20.0,
    cpu_s=10.0,
    memory_bytes=192 * 1024 * 1024,
    disk_bytes=4 * 1024 * 1024,
    files=64,
    pids=12,
)

Start = Callable[..., Process]
Run = Callable[..., ExecResult]


@pytest.fixture(scope="module", params=["process", "namespace", "namespace without cgroups"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param == "namespace without cgroups":
        opened: Sandbox = open_namespace(use_cgroups=False)
    else:
        opened = open_sandbox(request.param, unsafe=True, slots=1)
    opened.prepare(
        [
            Program(name="run_code", path=PROGRAMS / "run_code.py"),
            Program(name="echo", path=PROGRAMS / "echo.py"),
        ]
    )
    yield opened
    opened.close()


@pytest.fixture
def start(sandbox: Sandbox) -> Start:
    def start_code(
        code: str, *, files: dict[str, bytes] | None = None, **limits: object
    ) -> Process:
        changed = replace(LIMITS, **limits)  # type: ignore[arg-type]
        return sandbox.start(
            ExecSpec(limits=changed, program="run_code", payload=code.encode(), files=files or {})
        )

    return start_code


@pytest.fixture
def run(start: Start) -> Run:
    return lambda code, **options: start(code, **options).wait()


def test_a_program_that_returns_is_ok(run: Run) -> None:
    result = run("print('hello')")
    assert (result.outcome, result.exit_code, result.stdout) == (Outcome.OK, 0, b"hello\n")
    assert result.consulted and result.wall_s > 0 and result.signal is None


def test_an_exception_is_nonzero_and_leaves_its_traceback(run: Run) -> None:
    result = run("1 / 0")
    assert (result.outcome, result.exit_code) == (Outcome.NONZERO, 1)
    assert b"ZeroDivisionError" in result.stderr


def test_an_exit_code_is_kept(run: Run) -> None:
    result = run("import sys; sys.exit(7)")
    assert (result.outcome, result.exit_code) == (Outcome.NONZERO, 7)


def test_a_crash_names_its_signal(run: Run) -> None:
    result = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (result.outcome, result.signal) == (Outcome.SIGNALED, signal.SIGSEGV)
    assert result.exit_code is None


def test_being_killed_by_oneself_is_no_memory_failure(run: Run) -> None:
    result = run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert (result.outcome, result.signal) == (Outcome.SIGNALED, signal.SIGKILL)


def test_a_busy_loop_runs_out_of_processor_time(run: Run) -> None:
    result = run("while True: pass", cpu_s=0.3)
    assert (result.outcome, result.limit_hit) == (Outcome.CPU_TIMEOUT, "cpu_s")
    assert 0.3 < result.cpu_s < 1.0


def test_processor_time_of_children_counts(run: Run) -> None:
    code = "import os\nfor _ in range(2):\n os.fork()\nwhile True: pass"
    result = run(code, cpu_s=0.6)
    assert result.outcome is Outcome.CPU_TIMEOUT
    assert result.wall_s < 10


def test_a_sleeper_runs_out_of_wall_time(run: Run) -> None:
    result = run("import time; time.sleep(60)", wall_s=0.2)
    assert (result.outcome, result.limit_hit) == (Outcome.WALL_TIMEOUT, "wall_s")
    assert 0.2 <= result.wall_s < 2


def test_a_program_that_ignores_every_signal_still_ends(run: Run) -> None:
    code = (
        "import signal, time\n"
        "for n in range(1, 32):\n"
        "  try: signal.signal(n, signal.SIG_IGN)\n"
        "  except OSError: pass\n"
        "time.sleep(60)"
    )
    result = run(code, wall_s=0.3)
    assert (result.outcome, result.wall_s < 3) == (Outcome.WALL_TIMEOUT, True)


def test_silence_is_measured_from_the_last_output(run: Run) -> None:
    code = "import time\nfor _ in range(4): print('.', flush=True); time.sleep(.1)\ntime.sleep(60)"
    result = run(code, idle_s=0.3)
    assert (result.outcome, result.limit_hit) == (Outcome.IDLE_TIMEOUT, "idle_s")
    assert result.stdout == b".\n" * 4


def test_a_memory_bomb_is_out_of_memory(run: Run) -> None:
    result = run("held = []\nwhile True: held.append(bytearray(b'x') * (4 << 20))")
    assert (result.outcome, result.limit_hit) == (Outcome.OOM, "memory_bytes")
    assert result.peak_memory_bytes is not None and result.peak_memory_bytes > 150 << 20


def test_memory_of_children_counts(run: Run) -> None:
    code = (
        "import os, time\n"
        "for _ in range(4):\n"
        "  if os.fork() == 0:\n"
        "    held = b'x' * (70 << 20); time.sleep(60)\n"
        "time.sleep(60)"
    )
    assert run(code).outcome is Outcome.OOM


def test_memory_below_the_limit_is_granted(run: Run) -> None:
    result = run("held = b'x' * (120 << 20); print(len(held))")
    assert result.outcome is Outcome.OK


def test_a_fork_bomb_hits_the_process_limit(run: Run) -> None:
    code = "import os, time\nwhile True:\n  if os.fork() == 0: time.sleep(60)"
    result = run(code)
    assert (result.outcome, result.limit_hit) == (Outcome.PIDS_LIMIT, "pids")


def test_a_full_disk_is_told_from_a_crash(run: Run) -> None:
    result = run("f = open('big', 'wb')\nwhile True: f.write(b'x' * 65536)")
    assert (result.outcome, result.limit_hit) == (Outcome.DISK_LIMIT, "disk_bytes")


def test_a_flood_on_both_streams_costs_no_memory_and_does_not_hang(run: Run) -> None:
    before = psutil.Process().memory_info().rss
    code = (
        "import sys, threading\n"
        "def flood(s):\n"
        "  for _ in range(1600): s.write('x' * 65536)\n"
        "threading.Thread(target=flood, args=(sys.stderr,)).start()\n"
        "flood(sys.stdout)"
    )
    result = run(code)
    assert (result.outcome, result.limit_hit) == (Outcome.OUTPUT_LIMIT, "output_bytes")
    assert result.truncated
    assert len(result.stdout) + len(result.stderr) == LIMITS.output_bytes
    assert psutil.Process().memory_info().rss - before < 50 << 20


def test_output_up_to_the_limit_is_kept_whole(run: Run) -> None:
    result = run("print('x' * 300_000, end='')", output_bytes=300_000)
    assert (result.outcome, len(result.stdout)) == (Outcome.OK, 300_000)
    assert not result.truncated


def test_a_cancelled_run_says_so(start: Start) -> None:
    process = start("import time; time.sleep(60)")
    process.kill()
    result = process.wait()
    assert (result.outcome, result.limit_hit) == (Outcome.CANCELLED, None)
    assert process.wait() is result


def test_a_job_that_cannot_be_set_up_is_our_fault(run: Run) -> None:
    result = run("print(1)", files={"../escape": b""})
    assert result.outcome is Outcome.SANDBOX_ERROR
    assert result.is_infra_fault and "escape" in result.detail


def test_a_failure_before_candidate_code_is_not_consulted(run: Run) -> None:
    result = run("#early\nraise ValueError")
    assert (result.outcome, result.consulted) == (Outcome.NONZERO, False)


def test_what_a_candidate_does_cannot_take_back_that_it_was_consulted(run: Run) -> None:
    code = (
        "import os\n"
        "for fd in range(3, 256):\n"
        "  try: os.write(fd, b'F'); os.close(fd)\n"
        "  except OSError: pass\n"
        "os._exit(9)"
    )
    result = run(code)
    assert (result.outcome, result.exit_code, result.consulted) == (Outcome.NONZERO, 9, True)


def test_a_daemon_that_holds_the_pipes_dies_with_its_run(run: Run) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  if os.fork() == 0: time.sleep(60)\n"
        "  os._exit(0)\n"
        "os.wait(); print('parent ends')"
    )
    result = run(code)
    after = psutil.Process().children(recursive=True)
    sleepers = [p for p in after if p.pid not in before and _is_asleep_in(p, "sleep")]
    assert (result.outcome, result.stdout) == (Outcome.OK, b"parent ends\n")
    assert result.wall_s < 5 and not sleepers


def _is_asleep_in(process: psutil.Process, call: str) -> bool:
    try:
        return call in Path(f"/proc/{process.pid}/wchan").read_text()
    except (OSError, psutil.Error):
        return False


def test_text_of_all_the_world_passes_unharmed(run: Run) -> None:
    text = "schön ✓ 日本語 🐍 \\u0000"
    result = run(f"print('{text}')")
    assert result.stdout.decode() == f"{text}\n".replace("\\u0000", "\0")


def test_the_environment_is_empty(run: Run) -> None:
    assert run("import os; print(dict(os.environ))").stdout == b"{}\n"


def test_nothing_but_the_standard_streams_is_inherited(run: Run) -> None:
    result = run("import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])")
    assert result.stdout == b"[0, 1, 2]\n"


def test_files_are_there_before_the_start_and_gone_afterwards(run: Run) -> None:
    first = run("print(open('a/b.txt').read()); open('left', 'w')", files={"a/b.txt": b"content"})
    second = run("import os; print(os.listdir('.'))")
    assert first.stdout == b"content\n"
    assert second.stdout == b"[]\n"


def test_large_payloads_and_files_arrive_whole(run: Run) -> None:
    code = "#" + "x" * 500_000 + "\nprint(len(open('big', 'rb').read()))"
    result = run(code, files={"big": b"y" * 1_000_000})
    assert result.stdout == b"1000000\n"


def test_a_descriptor_reaches_the_program(sandbox: Sandbox) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            spec = ExecSpec(
                limits=LIMITS, program="echo", payload=b"payload ", fds=(theirs.fileno(),)
            )
            process = sandbox.start(spec)
        ours.sendall(b"ab")
        assert process.wait().outcome is Outcome.OK
        assert ours.recv(100) == b"payload abab"


def test_a_command_gets_its_input_environment_and_files(sandbox: Sandbox) -> None:
    result = sandbox.run(
        ExecSpec(
            limits=LIMITS,
            argv=("sh", "-c", "cat; cat file; echo $WORD >/dev/stderr; exit 5"),
            stdin=b"in ",
            files={"file": b"file"},
            env={"WORD": "word"},
        )
    )
    assert (result.outcome, result.exit_code) == (Outcome.NONZERO, 5)
    assert (result.stdout, result.stderr) == (b"in file", b"word\n")
    assert result.consulted


def test_a_command_that_does_not_exist_exits_like_in_a_shell(sandbox: Sandbox) -> None:
    result = sandbox.run(ExecSpec(limits=LIMITS, argv=("no-such-command",)))
    assert (result.outcome, result.exit_code) == (Outcome.NONZERO, 127)


def test_hashes_repeat_and_random_numbers_do_not(run: Run) -> None:
    code = "import random; print(hash('text')); print(random.random())"
    first, second = (run(code).stdout.split() for _ in range(2))
    assert first[0] == second[0]
    assert first[1] != second[1]


def test_no_test_runner_is_loaded_beside_a_candidate(run: Run) -> None:
    code = "import sys; print({'pytest', 'unittest', 'doctest'} & set(sys.modules))"
    assert run(code).stdout == b"set()\n"


def test_a_program_that_loads_a_test_runner_is_refused_unless_it_declares_it(
    sandbox: Sandbox,
) -> None:
    path = PROGRAMS / "needs_unittest.py"
    with pytest.raises(SandboxError, match="unittest"):
        sandbox.prepare([Program(name="careless", path=path)])
    sandbox.prepare([Program(name="declared", path=path, preload=("unittest",))])
    result = sandbox.run(ExecSpec(limits=LIMITS, program="declared"))
    assert result.stdout == b"unittest\n"


def test_named_hosts_are_refused_before_anything_starts(sandbox: Sandbox) -> None:
    limits = replace(LIMITS, network=("example.org",))
    with pytest.raises(LimitUnsupportedError, match=r"example\.org"):
        sandbox.run(ExecSpec(limits=limits, argv=("true",)))


def test_an_unknown_program_is_a_mistake_of_the_caller(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="'absent' is not loaded"):
        sandbox.start(ExecSpec(limits=LIMITS, program="absent"))


def test_every_limit_has_a_level_and_a_mechanism(sandbox: Sandbox) -> None:
    table = sandbox.capabilities()
    assert set(table) == {
        *("wall", "cpu", "memory", "pids", "disk", "files", "output", "network", "idle")
    }
    if sandbox.name == "namespace":
        assert {entry.level for entry in table.values()} == {Level.ENFORCED}


def test_many_threads_get_their_own_answers(sandbox: Sandbox) -> None:
    def ask(number: int) -> bytes:
        spec = ExecSpec(limits=LIMITS, program="run_code", payload=b"print(%d)" % number)
        return sandbox.run(spec).stdout

    with ThreadPoolExecutor(8) as workers:
        answers = list(workers.map(ask, range(48)))
    assert answers == [b"%d\n" % number for number in range(48)]


def test_a_run_is_drained_and_bounded_also_while_nobody_waits(start: Start) -> None:
    process = start("print('x' * 500_000)")
    ended = threading.Event()
    threading.Thread(target=lambda: (process.wait(), ended.set())).start()
    assert ended.wait(10)
    assert len(process.wait().stdout) == 500_001
