"""The trained model and its frozen reference, as functions from a pack to token log-probs.

    learner    float32 master weights; products in bfloat16 where the CPU has it
    reference  full training: a copy with the same rounding, so its KL to the untrained learner is
               exactly 0; adapter training: the learner with its adapter switched off

Shape suffixes: N answer tokens of a pack (``posttrain.train.pack``), D width, V vocabulary.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM
from transformers.utils import logging as transformers_logging

from posttrain.core.errors import NotFoundError
from posttrain.train.adapter import adapter_off, has_adapter, put_adapter
from posttrain.train.head import centred, token_logprobs
from posttrain.train.pack import Pack
from posttrain.train.precision import autocast
from posttrain.train.spec import LoraSpec

__all__ = ["Network", "load_network", "reference_of"]


class Network:
    """A causal language model, evaluated on packs."""

    def __init__(self, model: Any, dtype: torch.dtype) -> None:
        self.model = model
        self.dtype = dtype
        self._centred_VD: Tensor | None = None

    @property
    def head(self) -> Tensor:
        """The output embedding, shape VD; in many models the input embedding too."""
        weight: Tensor = self.model.get_output_embeddings().weight
        return weight

    def trained(self) -> dict[str, nn.Parameter]:
        """The parameters that have gradients, by name, in a fixed order."""
        return {name: p for name, p in self.model.named_parameters() if p.requires_grad}

    @contextmanager
    def fixed_weights(self) -> Iterator[None]:
        """Within it the weights must not change: rounded copies are made once and kept."""
        with autocast(self.dtype):
            self._centred_VD = centred(self.head, self.dtype)
            try:
                yield
            finally:
                self._centred_VD = None

    def logprobs(self, pack: Pack, temperatures_N: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probs and entropies of the pack's answer tokens; call within ``fixed_weights``."""
        if self._centred_VD is None:
            raise RuntimeError("Network.logprobs was called outside Network.fixed_weights()")
        output = self.model.base_model(
            input_ids=pack.ids[None],
            position_ids=pack.positions[None],
            attention_mask=pack.may_attend[None, None],
            use_cache=False,
        )
        hidden_ND = output.last_hidden_state[0, pack.rows]
        return token_logprobs(hidden_ND, self.head, self._centred_VD, pack.targets, temperatures_N)


class _WithoutAdapter(Network):
    """The network as it was before its adapter learned anything."""

    def logprobs(self, pack: Pack, temperatures_N: Tensor) -> tuple[Tensor, Tensor]:
        with adapter_off(self.model):
            return super().logprobs(pack, temperatures_N)


def reference_of(network: Network) -> Network:
    """The network as it is, frozen; weights that products round anyway are kept rounded."""
    if has_adapter(network.model):
        return _WithoutAdapter(network.model, network.dtype)
    model = copy.deepcopy(network.model).requires_grad_(False)
    for module in model.base_model.modules():
        if isinstance(module, nn.Linear):
            module.to(network.dtype)
    return Network(model, network.dtype)


def load_network(model_dir: Path, lora: LoraSpec | None, seed: int, dtype: torch.dtype) -> Network:
    """The model in a Hugging Face folder with float32 master weights; ``seed`` draws the adapter.

    Raises ``NotFoundError`` when the folder has no model.
    """
    if not (model_dir / "config.json").is_file():
        raise NotFoundError(
            f"model folder {str(model_dir)!r} has no config.json; give a Hugging Face folder"
        )
    transformers_logging.disable_progress_bar()
    model = AutoModelForCausalLM.from_pretrained(
        model_dir, dtype=torch.float32, attn_implementation="sdpa", local_files_only=True
    )
    model.eval()
    if lora is not None:
        put_adapter(model, lora, seed)
    return Network(model, dtype)
