import json

import pytest

from posttrain.core.errors import TaskFormatError
from posttrain.tasks.solutions import read_solutions


def test_each_form_gives_its_code(tmp_path):
    path = tmp_path / "solutions.jsonl"
    lines = [
        {"task_id": "a", "solution_id": "s", "completion": "```python\nx = 1\n```"},
        {"task_id": "a", "completion": "no code"},
        {"task_id": "b", "solution": "y = 2\n"},
        {"task_id": "c", "files": {"m.py": "z = 3\n"}},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    solutions = read_solutions(path)
    assert [solution.code for solution in solutions] == ["x = 1\n", None, "y = 2\n", None]
    assert [solution.solution_id for solution in solutions] == ["s", "1", "2", "3"]
    assert solutions[3].files == {"m.py": "z = 3\n"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"task_id": "a"}, "no form given"),
        ({"task_id": "a", "solution": "", "completion": ""}, "completion and solution given"),
        ({"task_id": "a", "code": ""}, "unknown key 'code'"),
        ({"solution": ""}, "key 'task_id' is missing"),
    ],
)
def test_a_bad_solution_names_its_line(tmp_path, line, complaint):
    path = tmp_path / "solutions.jsonl"
    path.write_text(json.dumps(line))
    with pytest.raises(TaskFormatError, match=f"solutions.jsonl:1: .*{complaint}"):
        read_solutions(path)
