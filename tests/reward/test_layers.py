import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Trust
from posttrain.core.verdict import (
    Failure,
    FailureKind,
    Finding,
    Status,
    TestCount,
    TestCounts,
    Validity,
    Verdict,
)
from posttrain.reward.layers import RewardSpec, partial_credit, score

CLEAN = "def double(x):\n    return 2 * x\n"
SPEC = RewardSpec()


def verdict(passed: int, total: int, **changes: object) -> Verdict:
    base = Verdict(
        task_id="t",
        status=Status.PASSED if passed == total else Status.FAILED,
        trust=Trust.ISOLATED,
        tests=TestCounts(hidden=TestCount(passed=passed, total=total)),
        exec=ExecResult(outcome=Outcome.OK),
        code=CLEAN,
    )
    return dataclasses.replace(base, **changes)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("passed", "total", "null_share", "process", "efficiency", "value"),
    [
        (4, 4, 0.0, 1.0, 0.0, 1.4),
        (4, 4, 0.0, 0.5, 1.0, 1.3),
        (2, 4, 0.0, 1.0, 0.0, 0.25),
        (2, 4, 0.25, 1.0, 0.0, 0.2),
        (1, 4, 0.25, 1.0, 0.0, 0.0),
        (0, 4, 0.0, 1.0, 0.0, 0.0),
        (0, 4, 0.0, 1.0, 1.0, -0.05),
    ],
)
def test_value_follows_the_stated_formula(passed, total, null_share, process, efficiency, value):
    reward = score(
        verdict(passed, total),
        SPEC,
        null_share=null_share,
        process=process,
        efficiency=efficiency,
    )
    assert reward.value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    "validity", [Validity.INFRA_INVALID, Validity.VERIFIER_INVALID, Validity.TASK_INVALID]
)
def test_an_error_has_no_value_rather_than_zero(validity):
    reward = score(verdict(0, 4, status=Status.ERROR, validity=validity), SPEC)
    assert reward.value is None
    assert reward.validity is validity
    assert reward.layers == ()


def test_an_error_without_a_culprit_is_the_verifiers():
    reward = score(verdict(0, 4, status=Status.ERROR), SPEC)
    assert (reward.value, reward.validity) == (None, Validity.VERIFIER_INVALID)


def test_tampering_costs_one_and_zeroes_every_layer():
    lie = Finding(kind="equality", evidence="__eq__ returns True for everything")
    reward = score(verdict(4, 4, tamper=(lie,)), SPEC)
    assert (reward.value, reward.penalty) == (-1.0, -1.0)
    assert [layer.score for layer in reward.layers] == [0.0] * 4
    assert math.fsum(layer.contribution for layer in reward.layers) == 0.0


def test_suspicion_changes_no_value():
    doubt = Finding(kind="scan", evidence="mentions gc.get_objects")
    assert score(verdict(3, 4, suspicion=(doubt,)), SPEC) == score(verdict(3, 4), SPEC)


def test_process_counts_only_where_partial_credit_was_earned():
    layers = {layer.name: layer for layer in score(verdict(0, 4), SPEC).layers}
    assert layers["process"].contribution == 0.0


def test_process_is_computed_from_the_judged_code_unless_given():
    layers = {layer.name: layer for layer in score(verdict(1, 4), SPEC).layers}
    assert layers["process"].score == 1.0


def test_exit_before_answering_is_worth_nothing():
    left = Failure(kind=FailureKind.EXIT, detail="exit status 0")
    assert score(verdict(3, 4, failure=left), SPEC).value == 0.0


def test_a_null_policy_that_passes_everything_leaves_no_partial_credit():
    assert partial_credit(1.0, 1.0) == 0.0


@pytest.mark.parametrize("weights", [{"correct": -0.1}, {"tamper": 0.5}, {"partial": math.nan}])
def test_impossible_weights_are_refused(weights):
    with pytest.raises(ValueError, match="reward"):
        RewardSpec(**weights)


shares = st.floats(min_value=0.0, max_value=1.0)


@given(passed=st.integers(0, 7), null_share=shares, process=shares, efficiency=shares)
def test_a_wrong_solution_never_outranks_a_right_one(passed, null_share, process, efficiency):
    wrong = score(verdict(passed, 8), SPEC, null_share=null_share, process=process)
    right = score(verdict(8, 8), SPEC, null_share=null_share, process=0.0, efficiency=efficiency)
    assert wrong.value < right.value


@given(passed=st.integers(0, 8), null_share=shares, process=shares, efficiency=shares)
def test_layers_add_up_to_the_value(passed, null_share, process, efficiency):
    reward = score(
        verdict(passed, 8), SPEC, null_share=null_share, process=process, efficiency=efficiency
    )
    assert all(la.contribution == la.score * la.weight for la in reward.layers)
    assert reward.value == math.fsum(layer.contribution for layer in reward.layers)


def test_a_layer_that_costs_nothing_contributes_zero_without_a_sign():
    reward = score(verdict(3, 3), RewardSpec())
    efficiency = next(layer for layer in reward.layers if layer.name == "efficiency")
    assert str(efficiency.contribution) == "0.0"
