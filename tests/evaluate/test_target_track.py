import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.evaluate.target import TaskOutcome, compare_target, summarize_target


def outcome(task_id, *passed, group="seen"):
    return TaskOutcome(task_id=task_id, family="f", group=group, passed=passed)


def test_pass_at_1_is_the_mean_of_the_tasks_shares():
    track = summarize_target([outcome("a", True, False), outcome("b", True, True)])
    assert track["pass@1"]["value"] == 0.75
    assert track["pass@2"]["value"] == 1.0


def test_groups_are_told_apart_only_when_there_are_several():
    alone = summarize_target([outcome("a", True), outcome("b", False)])
    assert set(alone) == {"pass@1"}
    both = summarize_target([outcome("a", True), outcome("b", False, group="unseen")])
    assert set(both) == {"pass@1", "seen/pass@1", "unseen/pass@1"}
    assert both["unseen/pass@1"]["value"] == 0.0


def test_attempts_without_a_verdict_are_no_failures():
    track = summarize_target([outcome("a", True, None), outcome("b", None, None)])
    assert track["pass@1"]["value"] == 1.0
    assert track["pass@1"]["n"] == 1


def test_nothing_judged_gives_no_figures():
    assert summarize_target([outcome("a", None)]) == {}
    assert summarize_target([]) == {}


def test_tasks_that_all_agree_leave_the_interval_open():
    figure = summarize_target([outcome(str(i), False, False) for i in range(20)])["pass@1"]
    assert figure["value"] == 0.0
    assert figure["low"] == 0.0
    assert 0.1 < figure["high"] < 0.25


tasks = st.lists(
    st.tuples(
        st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=4),
        st.sampled_from(["seen", "unseen"]),
    ),
    max_size=6,
).map(lambda rows: [outcome(str(i), *p, group=g) for i, (p, g) in enumerate(rows)])


@given(tasks)
def test_figures_are_ordered_shares_in_json(outcomes):
    for figure in json.loads(json.dumps(summarize_target(outcomes))).values():
        assert figure["n"] >= 1
        assert 0.0 <= figure["value"] <= 1.0
        if figure["low"] is not None:
            assert 0.0 <= figure["low"] <= figure["value"] <= figure["high"] <= 1.0


@given(tasks)
def test_a_policy_does_not_differ_from_itself(outcomes):
    for figure in compare_target(outcomes, outcomes).values():
        assert figure["difference"] == 0.0
        assert figure["low"] is None or figure["low"] <= 0.0 <= figure["high"]


def test_comparison_is_paired_and_told_as_b_minus_a():
    a = [outcome(str(i), i % 4 == 0) for i in range(40)]
    b = [outcome(str(i), i % 2 == 0) for i in range(40)]
    figure = compare_target(a, b)["pass@1"]
    assert (figure["a"], figure["b"], figure["difference"]) == (0.25, 0.5, 0.25)
    assert figure["value"] == figure["difference"]
    assert 0.0 < figure["low"] < 0.25 < figure["high"] < 0.5
    assert figure["p_mcnemar"] == pytest.approx(2 / 2**10)


def test_mcnemar_does_not_apply_to_shares_of_several_attempts():
    a = [outcome("x", True, False), outcome("y", False, False)]
    assert compare_target(a, a)["pass@1"]["p_mcnemar"] is None


def test_only_tasks_and_numbers_of_attempts_of_both_sides_are_compared():
    a = [outcome("x", True), outcome("only a", True)]
    b = [outcome("x", True, False), outcome("only b", True, True)]
    figures = compare_target(a, b)
    assert set(figures) == {"pass@1"}
    assert (figures["pass@1"]["n"], figures["pass@1"]["difference"]) == (1, -0.5)


def test_policies_without_a_common_task_have_no_comparison():
    assert compare_target([outcome("x", True)], [outcome("y", True)]) == {}
