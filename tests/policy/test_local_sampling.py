from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from posttrain.core.errors import PolicyError
from posttrain.core.rollout import StopReason
from posttrain.policy.local import LocalPolicy
from posttrain.policy.local_model import read_weights
from posttrain.policy.local_sampler import Sampler
from posttrain.policy.protocol import Policy, SampleRequest, SamplingParams

PARAMS = SamplingParams(temperature=0.8, max_tokens=24)


def test_a_local_policy_is_a_policy(tiny: LocalPolicy) -> None:
    assert isinstance(tiny, Policy)


def test_each_request_is_answered_once(tiny: LocalPolicy, requests: list[SampleRequest]) -> None:
    indices = [index for index, _ in tiny.sample(requests, PARAMS)]
    assert sorted(indices) == list(range(len(requests)))


def test_behaviour_logprobs_equal_transformers_at_the_sampling_temperature(
    tiny: LocalPolicy, tiny_dir: Path, requests: list[SampleRequest], reference_logprobs
) -> None:
    for index, turn in tiny.sample(requests[:5], PARAMS):
        wanted = reference_logprobs(tiny_dir, requests[index].prompt_ids, turn.token_ids, 0.8)
        assert torch.tensor(turn.logprobs).sub(wanted).abs().max() < 1e-4


def test_batch_size_changes_no_token_and_no_logprob(
    tiny_dir: Path, tiny: LocalPolicy, requests: list[SampleRequest]
) -> None:
    narrow = LocalPolicy(tiny_dir, dtype="float32", max_rows=6)
    assert dict(narrow.sample(requests, PARAMS)) == dict(tiny.sample(requests, PARAMS))


def test_order_of_prompts_changes_no_token(
    tiny: LocalPolicy, requests: list[SampleRequest]
) -> None:
    groups = [requests[i : i + 6] for i in (12, 0, 6)]
    moved = [request for group in groups for request in group]
    by_seed = {requests[i].seed: turn for i, turn in tiny.sample(requests, PARAMS)}
    assert {moved[i].seed: turn for i, turn in tiny.sample(moved, PARAMS)} == by_seed


def test_a_request_alone_draws_what_it_draws_in_its_group(
    tiny: LocalPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    # Peaked shares: where much mass lies in tokens whose share is below float32 rounding, a draw
    # from there may take a neighbour, since lane mates change the order of attention's sums.
    weights = read_weights(tiny_dir)
    weights["model.embed_tokens.weight"] *= 10.0
    tiny.load_weights(weights, 1)
    together = dict(tiny.sample(requests, PARAMS))
    alone = [next(iter(tiny.sample([request], PARAMS)))[1] for request in requests]
    assert [turn.token_ids for turn in alone] == [
        together[index].token_ids for index in range(len(requests))
    ]


def test_equal_seeds_draw_equal_answers_and_other_seeds_others(
    tiny: LocalPolicy, requests: list[SampleRequest]
) -> None:
    prompt = requests[0].prompt_ids
    seeds = (7, 7, 8)
    turns = dict(
        tiny.sample([SampleRequest(prompt_ids=prompt, seed=seed) for seed in seeds], PARAMS)
    )
    assert turns[0].token_ids == turns[1].token_ids
    assert turns[0].token_ids != turns[2].token_ids


def test_temperature_zero_is_greedy(
    tiny: LocalPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    (_, turn), *_ = tiny.sample(requests[:1], SamplingParams(temperature=0.0, max_tokens=12))
    model = AutoModelForCausalLM.from_pretrained(tiny_dir, dtype=torch.float32)
    prompt = torch.tensor([turn.prompt_ids])
    wanted = model.generate(
        prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=12
    )
    assert list(turn.token_ids) == wanted[0, prompt.shape[1] :].tolist()


def test_an_answer_ends_with_the_token_that_completes_a_stop_text(
    tiny: LocalPolicy, requests: list[SampleRequest]
) -> None:
    (_, free), *_ = tiny.sample(requests[:1], PARAMS)
    stop = tiny._tokenizer.decode(free.token_ids[5:7])
    params = SamplingParams(temperature=0.8, max_tokens=24, stop=("never said", stop))
    (_, turn), *_ = tiny.sample(requests[:1], params)
    assert turn.stop_reason is StopReason.STOP_SEQUENCE
    assert turn.token_ids == free.token_ids[: len(turn.token_ids)]
    assert len(turn.token_ids) <= 7
    assert turn.text.startswith("```python") and stop in turn.text


def test_the_end_token_ends_an_answer_and_belongs_to_its_tokens(
    tiny: LocalPolicy, requests: list[SampleRequest]
) -> None:
    (_, free), *_ = tiny.sample(requests[:1], PARAMS)
    end = free.token_ids[3]
    sampler = Sampler(tiny._loaded(), tiny._tokenizer, frozenset({end}), max_rows=8)
    (_, turn), *_ = sampler.run(requests[:1], PARAMS)
    assert turn.stop_reason is StopReason.EOS
    assert turn.token_ids == free.token_ids[: free.token_ids.index(end) + 1]


def test_max_tokens_cuts_an_answer(tiny: LocalPolicy, requests: list[SampleRequest]) -> None:
    turns = [turn for _, turn in tiny.sample(requests[:3], SamplingParams(max_tokens=2))]
    assert [len(turn.token_ids) for turn in turns] == [2, 2, 2]
    assert {turn.stop_reason for turn in turns} == {StopReason.MAX_TOKENS}


def test_loaded_weights_change_the_answers_and_name_the_version(
    tiny: LocalPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    before = dict(tiny.sample(requests, PARAMS))
    weights = read_weights(tiny_dir)
    tiny.load_weights({name: 1.2 * tensor for name, tensor in weights.items()}, 5)
    assert tiny.version == 5
    assert dict(tiny.sample(requests, PARAMS)) != before
    tiny.load_weights(weights, 6)
    assert dict(tiny.sample(requests, PARAMS)) == before


def test_incomplete_weights_are_refused_and_change_nothing(
    tiny: LocalPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    before = dict(tiny.sample(requests, PARAMS))
    weights = {name: 2.0 * tensor for name, tensor in read_weights(tiny_dir).items()}
    del weights["model.layers.1.mlp.down_proj.weight"]
    with pytest.raises(PolicyError, match=r"layers\.1\.mlp\.down_proj"):
        tiny.load_weights(weights, 1)
    assert tiny.version == 0
    assert dict(tiny.sample(requests, PARAMS)) == before


def test_weights_cannot_change_under_a_running_sample(
    tiny: LocalPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    turns = tiny.sample(requests, PARAMS)
    next(turns)
    with pytest.raises(PolicyError, match="exhaust or close"):
        tiny.load_weights(read_weights(tiny_dir), 1)
    turns.close()
    tiny.load_weights(read_weights(tiny_dir), 1)


def test_a_closed_policy_says_so(tiny: LocalPolicy, requests: list[SampleRequest]) -> None:
    tiny.close()
    tiny.close()
    with pytest.raises(PolicyError, match="closed"):
        next(tiny.sample(requests, PARAMS))


def test_bfloat16_answers_stay_near_the_float32_model(
    tiny_dir: Path, requests: list[SampleRequest], reference_logprobs
) -> None:
    policy = LocalPolicy(tiny_dir, dtype="bfloat16")
    (_, turn), *_ = policy.sample(requests[:1], PARAMS)
    wanted = reference_logprobs(tiny_dir, turn.prompt_ids, turn.token_ids, 0.8)
    assert torch.tensor(turn.logprobs).sub(wanted).abs().mean() < 0.15
