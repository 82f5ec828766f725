"""Draw tokens by inverse CDF, one uniform number per row and step.

A row's uniforms come from a Philox stream keyed by its request's seed, so a draw depends on
nothing but the row's own logits and seed. The CDF is searched in two levels (blocks, then inside
one block) because a running sum over the whole vocabulary costs more than everything else here.

Shape suffixes: B rows, V vocabulary.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

__all__ = ["draw", "uniforms"]

_BLOCK = 256
_BELOW_ONE = 1.0 - 2.0**-52


def uniforms(seed: int, count: int) -> NDArray[np.float64]:
    """The first ``count`` numbers in [0, 1) of the stream named by ``seed``; prefix-stable."""
    raw = np.random.Philox(key=seed).random_raw(count)
    return np.asarray(raw >> np.uint64(11), dtype=np.float64) * 2.0**-53


def draw(logits_BV: Tensor, uniforms_B: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Token ids (B,) and their log-probs (B,) in nats at ``temperature``.

    Temperature 0 takes the most likely token and reports its log-prob at temperature 1. A token
    of probability 0 is never drawn. ``logits_BV`` (float32) is overwritten.
    """
    if temperature == 0.0:
        ids_B = logits_BV.argmax(-1)
        return ids_B, _pick(logits_BV, ids_B) - logits_BV.logsumexp(-1)
    z_BV = logits_BV.div_(temperature)
    z_BV -= z_BV.amax(-1, keepdim=True)
    mass = z_BV.exp()
    if padding := -mass.shape[1] % _BLOCK:
        mass = functional.pad(mass, (0, padding))
    blocks = mass.view(len(mass), -1, _BLOCK)
    edges = blocks.sum(-1).double().cumsum(-1)
    total_B1 = edges[:, -1:]
    target_B1 = uniforms_B.double().clamp(max=_BELOW_ONE).unsqueeze(-1) * total_B1
    block_B1 = torch.searchsorted(edges, target_B1, right=True)
    before_B1 = functional.pad(edges, (1, 0)).gather(-1, block_B1)
    inner = blocks[torch.arange(len(mass)), block_B1.squeeze(-1)].double().cumsum(-1)
    # The block's float32 sum and the running sum differ in rounding; stay inside the block.
    rest_B1 = torch.minimum(target_B1 - before_B1, inner[:, -1:] * _BELOW_ONE)
    ids_B = (block_B1 * _BLOCK + torch.searchsorted(inner, rest_B1, right=True)).squeeze(-1)
    return ids_B, _pick(z_BV, ids_B) - total_B1.squeeze(-1).log().float()


def _pick(values_BV: Tensor, ids_B: Tensor) -> Tensor:
    return values_BV.gather(-1, ids_B.unsqueeze(-1)).squeeze(-1)
