"""Test programs that run in a process of their own, joined to the candidate's."""

from typing import Any

import pytest

from posttrain.core.task import Limits, Trust
from posttrain.core.verdict import FailureKind, Status, Validity


def program(*lines: str) -> dict[str, str]:
    return {"program": "\n".join(lines) + "\n"}


def failure_of(verdict: Any) -> tuple[FailureKind, str]:
    assert verdict.status is Status.FAILED and verdict.validity is Validity.VALID
    return verdict.failure.kind, verdict.failure.detail


def test_each_assert_of_a_program_is_counted_as_one_test(judge, make_task):
    test = program("import math", "assert f(4) == math.sqrt(16)", "assert f(9) == math.sqrt(9)")
    verdict = judge.grade(make_task(verifier={"visible": (test,)}), "f = abs\n", seed=1)
    assert (verdict.tests.passed, verdict.tests.total) == (1, 2)
    assert failure_of(verdict) == (FailureKind.WRONG_ANSWER, "visible test 1")


def test_arguments_changed_in_place_are_changed_on_the_test_side(judge, make_task):
    test = program(
        "inner, d, s = [3], {'a': [1]}, {1}",
        "xs = [2, inner]",
        "f(xs, d, s)",
        "assert xs == [2, [3, 4], 9] and inner == [3, 4]",
        "assert d == {'a': [1, 2], 'b': 0} and s == {2}",
    )
    code = """\
def f(xs, d, s):
    xs[1].append(4)
    xs.append(9)
    d['a'].append(2)
    d['b'] = 0
    s.clear()
    s.add(2)
"""
    assert judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1).passed


def test_an_exception_of_the_candidate_is_raised_on_the_test_side(judge, make_task):
    test = program(
        "try:",
        "    f('no number')",
        "except ValueError as error:",
        "    assert 'no number' in str(error)",
        "else:",
        "    assert False",
    )
    code = "class Odd(ValueError): pass\ndef f(text):\n    raise Odd(f'{text}?')\n"
    assert judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1).passed
    silent = judge.grade(make_task(verifier={"hidden": (test,)}), "def f(text): pass\n", seed=1)
    assert failure_of(silent)[0] is FailureKind.WRONG_ANSWER


def test_an_exception_that_the_program_does_not_expect_names_class_and_line(judge, make_task):
    test = program("for n in range(3):", "    assert f(n) == n")
    code = "def f(n):\n    return [0, 1][n]\n"
    verdict = judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1)
    assert failure_of(verdict) == (FailureKind.EXCEPTION, "hidden test 0: IndexError at line 2")


def test_the_programs_own_operators_decide_on_plain_data(judge, make_task):
    test = program("for n in range(2):", "    assert f(n) == n * 2")
    assert judge.grade(
        make_task(verifier={"hidden": (test,)}), "def f(n):\n    return n * 2.0\n", seed=1
    ).passed


def test_containers_of_the_standard_library_cross_as_themselves(judge, make_task):
    test = program(
        "from collections import Counter, deque, defaultdict, OrderedDict",
        "made = f(deque([1], 3), Counter('ab'))",
        "assert made[0] == Counter('aab') and type(made[0]) is Counter",
        "assert made[1] == deque([1, 2]) and made[1].maxlen == 3",
        "assert made[2]['new'] == [] and isinstance(made[2], defaultdict)",
        "assert list(made[3]) == ['z', 'a']",
    )
    code = """\
from collections import OrderedDict, defaultdict
def f(queue, count):
    queue.append(2)
    count['a'] += 1
    return count, queue, defaultdict(list), OrderedDict(z=1, a=2)
"""
    assert judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1).passed


def test_a_named_tuple_is_the_wrong_type_and_no_tampering(judge, make_task):
    test = program("for n in range(2):", "    assert f(n) == (n, n)")
    code = """\
from collections import namedtuple
P = namedtuple('P', 'x y')
def f(n):
    return P(n, n)
"""
    verdict = judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1)
    assert failure_of(verdict) == (FailureKind.WRONG_TYPE, "hidden test 0: P")
    assert verdict.tamper == ()


def test_cases_and_programs_of_one_task_are_judged_together(judge, make_task):
    verifier = {
        "visible": ({"args": [1], "expect": 1}, {"args": [2], "expect": 2.0}),
        "hidden": (program("for n in range(3):", "    assert f(n) == n"),),
    }
    verdict = judge.grade(make_task(verifier=verifier), "def f(n):\n    return n\n", seed=1)
    assert failure_of(verdict) == (FailureKind.WRONG_TYPE, "visible test 1")
    assert verdict.tests.hidden.passed == 1


def test_candidate_and_test_processes_cannot_see_each_others_secrets(judge, make_task):
    test = program("secret = 'xyzzy'", "for n in range(2):", "    assert f() == []")
    code = """\
import gc, os, sys
def f():
    word = 'yzzyx'[::-1]
    found = [type(o) for o in gc.get_objects() if type(o) in (dict, list) and word in str(o)]
    found = [kind.__name__ for kind in found]
    frame = sys._getframe(1)
    while frame:
        found += [name for name, value in frame.f_locals.items() if word in str(value)]
        frame = frame.f_back
    for pid in filter(str.isdigit, os.listdir('/proc')):
        for name in ('cmdline', 'environ'):
            try:
                if word.encode() in open(f'/proc/{pid}/{name}', 'rb').read():
                    found.append(pid)
            except OSError:
                pass
    return found
"""
    verdict = judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1)
    assert verdict.passed, verdict.failure


def test_a_name_that_the_program_lacks_is_a_fault_of_the_task(judge, make_task):
    test = program("for n in range(2):", "    assert f(n) == Node(n)")
    verdict = judge.grade(make_task(verifier={"hidden": (test,)}), "def f(n): pass\n", seed=1)
    assert verdict.status is Status.ERROR and verdict.validity is Validity.TASK_INVALID


def test_a_name_error_of_the_candidate_stays_the_candidates(judge, make_task):
    test = program("for n in range(2):", "    assert f(n) == n")
    code = "def f(n):\n    return undefined\n"
    verdict = judge.grade(make_task(verifier={"hidden": (test,)}), code, seed=1)
    assert failure_of(verdict) == (FailureKind.EXCEPTION, "hidden test 0: NameError at line 2")


def test_a_program_that_never_calls_the_candidate_proves_nothing(judge, make_task):
    test = program("for n in []:", "    assert f(n) == n")
    verdict = judge.grade(make_task(verifier={"hidden": (test,)}), "def f(n): pass\n", seed=1)
    assert verdict.validity is Validity.TASK_INVALID


def test_data_that_makes_the_comparison_endless_is_the_candidates_time_out(judge, make_task):
    test = program("x = f()", "while x == 1:", "    pass", "assert x == 2")
    task = make_task(verifier={"hidden": (test,)}, limits=Limits(wall_s=1, cpu_s=1))
    assert judge.grade(task, "def f(): return 2\n", seed=1).passed
    kind, _ = failure_of(judge.grade(task, "def f(): return 1\n", seed=1))
    assert kind is FailureKind.TIMEOUT


@pytest.fixture
def nodes(make_task):
    test = program("node = Node(3)", "assert f(node) is node")
    return make_task(verifier={"hidden": (test,), "trust": Trust.SHARED})


NODES = """\
class Node:
    def __init__(self, n):
        self.n = n

def f(node):
    return node
"""


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (("return node", "return None"), FailureKind.WRONG_ANSWER),
        (("return node", "return node.x"), FailureKind.EXCEPTION),
        (("return node", "exit()"), FailureKind.EXIT),
        (("def f", "def g"), FailureKind.TARGET),
        (("class Node:", "class Node"), FailureKind.SYNTAX),
        (("class Node:", "class Nod:"), FailureKind.WRONG_ANSWER),
    ],
)
def test_failures_in_one_process_have_the_same_kinds(judge, nodes, change, kind):
    assert failure_of(judge.grade(nodes, NODES.replace(*change), seed=1))[0] is kind


def test_a_result_that_no_test_gave_is_forgery_in_a_shared_process(judge, nodes):
    forged = b'["passed",""]'
    code = (
        f"""\
import os
for fd in range(3, 20):
    try:
        os.write(fd, {(len(forged).to_bytes(4, "big") + forged) * 2!r})
    except OSError:
        pass
"""
        + NODES
    )
    verdict = judge.grade(nodes, code, seed=1)
    assert failure_of(verdict)[0] is FailureKind.TAMPER
