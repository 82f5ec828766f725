import json

import pytest

from posttrain.core.errors import TaskFormatError
from posttrain.evaluate.choices import ChoiceOutcome
from posttrain.evaluate.prose import ChunkOutcome
from posttrain.evaluate.report import (
    choices_of,
    compare_reports,
    eval_report,
    outcomes_of,
    prose_of,
)
from posttrain.evaluate.target import TaskOutcome


def report(step, *, solved, drift=0.0, base=None):
    outcomes = [
        TaskOutcome(task_id=str(n), family="f", group="seen", passed=(n < solved, n < solved - 2))
        for n in range(40)
    ]
    choices = [
        ChoiceOutcome(id=str(n), source="s", correct=n % 2 == 0, margin=(-1) ** n - drift)
        for n in range(60)
    ]
    prose = [ChunkOutcome(id=str(n), num_tokens=9, nats=20.0 + n + drift) for n in range(5)]
    made = eval_report(
        step=step, policy="p", outcomes=outcomes, choices=choices, prose=prose, base=base
    )
    return json.loads(json.dumps(made, allow_nan=False))


def test_a_report_has_the_stated_form():
    made = report(10, solved=20)
    assert (made["step"], made["policy"], made["gate"]) == (10, "p", None)
    figure = made["tracks"]["target"]["pass@1"]
    assert set(figure) == {"value", "low", "high", "n"}
    assert set(made["tracks"]["regression"]) == {"accuracy", "margin", "ppl"}


def test_raw_outcomes_survive_the_file():
    made = report(10, solved=20)
    assert outcomes_of(made)[0].passed == (True, True)
    assert choices_of(made)[1].margin == -1.0
    assert prose_of(made)[4].nats == 24.0


def test_two_reports_are_compared_by_track_and_gated():
    found = compare_reports(report(0, solved=10), report(10, solved=25))
    assert set(found["metrics"]) == {
        "target/pass@1",
        "target/pass@2",
        "regression/accuracy",
        "regression/margin",
        "regression/ppl",
    }
    assert found["metrics"]["target/pass@1"]["difference"] > 0.3
    assert found["gate"]["decision"] == "promote"


def test_a_candidate_that_forgot_is_rejected_in_its_own_report():
    made = report(10, solved=25, drift=0.2, base=report(0, solved=10))
    assert made["gate"]["decision"] == "reject"


def test_equal_reports_prove_nothing_new():
    made = report(0, solved=10)
    assert compare_reports(made, made)["gate"]["decision"] == "insufficient"


@pytest.mark.parametrize("broken", [{"outcomes": 3}, {"outcomes": [{"task_id": "x"}]}])
def test_a_broken_report_is_told_in_one_line(broken):
    with pytest.raises(TaskFormatError, match="report"):
        compare_reports(broken, broken)
