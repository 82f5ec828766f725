import json
from pathlib import Path

import pytest

from posttrain.core.errors import TaskFormatError
from posttrain.core.task import Limits, Message, Source, Split, Task, VerifierSpec
from posttrain.loop.grade_run import GradeSpec, grade_solutions, is_over_error_share
from posttrain.loop.import_run import import_run
from posttrain.tasks.format import read_tasks, write_tasks

TASK = Task(
    id="double",
    domain="code",
    family="double",
    split=Split.EVAL,
    prompt=(Message(role="user", content="double x"),),
    verifier=VerifierSpec(
        type="function",
        entry_point="double",
        visible=({"args": [1], "expect": 2},),
        hidden=({"args": [2], "expect": 4}, {"args": [0], "expect": 0}),
    ),
    limits=Limits(wall_s=6, cpu_s=1),
    source=Source(name="test", license="CC0-1.0"),
)
SOLUTIONS = (
    {"solution_id": "right", "solution": "def double(x):\n    return 2 * x\n"},
    {"solution_id": "wrong", "solution": "def double(x):\n    return x\n"},
    {"solution_id": "slow", "solution": "def double(x):\n    while True: pass\n"},
    {"solution_id": "text", "completion": "I would multiply."},
    {"solution_id": "fenced", "completion": "```python\ndef double(x):\n    return x + x\n```"},
)


@pytest.fixture
def spec(tmp_path: Path) -> GradeSpec:
    write_tasks(tmp_path / "tasks.jsonl", [TASK])
    lines = [json.dumps({"task_id": "double", **solution}) for solution in SOLUTIONS]
    (tmp_path / "solutions.jsonl").write_text("\n".join(lines) + "\n")
    return GradeSpec(
        tasks=tmp_path / "tasks.jsonl",
        solutions=tmp_path / "solutions.jsonl",
        out=tmp_path / "out" / "results.jsonl",
        workers=2,
        backend="process",
        unsafe=True,
    )


def _results(spec: GradeSpec) -> list[dict[str, object]]:
    assert spec.out is not None
    return [json.loads(line) for line in spec.out.read_text().splitlines()]


def test_results_keep_the_order_of_the_solutions_and_count_up(spec: GradeSpec) -> None:
    summary = grade_solutions(spec)
    results = _results(spec)
    assert [line["solution_id"] for line in results] == [s["solution_id"] for s in SOLUTIONS]
    assert [line["status"] for line in results] == ["passed", *["failed"] * 3, "passed"]
    counted = {name: summary[name] for name in ("tasks", "solutions", "passed", "failed", "error")}
    assert counted == {"tasks": 1, "solutions": 5, "passed": 2, "failed": 3, "error": 0}


def test_wrong_slow_and_missing_code_fail_for_their_own_reasons(spec: GradeSpec) -> None:
    grade_solutions(spec)
    kinds = [line["failure"] and line["failure"]["kind"] for line in _results(spec)]  # type: ignore[index]
    assert kinds == [None, "wrong_answer", "timeout", "format", None]


def test_a_solution_of_an_unknown_task_is_refused_before_anything_runs(spec: GradeSpec) -> None:
    with spec.solutions.open("a") as file:
        file.write('{"task_id": "other", "solution": "x"}\n')
    with pytest.raises(TaskFormatError, match=r"'other', which .* does not hold"):
        grade_solutions(spec)
    assert spec.out is not None and not spec.out.exists()


def test_an_interrupted_grading_leaves_the_old_results_as_they_were(spec: GradeSpec) -> None:
    assert spec.out is not None
    spec.out.parent.mkdir()
    spec.out.write_text("old\n")

    def interrupt(line: dict[str, object], total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade_solutions(spec, interrupt)
    assert [path.name for path in spec.out.parent.iterdir()] == ["results.jsonl"]
    assert spec.out.read_text() == "old\n"


@pytest.mark.parametrize(
    ("errors", "allowed", "over"), [(0, 0.0, False), (1, 0.0, True), (1, 0.2, False)]
)
def test_the_share_of_errors_decides_the_exit(errors: int, allowed: float, over: bool) -> None:
    assert is_over_error_share({"error": errors, "solutions": 5}, allowed) is over


def test_an_import_runs_the_references_to_fix_the_trust(tmp_path: Path) -> None:
    row = {
        "task_id": "HumanEval/900",
        "prompt": "def one() -> int:\n    '''Return 1.'''\n",
        "canonical_solution": "    return 1\n",
        "test": "def check(candidate):\n    assert candidate() == 1\n",
        "entry_point": "one",
    }
    (tmp_path / "HumanEval.jsonl").write_text(json.dumps(row) + "\n")
    summary = import_run(
        "humaneval",
        tmp_path / "HumanEval.jsonl",
        tmp_path / "tasks.jsonl",
        backend="process",
        unsafe=True,
    )
    assert (summary["tasks"], summary["isolated"], summary["report"]) == (1, 1, [])
    assert len(read_tasks(tmp_path / "tasks.jsonl")) == 1
