from pathlib import Path

import pytest
import torch

from posttrain.core.errors import PolicyError
from posttrain.policy.local import LocalPolicy
from posttrain.policy.protocol import SampleRequest, SamplingParams


def test_scores_equal_transformers_where_answers_share_a_prompt(
    tiny: LocalPolicy, tiny_dir: Path, reference_logprobs
) -> None:
    prompts = [tiny.encode_text("One prompt is short"), tiny.encode_text("The other " * 9)]
    answers = [tiny.encode_text(text) for text in (" yes", " no, it is not", " perhaps it may be")]
    pairs = [(prompt, answer) for answer in answers for prompt in prompts]
    for (prompt, answer), found in zip(pairs, tiny.score(pairs), strict=True):
        wanted = reference_logprobs(tiny_dir, prompt, answer, 1.0)
        assert torch.tensor(found).sub(wanted).abs().max() < 1e-4


def test_scores_of_sampled_tokens_equal_their_behaviour_logprobs(
    tiny: LocalPolicy, requests: list[SampleRequest]
) -> None:
    turns = [turn for _, turn in tiny.sample(requests, SamplingParams(temperature=1.0))]
    scores = tiny.score([(turn.prompt_ids, turn.token_ids) for turn in turns])
    for turn, found in zip(turns, scores, strict=True):
        assert found == pytest.approx(turn.logprobs, abs=1e-4)


def test_many_answers_to_one_prompt_are_cut_into_batches_without_loss(tiny: LocalPolicy) -> None:
    prompt = tiny.encode_text("A prompt")
    answers = [tiny.encode_text(f" answer {n} " * 20) for n in range(20)]
    together = tiny.score([(prompt, answer) for answer in answers])
    alone = [tiny.score([(prompt, answer)])[0] for answer in answers]
    assert [len(found) for found in together] == [len(answer) for answer in answers]
    for a, b in zip(together, alone, strict=True):
        assert a == pytest.approx(b, abs=1e-4)


def test_an_empty_answer_has_no_logprobs(tiny: LocalPolicy) -> None:
    prompt = tiny.encode_text("A prompt")
    found = tiny.score([(prompt, ()), (prompt, tiny.encode_text(" and more"))])
    assert found[0] == () and len(found[1]) == 2


def test_a_pair_without_prompt_or_beyond_the_context_is_refused(tiny: LocalPolicy) -> None:
    with pytest.raises(PolicyError, match="at least 1 prompt token"):
        tiny.score([((), (5,))])
    with pytest.raises(PolicyError, match="2048 tokens in all"):
        tiny.score([((5,) * 2000, (5,) * 100)])
