"""What counts as tampering is what was observed to happen, and nothing else."""

import random
from typing import Any

import pytest

from posttrain.core.verdict import FailureKind, Status, Validity
from posttrain.tasks.format import read_tasks
from posttrain.tasks.samples import sample_path
from posttrain.verify.batch import grade_many

CASES = tuple({"args": [n], "expect": n} for n in range(4))


@pytest.fixture
def identity(make_task):
    return make_task(verifier={"visible": CASES[:2], "hidden": CASES[2:]})


def graded(judge: Any, task: Any, code: str) -> Any:
    verdict = judge.grade(task, code, seed=1)
    assert verdict.status is Status.FAILED and verdict.validity is Validity.VALID
    return verdict


FORGE = """\
import os, socket, struct, sys
def sockets():
    for fd in range(3, 64):
        try:
            yield socket.socket(fileno=os.dup(fd))
        except OSError:
            pass
def send(data):
    for s in sockets():
        s.sendall(struct.pack('>I', len(data)) + data)
def f(n):
    {act}
    return n
"""


@pytest.mark.parametrize(
    "act",
    [
        "send(b'[1, \"value\", 1, null]')",
        "send(b'not json')",
        "send(b'[]')",
        "send(b'{}')",
        "send(b'[0, \"loaded\"]')",
        "[s.sendall(b'\\xff' * 64) for s in sockets()]",
        "send(b'[' * 100000)",
    ],
)
def test_a_frame_that_nobody_asked_for_is_tampering(judge, identity, act):
    verdict = graded(judge, identity, FORGE.format(act=act))
    assert verdict.failure.kind is FailureKind.TAMPER
    assert [finding.kind for finding in verdict.tamper] == ["forged_frame"]


def test_bytes_sent_after_the_last_reply_are_tampering(judge, make_task):
    task = make_task(verifier={"visible": CASES[:1]})
    code = """\
import os, sys
def f(n):
    frame = sys._getframe(1)
    while 'channel' not in frame.f_locals:
        frame = frame.f_back
    channel = frame.f_locals['channel']
    send = channel.send
    channel.send = lambda data: (send(data), send(b'[]'))
    return n
"""
    verdict = judge.grade(task, code, seed=1)
    assert verdict.passed or verdict.tamper, "a late frame is seen, or comes too late to matter"
    assert judge.grade(task, "def f(n):\n    return n\n", seed=1).tamper == ()


def test_a_reply_that_is_forged_well_gains_no_more_than_returning_it(judge, identity):
    code = """\
import sys
def f(n):
    frame = sys._getframe(1)
    while 'number' not in frame.f_locals:
        frame = frame.f_back
    number, channel = frame.f_locals['number'], frame.f_locals['channel']
    channel.send(b'[%d,"value",-1,null]' % number)
    frame = None
    while True:
        import json
        number, args, kwargs, _ = json.loads(channel.receive())
        channel.send(b'[%d,"value",-1,null]' % number)
"""
    verdict = graded(judge, identity, code)
    assert verdict.tests.passed == 0


LIARS = {
    "equal to everything": ("__eq__", "class X:\n    def __eq__(self, other): return True"),
    "never different": ("__eq__", "class X:\n    def __ne__(self, other): return False"),
    "a list equal to everything": (
        "__eq__",
        "class X(list):\n    def __eq__(self, other): return True",
    ),
    "equal to every int": (
        "__eq__",
        "class X(int):\n    def __eq__(self, other): return isinstance(other, int)\n"
        "    __hash__ = int.__hash__",
    ),
    "another class": (
        "__class__",
        "class X:\n    @property\n    def __class__(self): return int",
    ),
    "a class equal to others": (
        "type.__eq__",
        "class M(type):\n    def __eq__(self, other): return True\n    __hash__ = type.__hash__\n"
        "class X(metaclass=M): pass",
    ),
    "a changing hash": (
        "__hash__",
        "import itertools\nc = itertools.count()\nclass X:\n    def __hash__(self): return next(c)",
    ),
}


@pytest.mark.parametrize("name", LIARS)
def test_an_object_that_lies_about_itself_is_tampering(judge, identity, name):
    lie, source = LIARS[name]
    verdict = graded(judge, identity, f"{source}\ndef f(n):\n    return [X()]\n")
    assert [finding.kind for finding in verdict.tamper] == ["lying_object"]
    assert lie in verdict.tamper[0].evidence


def test_one_liar_among_honest_objects_is_found(judge, identity):
    source = LIARS["equal to everything"][1]
    code = f"{source}\nclass Y: pass\ndef f(n):\n    return [Y(), Y(), X(), Y()]\n"
    assert graded(judge, identity, code).tamper


HONEST = [
    "from collections import namedtuple\nP = namedtuple('P', 'x')\ndef f(n): return P(n)",
    "from enum import IntEnum\nE = IntEnum('E', 'A B C D')\ndef f(n): return E(n + 1)",
    "from dataclasses import dataclass\n@dataclass\nclass D:\n    n: int\ndef f(n): return D(n)",
    "from collections import defaultdict\ndef f(n): return defaultdict(lambda: n)",
    "from collections import UserList\ndef f(n): return UserList([n])",
    "from fractions import Fraction\ndef f(n): return Fraction(n, 1)",
    "from decimal import Decimal\ndef f(n): return Decimal(n)",
    "from pathlib import Path\ndef f(n): return Path(str(n))",
    "import datetime\ndef f(n): return datetime.date(2020, 1, n + 1)",
    "import array\ndef f(n): return array.array('i', [n])",
    "class N:\n    def __init__(s, n): s.n = n\n    def __eq__(s, o): return s.n == o.n\n"
    "def f(n): return N(n)",
    "class N:\n    def __init__(s, n): s.n = n\n    def __eq__(s, o): return str(s.n) == str(o)\n"
    "def f(n): return N(n)",
    "class S(str):\n    def __eq__(s, o): return s.lower() == str(o).lower()\n"
    "    def __hash__(s): return hash(s.lower())\ndef f(n): return S(n)",
    "class L(list):\n    def __eq__(s, o): return list(s) == list(o)\ndef f(n): return L([n])",
    "class L:\n    def __len__(s): return 1\n    def __eq__(s, o): return len(s) == len(o)\n"
    "def f(n): return L()",
    "def f(n): return f",
    "def f(n): return (x for x in [n])",
    "def f(n): return type(n)",
    "import re\ndef f(n): return re.match('a', 'a')",
]


@pytest.mark.parametrize("code", HONEST)
def test_an_honest_object_is_the_wrong_type_and_no_tampering(judge, identity, code):
    verdict = graded(judge, identity, code + "\n")
    assert verdict.failure.kind is FailureKind.WRONG_TYPE
    assert verdict.tamper == ()


def test_a_call_that_the_task_forbids_is_tampering_even_when_the_error_is_swallowed(
    judge, make_task
):
    options = {"forbid": ["sorted", "math.gcd"]}
    tests = ({"args": [[2, 1]], "expect": [1, 2]},)
    task = make_task(verifier={"visible": tests, "options": options})
    honest = "def f(xs):\n    xs = list(xs)\n    xs.sort()\n    return xs\n"
    assert judge.grade(task, honest, seed=1).passed
    for call in ("sorted(xs)", "__import__('math').gcd(2, 4)"):
        code = f"""\
def f(xs):
    try:
        {call}
    except Exception:
        pass
    return [1, 2]
"""
        verdict = graded(judge, task, code)
        assert verdict.failure.kind is FailureKind.FORBIDDEN
        assert [finding.kind for finding in verdict.tamper] == ["forbidden_call"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("import sys\nsys._getframe()", "frame_access"),
        ("import gc\ngc.get_objects()", "heap_access"),
        ("import unittest", "test_runner_import"),
        ("class A:\n    def __eq__(self, other): return True", "constant_equality"),
        ("import time\ntime.time = lambda: 0", "patched_module"),
    ],
)
def test_a_source_scan_raises_suspicion_and_changes_no_verdict(judge, identity, code, kind):
    verdict = judge.grade(identity, f"{code}\ndef f(n): return n\n", seed=1)
    assert verdict.passed and verdict.tamper == ()
    assert kind in [finding.kind for finding in verdict.suspicion]


@pytest.mark.slow
def test_two_thousand_honest_attempts_show_no_tampering_and_no_error(judge):
    tasks = [*read_tasks(sample_path("humaneval")), *read_tasks(sample_path("mbpp"))]
    draw = random.Random(7)
    items = []
    for task in tasks * 25:
        other = draw.choice(tasks)
        alias = f"{task.verifier.entry_point} = {other.verifier.entry_point}"
        items.append((task, f"{other.reference}\n{alias}\n"))
    verdicts = [verdict for _, verdict in grade_many(judge, items, workers=4, seed=3)]
    assert len(verdicts) == 2000
    assert [verdict.tamper for verdict in verdicts if verdict.tamper] == []
    assert [verdict.failure for verdict in verdicts if verdict.status is Status.ERROR] == []
