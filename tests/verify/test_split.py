import pytest

from posttrain.verify.fault import TaskFaultError
from posttrain.verify.split import split_program


def test_each_independent_top_level_assert_is_one_program_with_its_set_up() -> None:
    source = "import math\nlimit = 3\nassert f(1) == limit\nassert f(2) == math.pi\n"
    assert split_program(source, "f") == (
        "import math\nlimit = 3\nassert f(1) == limit",
        "import math\nlimit = 3\nassert f(2) == math.pi",
    )


def test_asserts_that_share_what_the_candidate_returned_stay_together() -> None:
    source = "made = f()\nassert made\nassert made != 3\n"
    assert split_program(source, "f") == (source,)


def test_a_check_function_is_one_program() -> None:
    source = "def check(candidate):\n    assert candidate(1) == 1\n    assert candidate(2) == 2\n"
    assert split_program(source, "f") == (source,)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "import math",
        "def check(candidate):\n    pass\n",
        "x = 3",
        "def test():\n    assert 0\n",
    ],
)
def test_a_program_that_cannot_fail_is_a_fault_of_the_task(source: str) -> None:
    with pytest.raises(TaskFaultError, match="asserts nothing"):
        split_program(source, "f")


def test_a_program_that_does_not_parse_is_a_fault_of_the_task() -> None:
    with pytest.raises(TaskFaultError, match="does not parse"):
        split_program("assert f(1 == ", "f")
