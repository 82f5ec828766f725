import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny_batches import rl_batch, sft_batch
from transformers import AutoModelForCausalLM

from posttrain.core.errors import NotFoundError, StoreError
from posttrain.train.kl import KlSpec
from posttrain.train.learner import Learner
from posttrain.train.loss import PolicyLossSpec
from posttrain.train.spec import LearnerSpec, LoraSpec, OptimizerSpec

FULL = LearnerSpec(
    loss=PolicyLossSpec(kl=KlSpec(coefficient=0.05)), optimizer=OptimizerSpec(learning_rate=1e-2)
)
LORA = replace(FULL, lora=LoraSpec(rank=4))
METHODS = pytest.mark.parametrize("spec", [FULL, LORA], ids=["full", "lora"])


def as_bytes(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@METHODS
def test_resumed_run_ends_byte_for_byte_like_an_unbroken_one(
    tiny_dir: Path, tmp_path: Path, spec: LearnerSpec
) -> None:
    unbroken = Learner(tiny_dir, spec, 7)
    unbroken.update(rl_batch(0), sft_batch(0))
    unbroken.save(tmp_path / "middle")
    metrics = unbroken.update(rl_batch(1), sft_batch(1))
    unbroken.save(tmp_path / "unbroken")

    resumed = Learner(tiny_dir, spec, 7)
    resumed.load(tmp_path / "middle")
    assert resumed.update(rl_batch(1), sft_batch(1)) == metrics
    resumed.save(tmp_path / "resumed")
    assert as_bytes(tmp_path / "resumed") == as_bytes(tmp_path / "unbroken")
    assert as_bytes(tmp_path / "middle") != as_bytes(tmp_path / "unbroken")


@METHODS
def test_checkpoint_is_a_model_folder_with_the_weights_that_the_sampler_got(
    tiny_dir: Path, tmp_path: Path, spec: LearnerSpec
) -> None:
    learner = Learner(tiny_dir, spec, 7)
    learner.update(rl_batch(0), [])
    learner.save(tmp_path)
    published = learner.weights()
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path, dtype="auto")
    assert {name for name, _ in loaded.named_parameters()} == published.keys()
    for name, parameter in loaded.named_parameters():
        assert parameter.dtype == torch.float32
        assert torch.equal(parameter, published[name])
    assert (tmp_path / "tokenizer.json").is_file()


@METHODS
def test_reference_is_the_untrained_model(tiny_dir: Path, spec: LearnerSpec) -> None:
    learner = Learner(tiny_dir, spec, 7)
    assert learner.update(rl_batch(0), [])["kl"] == 0.0
    second = learner.update(rl_batch(0), [])["kl"]
    assert second is not None and second > 1e-4


@METHODS
def test_only_what_is_trained_changes(tiny_dir: Path, spec: LearnerSpec) -> None:
    base = load_file(tiny_dir / "model.safetensors")
    learner = Learner(tiny_dir, spec, 7)
    learner.update(rl_batch(0), [])
    weights = learner.weights()
    changed = {name for name, tensor in weights.items() if not torch.equal(tensor, base[name])}
    linear = {name for name in base if name.endswith("_proj.weight")}
    assert weights.keys() == base.keys()
    assert changed == (linear if spec.lora else base.keys())


def test_metrics_have_the_names_that_readers_expect(tiny_dir: Path) -> None:
    metrics = Learner(tiny_dir, FULL, 7).update(rl_batch(0), sft_batch(0))
    for name in ("loss/rl", "loss/sft", "loss/kl", "kl", "entropy", "clip_ratio", "grad_norm"):
        value = metrics[name]
        assert value is not None and math.isfinite(value), name
    assert metrics["skipped"] == 0.0
    assert metrics["num_tokens"] == sum(len(one.answer_ids) for one in rl_batch(0))


def test_sampler_difference_is_zero_for_the_learners_own_logprobs(tiny_dir: Path) -> None:
    spec = replace(FULL, optimizer=OptimizerSpec(learning_rate=0.0))
    model = AutoModelForCausalLM.from_pretrained(tiny_dir, dtype=torch.float32)
    (one,) = rl_batch(0, groups=1, attempts=1)
    ids = torch.tensor([one.prompt_ids + one.answer_ids])
    begin = len(one.prompt_ids)
    with torch.no_grad():
        table = (model(input_ids=ids).logits[0, begin - 1 : -1] / 0.8).log_softmax(-1)
    own = table.gather(1, ids[0, begin:, None])[:, 0].tolist()
    metrics = Learner(tiny_dir, spec, 7).update([replace(one, behaviour_logprobs=tuple(own))], [])
    difference = metrics["sampling/sampling_logp_difference/max"]
    # bfloat16 products where the CPU has them
    assert difference is not None and difference < 0.1
    assert metrics["clip_ratio"] == 0.0


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_number_that_is_not_finite_skips_the_step(tiny_dir: Path, broken: float) -> None:
    learner = Learner(tiny_dir, FULL, 7)
    before = {name: tensor.clone() for name, tensor in learner.weights().items()}
    metrics = learner.update([*rl_batch(0), replace(rl_batch(1)[0], advantage=broken)], [])
    assert metrics["skipped"] == 1.0
    assert metrics["loss/rl"] is None
    assert learner.version == 1
    assert all(torch.equal(tensor, before[name]) for name, tensor in learner.weights().items())
    assert learner.update(rl_batch(0), [])["skipped"] == 0.0


def test_batch_without_signal_moves_nothing_even_with_momentum(tiny_dir: Path) -> None:
    learner = Learner(tiny_dir, replace(FULL, loss=PolicyLossSpec()), 7)
    learner.update(rl_batch(0), [])
    before = {name: tensor.clone() for name, tensor in learner.weights().items()}
    metrics = learner.update([replace(one, advantage=0.0) for one in rl_batch(0)], [])
    assert metrics["skipped"] == 1.0
    assert metrics["entropy"] is None
    assert all(torch.equal(tensor, before[name]) for name, tensor in learner.weights().items())


def test_rate_rises_over_the_warm_up_and_stays() -> None:
    spec = OptimizerSpec(learning_rate=1.0, warmup_steps=4)
    assert [spec.rate_of(update) for update in range(6)] == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]


def test_checkpoint_of_another_method_is_refused(tiny_dir: Path, tmp_path: Path) -> None:
    Learner(tiny_dir, FULL, 7).save(tmp_path)
    with pytest.raises(StoreError, match="was trained without an adapter"):
        Learner(tiny_dir, LORA, 7).load(tmp_path)


def test_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"has no config\.json"):
        Learner(tmp_path, FULL, 7)
