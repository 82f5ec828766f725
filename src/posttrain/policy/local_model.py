"""Forward pass of a Llama-family decoder, laid out for CPU inference.

Differences from the checkpoint's own layout, all exact up to rounding:

- each RMSNorm's gain is folded into the linear layer behind it, so a norm is one scale per row;
- query and key rows are interleaved, which makes the rotary embedding one complex product;
- the output head has its mean over the vocabulary taken out and, in bfloat16, a constant near the
  usual top logit subtracted before rounding: logits differ from the checkpoint's by a constant a
  row, log-probs do not. Rounding the head then adds 0.002 nats to the mean error of a token's
  log-prob instead of 0.011 (SmolLM2-135M; 0.016 comes from the layers below);
- weights are packed by oneDNN. Packed products take 0.55 of the time at 8 rows and 0.8 at 64
  (AMD EPYC with avx512_bf16, torch 2.13), and a row's result does not depend on how many rows
  share the product, bit for bit. Where the packed operator is absent, plain products serve.

The residual stream stays in float32; only the inputs of products are rounded to ``dtype``. How
tokens attend to each other is the caller's: ``hidden`` takes a function of one layer's q, k and v.

Shape suffixes: N tokens of any sequences, D width, H query heads, K key heads, R = H / K, E head
width, V vocabulary.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from posttrain.core.errors import ConfigError, PolicyError

__all__ = ["Attend", "LlamaModel", "LlamaShape", "read_shape", "read_weights"]

Attend = Callable[[int, Tensor, Tensor, Tensor], Tensor]
"""(layer, q_NHE, k_NKE, v_NKE) -> mixed values of shape (N, H * E)."""

_SUPPORTED = ("llama", "mistral", "qwen2")
_PACK_ROWS_HINT = 64
_TOP_MARGIN = 4.0


@dataclass(frozen=True, kw_only=True, slots=True)
class LlamaShape:
    """Sizes and constants of the decoder, as in its ``config.json``."""

    num_layers: int
    width: int
    num_heads: int
    num_key_heads: int
    head_width: int
    vocabulary: int
    max_positions: int
    norm_epsilon: float
    rope_theta: float
    tied: bool
    eos_ids: tuple[int, ...]


def read_shape(folder: Path) -> LlamaShape:
    """Sizes of the model in ``folder``; ``ConfigError`` when its architecture is another one."""
    config = json.loads((folder / "config.json").read_text())
    rope = {**(config.get("rope_scaling") or {}), **(config.get("rope_parameters") or {})}
    kind = config.get("model_type")
    rope_type = rope.get("rope_type", rope.get("type", "default"))
    if kind not in _SUPPORTED or rope_type != "default" or config.get("mlp_bias"):
        raise ConfigError(
            f"model {str(folder)!r} has model_type {kind!r} and rope_type {rope_type!r}; the local "
            f"policy runs {', '.join(_SUPPORTED)} with rope_type 'default'; "
            "serve other models and use --policy openai:URL#MODEL"
        )
    heads = config["num_attention_heads"]
    return LlamaShape(
        num_layers=config["num_hidden_layers"],
        width=config["hidden_size"],
        num_heads=heads,
        num_key_heads=config.get("num_key_value_heads", heads),
        head_width=config.get("head_dim") or config["hidden_size"] // heads,
        vocabulary=config["vocab_size"],
        max_positions=config["max_position_embeddings"],
        norm_epsilon=config["rms_norm_eps"],
        rope_theta=rope.get("rope_theta", config.get("rope_theta", 10000.0)),
        tied=bool(config.get("tie_word_embeddings")),
        eos_ids=_eos_ids(folder, config),
    )


def _eos_ids(folder: Path, config: Mapping[str, Any]) -> tuple[int, ...]:
    path = folder / "generation_config.json"
    generation = json.loads(path.read_text()) if path.is_file() else {}
    found = generation.get("eos_token_id", config.get("eos_token_id"))
    return tuple(found) if isinstance(found, list) else () if found is None else (found,)


def read_weights(folder: Path) -> dict[str, Tensor]:
    """All tensors of the folder's safetensors files, by name."""
    weights: dict[str, Tensor] = {}
    for path in sorted(folder.glob("*.safetensors")):
        weights.update(load_file(path))
    return weights


class _Linear:
    """y = x W^T + b with the weight packed once."""

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> None:
        self._dtype = dtype
        self._bias = None if bias is None else bias.to(dtype)
        weight = weight.to(dtype).contiguous()
        self._packed = hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
        self._weight = (
            torch.ops.mkldnn._reorder_linear_weight(weight, _PACK_ROWS_HINT)
            if self._packed
            else weight
        )

    def set_bias(self, bias: Tensor) -> None:
        self._bias = bias.to(self._dtype)

    def __call__(self, x: Tensor) -> Tensor:
        if self._packed:
            y: Tensor = torch.ops.mkldnn._linear_pointwise(
                x, self._weight, self._bias, "none", [], ""
            )
            return y
        return functional.linear(x, self._weight, self._bias)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Layer:
    qkv: _Linear
    out: _Linear
    gate_up: _Linear
    down: _Linear


class LlamaModel:
    """Packed weights and the forward pass; holds no sequence state."""

    def __init__(self, shape: LlamaShape, weights: Mapping[str, Tensor], dtype: torch.dtype):
        self.shape = shape
        self.dtype = dtype
        self._head_shift: Tensor | None = None
        half = torch.arange(0, shape.head_width, 2, dtype=torch.float64) / shape.head_width
        angles = torch.outer(
            torch.arange(shape.max_positions, dtype=torch.float64), shape.rope_theta**-half
        )
        self._turns = torch.polar(torch.ones_like(angles), angles).to(torch.complex64).unsqueeze(1)
        self.load(weights)

    @torch.inference_mode()
    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Take over ``weights`` (Hugging Face names, any float type); all or nothing.

        Raises ``PolicyError`` naming the first tensor that is missing.
        """
        get = _Getter(weights)
        layers = [self._pack_layer(get, index) for index in range(self.shape.num_layers)]
        embedding = get("model.embed_tokens.weight")
        head = embedding if self.shape.tied else get("lm_head.weight")
        head = head * get("model.norm.weight")
        self._head = _Linear(head - head.mean(0), self._head_shift, self.dtype)
        self._embedding = embedding.to(self.dtype, copy=True)
        self._layers = layers

    def _pack_layer(self, get: "_Getter", index: int) -> _Layer:
        shape, prefix = self.shape, f"model.layers.{index}"
        attention_gain = get(f"{prefix}.input_layernorm.weight")
        mlp_gain = get(f"{prefix}.post_attention_layernorm.weight")
        order = _interleaved_rows(shape)
        names = [f"{prefix}.self_attn.{part}_proj" for part in "qkv"]
        qkv = torch.cat([get(f"{name}.weight") for name in names])[order] * attention_gain
        biases = [get.optional(f"{name}.bias") for name in names]
        bias = None if biases[0] is None else torch.cat([b for b in biases if b is not None])[order]
        gate_up = torch.cat([get(f"{prefix}.mlp.{part}_proj.weight") for part in ("gate", "up")])
        return _Layer(
            qkv=_Linear(qkv, bias, self.dtype),
            out=_Linear(get(f"{prefix}.self_attn.o_proj.weight"), None, self.dtype),
            gate_up=_Linear(gate_up * mlp_gain, None, self.dtype),
            down=_Linear(get(f"{prefix}.mlp.down_proj.weight"), None, self.dtype),
        )

    def hidden(self, ids_N: Tensor, positions_N: Tensor, attend: Attend) -> Tensor:
        """Normalised last hidden states (N, D) in ``dtype``; ``attend`` mixes the tokens."""
        turns_N1C = self._turns[positions_N]
        x_ND = self._embedding[ids_N].float()
        for index, layer in enumerate(self._layers):
            q_NHE, k_NKE, v_NKE = self._split(layer.qkv(self._norm(x_ND)), turns_N1C)
            x_ND += layer.out(attend(index, q_NHE, k_NKE, v_NKE))
            gate, up = layer.gate_up(self._norm(x_ND)).chunk(2, dim=-1)
            x_ND += layer.down(functional.silu(gate) * up)
        return self._norm(x_ND)

    @torch.inference_mode()
    def centre_head(self, hidden_ND: Tensor) -> None:
        """Fix the head's constant from typical hidden states; kept by later ``load`` calls.

        The constant lies a little under the mean top logit, where next-token mass is, and is a
        multiple of 4, so that nearby weights find the same one.
        """
        top = float(self.logits(hidden_ND).amax(-1).mean())
        shift = torch.full((self.shape.vocabulary,), -4.0 * round((top - _TOP_MARGIN) / 4.0))
        self._head_shift = shift
        self._head.set_bias(shift)

    def logits(self, hidden_ND: Tensor) -> Tensor:
        """Float32 logits (N, V), each row up to a constant."""
        return self._head(hidden_ND).float()

    def _norm(self, x_ND: Tensor) -> Tensor:
        scale = torch.rsqrt(x_ND.square().mean(-1, keepdim=True) + self.shape.norm_epsilon)
        return (x_ND * scale).to(self.dtype)

    def _split(self, qkv: Tensor, turns_N1C: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        shape = self.shape
        heads = shape.num_heads + shape.num_key_heads
        qkv = qkv.view(-1, heads + shape.num_key_heads, shape.head_width)
        pairs = qkv[:, :heads].float().view(-1, heads, shape.head_width // 2, 2)
        turned = torch.view_as_real(torch.view_as_complex(pairs) * turns_N1C)
        turned = turned.flatten(-2).to(self.dtype)
        return turned[:, : shape.num_heads], turned[:, shape.num_heads :], qkv[:, heads:]


class _Getter:
    """Looks tensors up by name as float32; a missing one is a ``PolicyError``."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        self._weights = weights

    def __call__(self, name: str) -> Tensor:
        found = self.optional(name)
        if found is None:
            raise PolicyError(f"weights lack {name!r}; give every tensor of the checkpoint")
        return found

    def optional(self, name: str) -> Tensor | None:
        found = self._weights.get(name)
        return None if found is None else found.detach().float()


def _interleaved_rows(shape: LlamaShape) -> Tensor:
    """Row order of q|k|v in which each rotary pair (i, i + E/2) of q and k stands together."""
    width = shape.head_width
    pair = torch.arange(width).view(2, width // 2).t().flatten()
    heads = torch.arange(shape.num_heads + shape.num_key_heads).unsqueeze(1) * width
    rotated = (heads + pair).flatten()
    rest = torch.arange(shape.num_key_heads * width) + len(rotated)
    return torch.cat([rotated, rest])
