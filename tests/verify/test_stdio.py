"""Verdicts on ``stdio`` tasks: real standard input and output."""

from pathlib import Path
from typing import Any

import pytest

from posttrain.core.task import Limits
from posttrain.core.verdict import FailureKind, Status, Validity
from posttrain.verify.stdio import is_equal_output

EXPLOITS = Path(__file__).parents[1] / "data" / "exploits"


def case(stdin: str, stdout: str) -> dict[str, str]:
    return {"stdin": stdin, "stdout": stdout}


@pytest.fixture
def summing(make_task):
    tests = (case("2\n3\n4\n", "9\n"), case("1\n7\n0\n", "8\n"))
    return make_task(
        verifier={"type": "stdio", "entry_point": None, "visible": tests[:1], "hidden": tests[1:]}
    )


def failure_of(verdict: Any) -> tuple[FailureKind, str]:
    assert verdict.status is Status.FAILED and verdict.validity is Validity.VALID
    return verdict.failure.kind, verdict.failure.detail


PROGRAMS = {
    "input": "print(sum(int(input()) for _ in range(3)))",
    "readline then read": """\
import sys
n = int(sys.stdin.readline())
print(n + sum(map(int, sys.stdin.read().split())))
""",
    "bytes": "import sys\nr = sys.stdin.buffer.readline\nprint(sum(int(r()) for _ in range(3)))",
    "iteration": "import sys\nprint(sum(int(line) for line in sys.stdin))",
    "open(0)": "print(sum(map(int, open(0).read().split())))",
    "buffer": "import sys\nsys.stdout.buffer.write(b'%d' % sum(map(int, sys.stdin)))",
    "descriptors": "import os\nos.write(1, str(sum(map(int, os.read(0, 99).split()))).encode())",
    "global": """\
total = 0
def add(n):
    global total
    total += n
for _ in range(3):
    add(int(input()))
print(total)
""",
    "atexit": """\
import atexit, sys
out = []
atexit.register(lambda: sys.stdout.write(out[0]))
out.append(str(sum(map(int, sys.stdin))))
""",
    "thread": """\
import threading
def work():
    print(sum(int(input()) for _ in range(3)))
threading.Thread(target=work).start()
""",
    "main guard": """\
if __name__ == "__main__":
    print(sum(int(input()) for _ in range(3)))
    exit()
""",
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_every_ordinary_way_to_read_and_write_passes(judge, summing, code):
    verdict = judge.grade(summing, code + "\n", seed=1)
    assert verdict.passed, (verdict.failure, verdict.exec.stderr)


@pytest.mark.parametrize(
    ("code", "kind", "detail"),
    [
        ("print(1)", FailureKind.WRONG_ANSWER, ""),
        ("", FailureKind.WRONG_ANSWER, ""),
        ("print(sum(map(int, open(0))))\nexit(1)", FailureKind.EXIT, ": left with status 1"),
        ("print(1 / 0)", FailureKind.EXCEPTION, ": ZeroDivisionError"),
        ("print(", FailureKind.SYNTAX, ": SyntaxError"),
        ("import os\nos.abort()", FailureKind.CRASH, ": SIGABRT"),
        ("while True: print('x' * 1000)", FailureKind.OUTPUT, ": output_limit"),
    ],
)
def test_each_way_to_fail_has_its_kind(judge, summing, code, kind, detail):
    verdict = judge.grade(summing, code + "\n", seed=1)
    assert failure_of(verdict) == (kind, "visible test 0" + detail)


def test_the_time_limits_hold_for_all_runs_of_an_attempt_together(judge, summing, make_task):
    tests = tuple(case(str(n), str(n)) for n in range(12))
    task = make_task(
        verifier={"type": "stdio", "visible": tests}, limits=Limits(wall_s=1.5, cpu_s=5)
    )
    verdict = judge.grade(task, "import time\ntime.sleep(0.4)\nprint(input())\n", seed=1)
    assert failure_of(verdict)[0] is FailureKind.TIMEOUT
    assert verdict.tests.passed < 5


def test_an_unknown_comparison_is_an_error_of_the_task(judge, make_task):
    verifier = {"type": "stdio", "visible": (case("", "1"),), "options": {"compare": "set"}}
    verdict = judge.grade(make_task(verifier=verifier), "print(1)\n", seed=1)
    assert verdict.validity is Validity.TASK_INVALID


@pytest.mark.parametrize(
    ("expect", "actual", "exact", "tokens", "close"),
    [
        (b"1 2\n", b"1 2", True, True, True),
        (b"1 2\n", b"1 2\n\n", False, True, True),
        (b"1 2\n", b"1  2\n", False, True, True),
        (b"YES NO YES\n", b"NO YES YES\n", False, False, False),
        (b"0.5\n", b"0.50000001\n", False, False, True),
        (b"1\n", b"1.0\n", False, False, True),
        (b"1\n", "\N{FULLWIDTH DIGIT ONE}\n".encode(), False, False, False),
        (b"1\n", b"nan\n", False, False, False),
        (b"1\n", b"1 1\n", False, False, False),
        (b"\n", b"", True, True, True),
    ],
)
def test_outputs_are_compared_as_the_task_declares(expect, actual, exact, tokens, close):
    found = [is_equal_output(expect, actual, name) for name in ("exact", "tokens", "float")]
    assert found == [exact, tokens, close]


@pytest.mark.parametrize(
    "name", ["io_dup_key_json", "io_empty_on_error", "io_set_order", "honest_wrong"]
)
def test_programs_that_cheat_or_err_fail_and_the_right_one_passes(judge, make_task, name):
    tests = (case("3 1 3 2 1\n", "3 1 2\n"), case("5 4 5 6 4\n", "5 4 6\n"))
    task = make_task(verifier={"type": "stdio", "visible": tests})
    verdict = judge.grade(task, (EXPLOITS / f"{name}.py").read_text(), seed=1)
    assert failure_of(verdict)[0] is FailureKind.WRONG_ANSWER
    assert judge.grade(task, (EXPLOITS / "honest_right.py").read_text(), seed=1).passed
