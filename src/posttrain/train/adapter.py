"""Low-rank adapters (LoRA, through peft) put into a model's linear layers.

The layers stay in the model's own module tree, so the model is still called as before. Without the
adapter it is the model that training began with, which makes it its own reference policy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from peft import LoraConfig, inject_adapter_in_model
from peft.tuners.lora import LoraLayer
from torch import Tensor

from posttrain.train.spec import LoraSpec

__all__ = ["adapter_off", "has_adapter", "merged_weights", "put_adapter"]

_ADAPTER = ".lora_"
_BASE = ".base_layer."


def put_adapter(model: Any, lora: LoraSpec, seed: int) -> None:
    """Freeze ``model`` and give every linear layer but the head an adapter drawn from ``seed``.

    The adapter's product starts at 0, so the model's outputs do not change.
    """
    config = LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=0.0, target_modules="all-linear"
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        inject_adapter_in_model(config, model)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(_ADAPTER in name)


def has_adapter(model: Any) -> bool:
    """True when ``put_adapter`` was here."""
    return bool(_layers(model))


@contextmanager
def adapter_off(model: Any) -> Iterator[None]:
    """Within it the model computes what it did before training."""
    layers = _layers(model).values()
    for layer in layers:
        layer.enable_adapters(False)
    try:
        yield
    finally:
        for layer in layers:
            layer.enable_adapters(True)


def merged_weights(model: Any) -> dict[str, Tensor]:
    """All weights under the names of the model's own checkpoint, adapters added in.

    What no adapter sits on shares memory with the model.
    """
    layers = _layers(model)
    named: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        owner, found, leaf = name.rpartition(_BASE)
        if found and leaf == "weight":
            named[f"{owner}.weight"] = _merged(layers[owner])
        elif found:
            named[f"{owner}.{leaf}"] = parameter.detach()
        elif _ADAPTER not in name:
            named[name] = parameter.detach()
    return named


def _layers(model: Any) -> dict[str, Any]:
    return {name: module for name, module in model.named_modules() if isinstance(module, LoraLayer)}


def _merged(layer: Any) -> Tensor:
    with torch.no_grad():
        merged: Tensor = layer.base_layer.weight + layer.get_delta_weight("default")
    return merged
