import json
import math

import pytest

from posttrain.core.errors import NotFoundError, PolicyError, TaskFormatError
from posttrain.evaluate.choices import (
    ChoiceItem,
    ChoiceOutcome,
    load_choice_items,
    score_choices,
)
from posttrain.evaluate.prose import CHUNK_TOKENS, ChunkOutcome, compare_prose, perplexity
from posttrain.evaluate.regression import compare_regression, summarize_regression
from posttrain.testing.letters import LetterPolicy

ITEM = {"id": "q1", "query": "Pick:", "choices": ["aab", "b", "c"], "gold": 0, "source": "made"}


def item(**changes):
    return ChoiceItem.model_validate({**ITEM, **changes})


def choice(place, margin, source="made"):
    return ChoiceOutcome(id=str(place), source=source, correct=margin > 0, margin=margin)


def test_margin_is_the_gold_mean_log_prob_minus_the_best_wrong_one():
    policy = LetterPolicy({"a": -0.5, "b": -2.0, " ": -1.0}, other=-3.0)
    (found,) = score_choices(policy, [item()])
    gold, best_wrong = (-1.0 - 0.5 - 0.5 - 2.0) / 4, (-1.0 - 2.0) / 2
    assert found.margin == pytest.approx(gold - best_wrong)
    assert found.correct


def test_long_choices_are_not_at_a_disadvantage():
    policy = LetterPolicy({"a": -0.5, " ": -0.5}, other=-0.6)
    (found,) = score_choices(policy, [item(choices=["a" * 50, "b"])])
    assert found.correct


def test_a_tie_is_not_an_answer():
    (found,) = score_choices(LetterPolicy(), [item()])
    assert (found.correct, found.margin) == (False, 0.0)


def test_outcomes_come_in_the_order_of_the_items():
    items = [item(id=str(n), choices=["a"] * (n + 2)) for n in range(4)]
    assert [found.id for found in score_choices(LetterPolicy(), items)] == list("0123")


@pytest.mark.parametrize("broken", [-math.inf, math.nan])
def test_a_diverged_policy_is_an_error_and_not_a_figure(broken):
    policy = LetterPolicy(other=broken)
    with pytest.raises(PolicyError, match="finite"):
        score_choices(policy, [item()])
    with pytest.raises(PolicyError, match="finite"):
        perplexity(policy, ["some text"])


def test_items_are_read_in_order(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(json.dumps({**ITEM, "id": f"q{n}"}) for n in range(3)))
    assert [one.id for one in load_choice_items(path)] == ["q0", "q1", "q2"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({**ITEM, "gold": 3}, "gold is 3, but there are 3 choices"),
        ({**ITEM, "golden": 1}, "unknown key 'golden'"),
        ({**ITEM, "choices": ["a"]}, "choices"),
        ({**ITEM, "choices": ["a", ""]}, "choices"),
        (ITEM, "'q1' occurs twice"),
    ],
)
def test_a_broken_item_is_named_with_its_line(tmp_path, line, complaint):
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps(ITEM) + "\n" + json.dumps(line))
    with pytest.raises(TaskFormatError, match=rf"items\.jsonl:2.*{complaint}"):
        load_choice_items(path)


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(NotFoundError, match="does not exist"):
        load_choice_items(tmp_path / "none.jsonl")


def test_question_is_the_query_without_its_frame():
    assert item(query="Question: Why?\nAnswer:").question == "Why?"
    assert item(query="It rained, so").question == "It rained, so"


def test_perplexity_of_equal_tokens_is_that_of_one():
    track = summarize_regression([], perplexity(LetterPolicy(other=-math.log(7)), ["ab", "cdefg"]))
    assert track["ppl"]["value"] == pytest.approx(7.0)
    assert (track["ppl"]["low"], track["ppl"]["high"]) == pytest.approx((7.0, 7.0))


def test_long_texts_are_cut_and_the_first_token_of_a_chunk_is_context():
    chunks = perplexity(LetterPolicy(), ["x" * (2 * CHUNK_TOKENS + 1), "", "y"])
    assert [(c.id, c.num_tokens) for c in chunks] == [
        ("0/0", CHUNK_TOKENS - 1),
        ("0/1", CHUNK_TOKENS - 1),
    ]


def test_tokens_weigh_alike_whatever_chunk_they_are_in():
    chunks = [
        ChunkOutcome(id="long", num_tokens=90, nats=90.0),
        ChunkOutcome(id="short", num_tokens=10, nats=30.0),
    ]
    track = summarize_regression([], chunks)
    assert track["ppl"]["value"] == pytest.approx(math.exp(1.2))


def test_perplexities_are_compared_chunk_by_chunk():
    a = [ChunkOutcome(id=str(n), num_tokens=10, nats=10.0 + n) for n in range(20)]
    b = [ChunkOutcome(id=c.id, num_tokens=10, nats=c.nats + 0.5) for c in a]
    figure = compare_prose(a, b)
    assert figure["b"] / figure["a"] == pytest.approx(math.exp(0.05))
    assert figure["low"] == pytest.approx(figure["difference"]) == figure["high"]


def test_accuracy_is_told_by_source_and_margin_over_all():
    track = summarize_regression([choice(1, 0.5), choice(2, -0.1, "other"), choice(3, 0.2)])
    assert set(track) == {"accuracy", "accuracy/made", "accuracy/other", "margin"}
    assert track["accuracy"]["value"] == pytest.approx(2 / 3)
    assert track["margin"]["value"] == pytest.approx(0.2)


def test_a_common_drift_is_seen_in_the_margin_long_before_accuracy_moves():
    before = [choice(n, 0.1 * (n % 7 - 3) + 0.05) for n in range(100)]
    after = [choice(n, c.margin - 0.01) for n, c in enumerate(before)]
    change = compare_regression(before, after)
    assert change["accuracy"]["difference"] == 0.0
    assert change["margin"]["high"] < 0.0
    assert "ppl" not in change


def test_nothing_measured_gives_no_figures():
    assert summarize_regression([]) == {}
    assert compare_regression([], []) == {}
