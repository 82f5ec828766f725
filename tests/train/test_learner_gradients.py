"""The gradient of an update, read before the optimizer uses it, in float32."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny_batches import flat, rl_batch, sft_batch
from torch.nn import functional
from transformers import AutoModelForCausalLM

from posttrain.train.batch import plan_rl, plan_sft
from posttrain.train.kl import KlSpec
from posttrain.train.learner import Learner
from posttrain.train.loss import PolicyLossSpec, Reduction
from posttrain.train.pack import PackLimits
from posttrain.train.precision import Precision
from posttrain.train.sequences import RlSequence, SftSequence
from posttrain.train.spec import KlScope, LearnerSpec
from posttrain.train.tally import Tally

EXACT = LearnerSpec(
    precision=Precision.FLOAT32, loss=PolicyLossSpec(kl=KlSpec(coefficient=0.1)), sft_weight=0.3
)


def gradient(
    model_dir: Path, spec: LearnerSpec, rl: list[RlSequence], sft: list[SftSequence]
) -> torch.Tensor:
    learner = Learner(model_dir, spec, 0)
    learner._accumulate(plan_rl(rl, spec), plan_sft(sft, spec), Tally())
    return flat(
        [p.grad if p.grad is not None else torch.zeros_like(p) for p in learner._parameters]
    )


@pytest.mark.parametrize(
    "packs",
    [
        PackLimits(max_sequences=1),
        PackLimits(max_tokens=14),
        PackLimits(max_sequences=3),
        PackLimits(share_prompts=False),
        PackLimits(share_prompts=False, max_sequences=1),
    ],
    ids=str,
)
@pytest.mark.parametrize("reduction", [Reduction.TOKENS, Reduction.SEQUENCES])
def test_gradient_does_not_depend_on_how_the_batch_is_cut(
    tiny_dir: Path, packs: PackLimits, reduction: Reduction
) -> None:
    spec = replace(EXACT, loss=replace(EXACT.loss, reduction=reduction))
    whole = gradient(tiny_dir, spec, rl_batch(1), sft_batch(2))
    cut = gradient(tiny_dir, replace(spec, packs=packs), rl_batch(1), sft_batch(2))
    assert whole.abs().max() > 1e-3
    torch.testing.assert_close(cut, whole, atol=1e-6, rtol=1e-4)


def test_gradient_equals_a_plain_computation_sequence_by_sequence(tiny_dir: Path) -> None:
    rl = rl_batch(3)
    spec = LearnerSpec(precision=Precision.FLOAT32, measure_kl=False)
    model = AutoModelForCausalLM.from_pretrained(tiny_dir, dtype=torch.float32)
    num_tokens = sum(len(one.answer_ids) for one in rl)
    for one in rl:
        ids = torch.tensor([one.prompt_ids + one.answer_ids])
        begin = len(one.prompt_ids)
        logits = model(input_ids=ids).logits[0, begin - 1 : -1] / one.temperature
        logprobs = -functional.cross_entropy(logits, ids[0, begin:], reduction="none")
        ratio = torch.exp(logprobs - torch.tensor(one.behaviour_logprobs))
        clipped = ratio.clamp(0.8, 1.28)
        gain = torch.minimum(ratio * one.advantage, clipped * one.advantage)
        (-gain.sum() / num_tokens).backward()
    expected = flat([p.grad for p in model.parameters()])
    torch.testing.assert_close(gradient(tiny_dir, spec, rl, []), expected, atol=1e-6, rtol=1e-4)


def test_sequences_without_signal_change_nothing_but_the_denominator(tiny_dir: Path) -> None:
    spec = LearnerSpec(precision=Precision.FLOAT32, measure_kl=False)
    idle = [replace(one, advantage=0.0) for one in rl_batch(5)]
    mixed = rl_batch(4) + idle
    alone = gradient(tiny_dir, spec, rl_batch(4), [])
    share = sum(len(s.answer_ids) for s in rl_batch(4)) / sum(len(s.answer_ids) for s in mixed)
    assert len(plan_rl(mixed, spec).sequences) == len(rl_batch(4))
    torch.testing.assert_close(gradient(tiny_dir, spec, mixed, []), alone * share)


def test_kl_covers_idle_sequences_unless_told_otherwise() -> None:
    idle = [replace(one, advantage=0.0) for one in rl_batch(5)]
    assert len(plan_rl(idle, EXACT).sequences) == len(idle)
    assert plan_rl(idle, replace(EXACT, kl_scope=KlScope.SIGNAL)).sequences == ()


def test_streams_have_denominators_of_their_own(tiny_dir: Path) -> None:
    sft_alone = gradient(tiny_dir, EXACT, [], sft_batch(2))
    both = gradient(tiny_dir, EXACT, rl_batch(1), sft_batch(2))
    rl_alone = gradient(tiny_dir, EXACT, rl_batch(1), [])
    torch.testing.assert_close(both, rl_alone + sft_alone, atol=1e-6, rtol=1e-4)


def test_bfloat16_gradient_points_the_same_way(tiny_dir: Path) -> None:
    rounded = replace(EXACT, precision=Precision.BFLOAT16)
    exact = gradient(tiny_dir, EXACT, rl_batch(1), sft_batch(2))
    found = gradient(tiny_dir, rounded, rl_batch(1), sft_batch(2))
    assert functional.cosine_similarity(found, exact, dim=0) > 0.99
