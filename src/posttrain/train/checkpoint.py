"""A learner on disk: a model folder that anything can load, and beside it what training needs.

    FOLDER/  config.json, tokenizer files, model.safetensors   float32, adapter merged in
             state/optimizer.safetensors                       moments by parameter name
             state/adapter.safetensors                         only where an adapter is trained
             state/learner.json                                counters and what was trained

The state lies one folder deeper, so that a reader which takes every safetensors file for weights
reads the model alone. Whoever calls makes the folder appear atomically.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from posttrain.core.errors import StoreError
from posttrain.train.adapter import has_adapter, merged_weights
from posttrain.train.network import Network

__all__ = ["load_learner", "save_learner"]

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
_WEIGHT_SUFFIXES = (".safetensors", ".bin", ".gguf", ".pt", ".pth")
_NOT_COPIED = ("config.json", "manifest.json", "model.safetensors.index.json")


def save_learner(
    folder: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    counters: Mapping[str, Any],
    model_dir: Path,
) -> None:
    """Write everything that ``load_learner`` needs; ``model_dir`` gives the tokenizer files."""
    state = folder / "state"
    state.mkdir(parents=True, exist_ok=True)
    for path in sorted(model_dir.iterdir()):
        if _belongs_to_the_model(path):
            shutil.copyfile(path, folder / path.name)
    network.model.config.save_pretrained(folder)
    _save(merged_weights(network.model), folder / "model.safetensors")
    _save(_moments(network, optimizer), state / "optimizer.safetensors")
    if has_adapter(network.model):
        _save(_trained_tensors(network), state / "adapter.safetensors")
    document = {**counters, "adapter": has_adapter(network.model)}
    (state / "learner.json").write_text(json.dumps(document, indent=1) + "\n")


def load_learner(
    folder: Path, network: Network, optimizer: torch.optim.Optimizer
) -> dict[str, Any]:
    """Put the saved tensors into ``network`` and ``optimizer``; gives the counters.

    Raises ``StoreError`` when the folder holds another model or another way of training.
    """
    state = folder / "state"
    counters: dict[str, Any] = json.loads((state / "learner.json").read_text())
    adapter = has_adapter(network.model)
    if counters.pop("adapter") != adapter:
        raise StoreError(
            f"checkpoint {str(folder)!r} was trained {'without' if adapter else 'with'} an "
            "adapter; set optimizer.method as it was, or begin another run"
        )
    source = state / "adapter.safetensors" if adapter else folder / "model.safetensors"
    _fill(_trained_tensors(network), load_file(source), folder)
    _restore_moments(network, optimizer, load_file(state / "optimizer.safetensors"))
    return counters


def _belongs_to_the_model(path: Path) -> bool:
    return path.is_file() and path.suffix not in _WEIGHT_SUFFIXES and path.name not in _NOT_COPIED


def _save(named: Mapping[str, Tensor], path: Path) -> None:
    contiguous = {name: tensor.contiguous() for name, tensor in named.items()}
    save_file(contiguous, path, metadata={"format": "pt"})


def _trained_tensors(network: Network) -> dict[str, Tensor]:
    return {name: parameter.detach() for name, parameter in network.trained().items()}


def _fill(into: Mapping[str, Tensor], saved: Mapping[str, Tensor], folder: Path) -> None:
    differing = [
        name
        for name in sorted(into.keys() | saved.keys())
        if name not in into or name not in saved or into[name].shape != saved[name].shape
    ]
    if differing:
        raise StoreError(
            f"checkpoint {str(folder)!r} differs from the model in {len(differing)} tensors, "
            f"first {differing[0]!r}; resume with the model that the run began with"
        )
    for name, tensor in into.items():
        tensor.copy_(saved[name])


def _moments(network: Network, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    return {
        f"{moment}/{name}": optimizer.state[parameter][moment]
        for name, parameter in network.trained().items()
        if parameter in optimizer.state
        for moment in _MOMENTS
    }


def _restore_moments(
    network: Network, optimizer: torch.optim.Optimizer, saved: Mapping[str, Tensor]
) -> None:
    optimizer.state.clear()
    for name, parameter in network.trained().items():
        if f"step/{name}" in saved:
            optimizer.state[parameter] = {
                moment: saved[f"{moment}/{name}"].clone() for moment in _MOMENTS
            }
