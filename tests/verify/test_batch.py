from posttrain.core.task import Trust
from posttrain.tasks.format import read_tasks
from posttrain.tasks.samples import sample_path
from posttrain.verify.batch import grade_many
from posttrain.verify.trust import fix_trust

IDENTITY = "def f(n):\n    return n\n"


def numbered(make_task, n):
    return make_task(id=f"toy/{n}", verifier={"visible": ({"args": [n], "expect": n},)})


def test_each_item_is_graded_once_under_its_position(judge, make_task):
    items = [(numbered(make_task, n), IDENTITY if n % 3 else None) for n in range(9)]
    graded = dict(grade_many(judge, items, workers=2, seed=1))
    assert sorted(graded) == list(range(9))
    assert [graded[n].task_id for n in range(9)] == [f"toy/{n}" for n in range(9)]
    assert [graded[n].passed for n in range(9)] == [bool(n % 3) for n in range(9)]


def test_items_are_read_only_as_fast_as_they_are_graded(judge, make_task):
    read = []

    def items():
        for n in range(20):
            read.append(n)
            yield numbered(make_task, n), IDENTITY

    graded = grade_many(judge, items(), workers=1, seed=1)
    next(graded)
    assert len(read) <= 4
    graded.close()


def test_verdicts_do_not_depend_on_the_number_of_workers(judge, make_task):
    task = make_task(verifier={"visible": tuple({"args": [n], "expect": 0} for n in range(9))})
    code = "import random\ndef f(n):\n    return random.randrange(2)\n"
    shares = []
    for workers in (1, 3):
        graded = dict(grade_many(judge, [(task, code)] * 4, workers=workers, seed=7))
        shares.append([graded[n].tests.passed for n in range(4)])
    assert shares[0] == shares[1]


def test_every_reference_of_the_samples_passes_isolated(judge):
    for name in ("humaneval", "mbpp"):
        tasks = read_tasks(sample_path(name))
        items = [(task, task.reference) for task in tasks]
        failed = [v for _, v in grade_many(judge, items, workers=2, seed=1) if not v.passed]
        assert [v.task_id for v in failed if v.trust is Trust.ISOLATED] == []


def test_trust_is_shared_only_where_a_reference_needs_it_and_the_cause_is_told(judge, make_task):
    plain = numbered(make_task, 1)
    needs_class = {"visible": ({"program": "assert f(Node(2)).n == 2"},)}
    tasks = [
        make_task(id="plain", verifier={"visible": plain.verifier.visible}, reference=IDENTITY),
        make_task(
            id="class",
            verifier=needs_class,
            reference="class Node:\n    def __init__(self, n): self.n = n\n" + IDENTITY,
        ),
        make_task(id="wrong", verifier=needs_class, reference="def f(n): return 0\n"),
    ]
    fixed, report = fix_trust(judge, tasks)
    assert [task.verifier.trust for task in fixed] == [
        Trust.ISOLATED,
        Trust.SHARED,
        Trust.ISOLATED,
    ]
    assert [(entry["id"], entry["trust"], entry["status"]) for entry in report] == [
        ("class", "shared", "passed"),
        ("wrong", "isolated", "error"),
    ]
    assert "Node" in report[0]["cause"]
