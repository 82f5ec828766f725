"""What candidate code can see, reach and change from behind the walls."""

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Limits
from posttrain.sandbox.backends import open_sandbox
from posttrain.sandbox.protocol import ExecSpec, Program, Sandbox

PROGRAM = Program(
    name="run_code", path=Path(__file__).parents[1] / "data" / "sandbox" / "run_code.py"
)
LIMITS = Limits(wall_s=20.0, files=64, disk_bytes=4 * 1024 * 1024)

Say = Callable[..., str]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    opened = open_sandbox("namespace")
    opened.prepare([PROGRAM])
    yield opened
    opened.close()


@pytest.fixture
def run(sandbox: Sandbox) -> Callable[..., ExecResult]:
    return lambda code, **limits: sandbox.run(
        ExecSpec(limits=replace(LIMITS, **limits), program="run_code", payload=code.encode())
    )


@pytest.fixture
def say(run: Callable[..., ExecResult]) -> Say:
    """What the code prints, or the name of the exception that ended it."""

    def answer(code: str, **limits: object) -> str:
        result = run(code, **limits)
        if result.outcome is Outcome.OK:
            return result.stdout.decode().strip()
        return result.stderr.decode().strip().rpartition("\n")[2].partition(":")[0]

    return answer


def test_a_listening_port_of_the_host_is_out_of_reach(say: Say) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        assert say(code) == "OSError"


def test_an_abstract_socket_of_the_host_is_out_of_reach(say: Say) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        name = f"\0posttrain-test-{os.getpid()}"
        server.bind(name)
        server.listen()
        code = f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})"
        assert say(code) == "ConnectionRefusedError"


def test_the_loopback_opens_only_where_a_task_allows_it(say: Say) -> None:
    code = (
        "import socket\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname(), 2); print('joined')"
    )
    assert say(code) == "OSError"
    assert say(code, network="loopback") == "joined"
    assert say(code) == "OSError"


def test_files_of_the_driver_are_invisible(say: Say) -> None:
    with tempfile.NamedTemporaryFile() as secret:
        places = [secret.name, __file__, str(Path.home() / ".bashrc"), "/etc/shadow", "/home"]
        code = f"import os; print([p for p in {places!r} if os.path.exists(p)])"
        assert say(code) == "[]"


def test_processes_of_the_host_are_invisible(say: Say) -> None:
    code = "import os; print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit()))"
    assert say(code) == "[1, 2]"


def test_the_identity_is_an_ordinary_one_without_privileges(say: Say) -> None:
    code = (
        "import os\n"
        "status = dict(l.split(':\\t', 1) for l in open('/proc/self/status').read().splitlines())\n"
        "print(os.getuid() > 0, os.getpid() != 1, status['NoNewPrivs'],"
        " {status[k] for k in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')})"
    )
    assert say(code) == "True True 1 {'0000000000000000'}"


@pytest.mark.parametrize(
    "flag",
    ["0x10000000", "0x00020000", "0x40000000", "0x20000000"],
    ids=["user", "mnt", "net", "pid"],
)
def test_no_further_namespace_can_be_made(say: Say, flag: str) -> None:
    code = f"import ctypes; print(ctypes.CDLL(None).unshare({flag}))"
    assert say(code) == "-1"


def test_the_system_and_the_interpreter_are_read_only(say: Say) -> None:
    code = (
        "import os, sys\n"
        "refused = 0\n"
        "for path in (sys.prefix + '/x', '/usr/bin/x', '/etc/x', '/x', '/dev/x'):\n"
        "  try: open(path, 'w')\n"
        "  except OSError: refused += 1\n"
        "print(refused)"
    )
    assert say(code) == "5"


def test_scratch_space_is_one_bounded_place(say: Say) -> None:
    code = (
        "written = 0\n"
        "for place in ('/tmp/a', '/dev/shm/b', 'c'):\n"
        "  try:\n"
        "    with open(place, 'wb', buffering=0) as f:\n"
        "      while True: written += f.write(b'x' * 4096)\n"
        "  except OSError: pass\n"
        "print(written)"
    )
    assert int(say(code, disk_bytes=1 << 20)) <= 1 << 20


def test_inodes_are_bounded(run: Callable[..., ExecResult]) -> None:
    result = run("for n in range(100): open(str(n), 'w')", files=20)
    assert (result.outcome, result.limit_hit) == (Outcome.DISK_LIMIT, "files")


def test_nothing_passes_from_one_run_to_the_next(say: Say) -> None:
    leave = (
        "import ctypes\n"
        "for place in ('/tmp/note', '/dev/shm/note', 'note'): open(place, 'w').write('x')\n"
        "print(ctypes.CDLL(None).shmget(4711, 4096, 0o1666) >= 0)"
    )
    look = (
        "import ctypes, os\n"
        "print(os.listdir('/tmp'), os.listdir('/dev/shm'), os.listdir('.'),"
        " ctypes.CDLL(None).shmget(4711, 4096, 0o666))"
    )
    assert say(leave) == "True"
    assert say(look) == "['box'] ['box'] [] -1"


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGSTOP", "SIGCHLD", "SIGINT"])
def test_the_init_takes_no_signals_from_candidates(say: Say, name: str) -> None:
    code = f"import os, signal, time; os.kill(1, signal.{name}); time.sleep(0.05); print('alive')"
    assert say(code) == "alive"


def test_the_memory_and_descriptors_of_the_init_are_closed_to_candidates(say: Say) -> None:
    code = (
        "refused = 0\n"
        "import os\n"
        "for path in ('/proc/1/mem', '/proc/1/fd/0', '/proc/1/environ'):\n"
        "  try: open(path, 'rb')\n"
        "  except OSError: refused += 1\n"
        "try: os.listdir('/proc/1/fd')\n"
        "except OSError: refused += 1\n"
        "print(refused)"
    )
    assert say(code) == "4"


def test_breaking_the_init_is_the_candidates_own_failure(
    run: Callable[..., ExecResult], say: Say
) -> None:
    code = (
        "import resource\n"
        "for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_DATA):\n"
        "  resource.prlimit(1, limit, (0, 0))\n"
        "raise SystemExit(3)"
    )
    result = run(code)
    assert result.outcome is not Outcome.OK
    assert result.consulted and not result.is_infra_fault
    assert say("print('next')") == "next"


def test_orphans_are_reaped(say: Say) -> None:
    code = (
        "import os, time\n"
        "for _ in range(5):\n"
        "  if os.fork() == 0:\n"
        "    if os.fork() == 0: os._exit(0)\n"
        "    os._exit(0)\n"
        "  os.wait()\n"
        "time.sleep(0.05)\n"
        "print([n for n in os.listdir('/proc') if n.isdigit()])"
    )
    assert say(code) == "['1', '2']"


def test_deep_recursion_in_c_code_has_a_full_stack(say: Say) -> None:
    code = (
        "import sys\n"
        "sys.setrecursionlimit(40_000)\n"
        "deep = []\n"
        "for _ in range(20_000): deep = [deep]\n"
        "print(len(repr(deep)))"
    )
    assert say(code) == "40002"


def test_a_program_may_use_threads(say: Say) -> None:
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, range(10))))"
    )
    assert say(code) == "45"


def test_the_first_run_of_a_sandbox_is_measured_and_bounded_like_any_other() -> None:
    opened = open_sandbox("namespace")
    opened.prepare([PROGRAM])
    code = b"held = b'x' * (100 << 20)"
    results = [
        opened.run(
            ExecSpec(
                limits=replace(LIMITS, memory_bytes=limit_bytes), program="run_code", payload=code
            )
        )
        for limit_bytes in (200 << 20, 50 << 20)
    ]
    opened.close()
    assert [result.outcome for result in results] == [Outcome.OK, Outcome.OOM]
    assert (results[0].peak_memory_bytes or 0) > 90 << 20


def test_what_a_candidate_does_to_its_output_pipes_ends_with_it(
    run: Callable[..., ExecResult], say: Say
) -> None:
    spoil = (
        "import fcntl, os\n"
        "for fd in (1, 2):\n"
        "  fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)\n"
        "  os.set_blocking(fd, False)\n"
        "  open(f'/proc/self/fd/{fd}', 'rb', buffering=0)"
    )
    look = (
        "import fcntl, os\n"
        "print([(os.get_blocking(fd), fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ)) for fd in (1, 2)])"
    )
    before = say(look)
    assert run(spoil).outcome is Outcome.OK
    assert say(look) == before
    assert len(run("print('x' * 400_000)").stdout) == 400_001
