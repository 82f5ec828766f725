"""The learner: float32 master weights, one optimizer step per batch.

    batch ─► weights per token ─► packs ─► per pack: reference, log-probs, loss sum, backward
                                              └─► clip ─► AdamW ─► version + 1

An update is a function of the weights, the optimizer state and the batch in its order; nothing is
drawn at random, so there is no generator to save. With equal threads on an equal machine it is
exact to the bit. A loss or gradient that is not finite leaves weights and optimizer as they were;
the version still rises, so that steps, versions and learning rates stay in line.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import torch
from torch import Tensor

from posttrain.train.adapter import merged_weights
from posttrain.train.batch import RlBatch, SftBatch, plan_rl, plan_sft
from posttrain.train.checkpoint import load_learner, save_learner
from posttrain.train.loss import PolicyTokens, policy_loss, sft_loss
from posttrain.train.network import load_network, reference_of
from posttrain.train.pack import Pack
from posttrain.train.precision import product_dtype
from posttrain.train.sequences import RlSequence, SftSequence
from posttrain.train.spec import LearnerSpec
from posttrain.train.tally import Tally

__all__ = ["Learner"]


class Learner:
    """One model in training. Not thread-safe; one update at a time."""

    version: int
    """Updates done, also those that were skipped."""

    def __init__(self, model_dir: Path, spec: LearnerSpec, seed: int) -> None:
        """Load the model; raises ``NotFoundError`` for a folder without one."""
        self.version = 0
        self._spec = spec
        self._seed = seed
        self._model_dir = model_dir
        self._network = load_network(model_dir, spec.lora, seed, product_dtype(spec.precision))
        self._reference = reference_of(self._network) if spec.needs_reference else None
        self._parameters = list(self._network.trained().values())
        chosen = spec.optimizer
        self._optimizer = torch.optim.AdamW(
            self._parameters,
            lr=chosen.learning_rate,
            betas=(chosen.beta1, chosen.beta2),
            eps=chosen.epsilon,
            weight_decay=chosen.weight_decay,
            fused=True,
        )

    def update(
        self, rl: Sequence[RlSequence], sft: Sequence[SftSequence]
    ) -> dict[str, float | None]:
        """One step on the whole batch; gives metrics, None for what was not measured.

        ``skipped`` is 1 where no step was taken: nothing to learn from, or a number that was not
        finite.
        """
        tally = Tally()
        rate = self._spec.optimizer.rate_of(self.version)
        with _torch_threads(self._spec.threads):
            self._accumulate(plan_rl(rl, self._spec), plan_sft(sft, self._spec), tally)
            norm = self._step(rate, losses_are_finite=tally.is_finite)
        self.version += 1
        return {
            **tally.metrics(),
            "grad_norm": norm,
            "learning_rate": rate,
            "skipped": float(not norm),
        }

    def weights(self) -> Mapping[str, Tensor]:
        """Float32 tensors by checkpoint name, adapter merged in, tied ones once.

        They may share memory with the master weights: copy what must survive the next update.
        """
        return merged_weights(self._network.model)

    def save(self, folder: Path) -> None:
        """Write a model folder that transformers loads, with the training state below it."""
        counters = {"version": self.version, "seed": self._seed}
        save_learner(folder, self._network, self._optimizer, counters, self._model_dir)

    def load(self, folder: Path) -> None:
        """Go back to what ``save`` wrote; the reference stays the model of ``model_dir``.

        Raises ``StoreError`` when the folder was written for another model or method.
        """
        counters = load_learner(folder, self._network, self._optimizer)
        self.version = int(counters["version"])
        self._optimizer.zero_grad()

    def _accumulate(self, rl: RlBatch, sft: SftBatch, tally: Tally) -> None:
        with ExitStack() as fixed:
            fixed.enter_context(self._network.fixed_weights())
            if self._reference is not None:
                fixed.enter_context(self._reference.fixed_weights())
            for pack in rl.packs:
                self._backward_rl(rl, pack, tally)
            for pack in sft.packs:
                self._backward_sft(sft, pack, tally)

    def _backward_rl(self, batch: RlBatch, pack: Pack, tally: Tally) -> None:
        sequences = batch.sequences
        temperatures_N = pack.per_token([s.temperature for s in sequences])
        reference_N = self._reference_logprobs(pack, temperatures_N)
        logprobs_N, entropies_N = self._network.logprobs(pack, temperatures_N)
        tokens = PolicyTokens(
            logprobs=logprobs_N,
            behaviour=pack.from_tokens([s.behaviour_logprobs for s in sequences]),
            advantages=pack.per_token([s.advantage for s in sequences]),
            weights=pack.per_token(batch.weights),
            reference=reference_N,
            kl_weights=pack.per_token(batch.kl_weights),
        )
        terms = policy_loss(tokens, self._spec.loss)
        terms.loss.backward()  # type: ignore[no-untyped-call]
        tally.add_policy(tokens, terms, entropies_N)

    def _reference_logprobs(self, pack: Pack, temperatures_N: Tensor) -> Tensor | None:
        if self._reference is None:
            return None
        with torch.no_grad():
            return self._reference.logprobs(pack, temperatures_N)[0]

    def _backward_sft(self, batch: SftBatch, pack: Pack, tally: Tally) -> None:
        weights_N = pack.per_token(batch.weights)
        logprobs_N, _ = self._network.logprobs(pack, torch.ones(len(weights_N)))
        loss = sft_loss(logprobs_N, weights_N)
        (self._spec.sft_weight * loss).backward()  # type: ignore[no-untyped-call]
        tally.add_sft(loss)

    def _step(self, rate: float, *, losses_are_finite: bool) -> float | None:
        """Clip and apply the gradients; gives their norm before clipping, None if not finite.

        A norm of 0 takes no step either: momentum alone would move the weights.
        """
        norm = torch.nn.utils.clip_grad_norm_(
            self._parameters, self._spec.optimizer.max_grad_norm
        ).item()
        finite = losses_are_finite and math.isfinite(norm)
        if finite and norm > 0.0:
            for group in self._optimizer.param_groups:
                group["lr"] = rate
            self._optimizer.step()
        self._optimizer.zero_grad()
        return norm if finite else None


@contextmanager
def _torch_threads(num_threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(num_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
