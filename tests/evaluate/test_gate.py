import pytest

from posttrain.evaluate.gate import GateSpec, gate


def change(value, half, n=100):
    return {"value": value, "low": value - half, "high": value + half, "n": n}


KEPT = {"margin": change(0.0, 0.02), "accuracy": change(-0.01, 0.03)}


@pytest.mark.parametrize(
    ("gain", "regression", "decision", "words"),
    [
        (change(0.10, 0.05), KEPT, "promote", "nothing was forgotten"),
        (change(-0.10, 0.05), KEPT, "reject", "is worse"),
        (change(0.10, 0.05), {**KEPT, "margin": change(-0.1, 0.02)}, "reject", "regression margin"),
        (change(0.10, 0.05), {**KEPT, "accuracy": change(-0.1, 0.02)}, "reject", "accuracy"),
        (change(-0.01, 0.015), KEPT, "hold", "no gain of 0.01"),
        (change(0.04, 0.08), KEPT, "insufficient", "about 400 items would tell"),
        (change(-0.04, 0.08), KEPT, "insufficient", "no gain was seen"),
        (change(0.10, 0.05), {**KEPT, "margin": change(0.0, 0.1)}, "insufficient", "about 400"),
        (change(0.10, 0.05), {**KEPT, "accuracy": change(-0.03, 0.03)}, "insufficient", "fell by"),
        (change(0.10, 0.05), {}, "insufficient", "not measured"),
    ],
)
def test_decisions_follow_the_intervals(gain, regression, decision, words):
    record = gate({"pass@1": gain}, regression)
    assert record["decision"] == decision
    assert words in record["reason"]


@pytest.mark.parametrize(
    "target", [{}, {"pass@1": {"value": 1.0, "low": None, "high": None, "n": 1}}]
)
def test_a_target_without_an_interval_decides_nothing(target):
    assert gate(target, KEPT)["decision"] == "insufficient"


def test_forgetting_rejects_even_without_a_target():
    assert gate({}, {"margin": change(-1.0, 0.1)})["decision"] == "reject"


def test_the_record_states_the_margins_that_it_was_decided_by():
    record = gate({"pass@1": change(0.1, 0.05)}, KEPT, GateSpec(margin_margin=0.01))
    assert record["decision"] == "insufficient"
    assert record["spec"]["margin_margin"] == 0.01
