import shutil
from pathlib import Path

import pytest

from posttrain.core.errors import NotFoundError, TaskFormatError
from posttrain.core.task import Split
from posttrain.tasks.format import read_tasks, write_tasks
from posttrain.tasks.importers import FORMATS, import_tasks
from posttrain.tasks.importers.docstring import read_examples
from posttrain.tasks.importers.lost_types import LostTypes
from posttrain.tasks.values import decode_value

DATA = Path(__file__).parents[1] / "data" / "tasks"


def by_id(format_name, file_name):
    return {task.id: task for task in import_tasks(format_name, DATA / file_name)}


def run_program(program, reference):
    namespace = {}
    exec(reference, namespace)
    exec(program, namespace)
    return namespace


@pytest.mark.parametrize(
    ("format_name", "source"),
    [
        ("humaneval", DATA),
        ("humanevalplus", DATA),
        ("mbpp", DATA),
        ("mbpp", DATA / "sanitized-mbpp.json"),
        ("mbppplus", DATA),
    ],
)
def test_imported_tasks_survive_writing_and_reading(tmp_path, format_name, source):
    tasks = import_tasks(format_name, source)
    write_tasks(tmp_path / "tasks.jsonl", tasks)
    assert read_tasks(tmp_path / "tasks.jsonl") == tasks
    assert len({task.id for task in tasks}) == len(tasks)
    assert all(task.reference and len(task.prompt) == 1 for task in tasks)


def test_humaneval_shows_docstring_examples_and_hides_the_check():
    task = by_id("humaneval", "HumanEval.jsonl.gz")["humaneval/0"]
    assert task.verifier.visible == (
        {"args": [[1.0, 2.0, 3.0], 0.5], "expect": False},
        {"args": [[1.0, 2.8, 3.0, 4.0, 5.0, 2.0], 0.3], "expect": True},
    )
    assert len(task.verifier.hidden) == 1
    namespace = run_program(task.verifier.hidden[0]["program"], task.reference)
    namespace["check"](namespace[task.verifier.entry_point])
    assert (task.limits.cpu_s, task.limits.wall_s, task.split) == (2.0, 6.0, Split.EVAL)


def test_a_humaneval_check_brings_the_helper_that_it_calls():
    task = by_id("humaneval", "HumanEval.jsonl.gz")["humaneval/38"]
    program = task.verifier.hidden[0]["program"]
    assert "def encode_cyclic" in program
    assert "def decode_cyclic" not in program


def test_a_docstring_example_that_the_reference_contradicts_is_left_out():
    tasks = by_id("humaneval", "HumanEval.jsonl.gz")
    assert [case["args"] for case in tasks["humaneval/47"].verifier.visible] == [[[3, 1, 2, 4, 5]]]
    assert tasks["humaneval/97"].verifier.visible[0] == {"args": [148, 412], "expect": 16}


@pytest.mark.parametrize(
    ("text", "examples"),
    [
        (">>> f([1], 'a')\n    True", [([[1], "a"], True)]),
        ("f(2) == 3 # remark", [([2], 3)]),
        ("* f('(') ➞ false", [(["("], False)]),
        ('f("x")  # returns "y"', [(["x"], "y")]),
        ("f(1, 2) -> [3, (4,)].", [([1, 2], [3, (4,)])]),
        ("f(5) ->19 - 5 = 14", []),
        ("f(a) => 1", []),
        ("use f(3) to get 4", []),
        ("f(1) == 2\nf(1) == 2", [([1], 2)]),
        ("g.f(1) == 2 and xf(1) == 3", []),
        ("f(", []),
    ],
)
def test_examples_are_calls_with_a_stated_literal_value(text, examples):
    assert [tuple(example) for example in read_examples(text, "f")] == examples


def test_each_mbpp_assert_is_one_program_and_the_prompt_shows_the_visible_ones():
    task = by_id("mbpp", "mbpp.jsonl")["mbpp/2"]
    assert task.verifier.entry_point == "similar_elements"
    assert len(task.verifier.visible) == 3
    assert task.verifier.visible[0]["program"] == (
        "assert similar_elements((3, 4, 5, 6),(5, 7, 4, 10)) == (4, 5)\n"
    )
    for test in task.verifier.visible:
        run_program(test["program"], task.reference)
        assert test["program"].strip() in task.prompt[0].content
    assert "\r" not in task.reference


def test_mbpp_challenge_tests_are_hidden():
    task = by_id("mbpp", "mbpp.jsonl")["mbpp/11"]
    assert len(task.verifier.hidden) > 0
    shown = task.prompt[0].content
    assert not any(test["program"].strip() in shown for test in task.verifier.hidden)


def test_an_mbpp_program_brings_set_up_code_and_the_imports_that_it_reads():
    tasks = by_id("mbpp", "mbpp.jsonl")
    assert tasks["mbpp/367"].verifier.visible[0]["program"].startswith("root = Node(1)")
    assert tasks["mbpp/596"].verifier.visible[0]["program"].startswith("import sys\nassert ")
    sanitized = by_id("mbpp", "sanitized-mbpp.json")["mbpp-sanitized/82"]
    assert sanitized.verifier.visible[0]["program"].startswith("import math\nassert ")


def test_mbpp_rows_of_the_authors_test_and_validation_are_for_evaluation_only():
    tasks = by_id("mbpp", "mbpp.jsonl")
    splits = {key: task.split.value for key, task in tasks.items()}
    assert splits["mbpp/2"] == splits["mbpp/700"] == "train"
    assert splits["mbpp/11"] == splits["mbpp/596"] == "eval"


def test_an_mbpp_reference_known_to_be_slow_gets_more_time():
    assert by_id("mbpp", "mbpp.jsonl")["mbpp/123"].limits.cpu_s == 10.0


def test_plus_sets_show_base_inputs_and_hide_plus_inputs_judged_by_the_reference():
    task = by_id("humanevalplus", "HumanEvalPlus.jsonl")["humanevalplus/2"]
    assert (len(task.verifier.visible), len(task.verifier.hidden)) == (3, 4)
    assert all(case["oracle"] == "reference" for case in task.verifier.hidden)
    assert task.verifier.atol == 1e-6


def test_mbppplus_arguments_get_their_lost_types_back():
    tasks = by_id("mbppplus", "MbppPlus.jsonl")
    first = decode_value(tasks["mbppplus/2"].verifier.visible[0]["args"])
    assert first == [(3, 4, 5, 6), (5, 7, 4, 10)]
    assert decode_value(tasks["mbppplus/124"].verifier.visible[0]["args"]) == [0.0, 1j]
    nested = decode_value(tasks["mbppplus/580"].verifier.visible[0]["args"])
    assert nested == [(4, 5, (7, 6, (2, 4)), 6, 8)]
    assert tasks["mbppplus/124"].verifier.rtol == 0.001
    assert tasks["mbppplus/793"].verifier.hidden == ()


@pytest.mark.parametrize(
    ("assertion", "given", "restored"),
    [
        ("assert f([(1, 2)], 3) == 1", [[[4, 5]], 6], [[(4, 5)], 6]),
        ("assert f({1, 2}) == 1", [[3]], [{3}]),
        ("assert f({'a': (1, 2)}) == 1", [{"b": [3, 4]}], [{"b": (3, 4)}]),
        ("assert f((1, (2, 3))) == 1", [[[1, [2]]]], [((1, (2,)),)]),
        ("assert f((1, 2)) == 1", [[[1], 2]], [([1], 2)]),
        ("assert f([1]) == 1 and f((1,)) == 1", [[2]], [[2]]),
        ("assert f(x) == 1", [[2]], [[2]]),
    ],
)
def test_containers_are_those_that_the_asserts_show(assertion, given, restored):
    assert LostTypes(assertion, "f").restore(given) == restored


def test_a_folder_is_searched_for_the_known_names(tmp_path):
    shutil.copy(DATA / "mbpp.jsonl", tmp_path)
    assert len(import_tasks("mbpp", tmp_path)) == 6
    with pytest.raises(NotFoundError, match=r"holds none of HumanEval\.jsonl\.gz"):
        import_tasks("humaneval", tmp_path)
    with pytest.raises(NotFoundError, match="does not exist"):
        import_tasks("humaneval", tmp_path / "missing")


def test_an_unknown_format_names_the_nearest():
    with pytest.raises(NotFoundError, match="did you mean 'humaneval'"):
        import_tasks("humanevl", DATA)
    assert set(FORMATS) == {"humaneval", "humanevalplus", "mbpp", "mbppplus"}


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("mbpp.jsonl", '{"task_id": 1}\n', "mbpp.jsonl:1: key 'text' is missing"),
        ("mbpp.jsonl", "{\n", "mbpp.jsonl:1: not valid JSON"),
        ("sanitized-mbpp.json", '{"task_id": 1}', "holds a dict; a .json source is one array"),
        ("sanitized-mbpp.json", "[1]", r"sanitized-mbpp.json\[0\]"),
        (
            "mbpp.jsonl",
            '{"task_id": 1, "text": "t", "code": "x = 1", "test_list": ["assert f(1)"]}',
            "task_id 1: the first test calls none of the reference's functions",
        ),
        (
            "mbpp.jsonl",
            '{"task_id": 1, "text": "t", "code": "def f(:", "test_list": ["assert f(1)"]}',
            "task_id 1: .* is not Python",
        ),
    ],
)
def test_a_broken_source_names_its_row(tmp_path, name, text, complaint):
    (tmp_path / name).write_text(text)
    with pytest.raises(TaskFormatError, match=complaint):
        import_tasks("mbpp", tmp_path / name)
