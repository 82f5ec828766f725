"""Log-probs of given tokens under a large vocabulary, without keeping its logits.

The vocabulary (49,152 in the demo model) is 85 times wider than the hidden state, so logits and
their gradients would take most of the memory. Rows are done in chunks, and only the probabilities
are kept for the backward pass, in the precision that the products run in.

The vocabulary's mean row is taken out of the head before rounding to bfloat16. Log-probs do not
change by it (it shifts all logits of a row alike), but the products get smaller and so does the
rounding of their results.

Shape suffixes: N tokens, D width, V vocabulary, C rows of one chunk.
"""

from typing import Any

import torch
from torch import Tensor

__all__ = ["centred", "token_logprobs"]

_CHUNK_ROWS = 512


def centred(head_VD: Tensor, product_dtype: torch.dtype) -> Tensor:
    """The head without its vocabulary mean, ready for products; detached, good for one update."""
    weights_VD = head_VD.detach()
    return (weights_VD - weights_VD.mean(0)).to(product_dtype)


def token_logprobs(
    hidden_ND: Tensor,
    head_VD: Tensor,
    centred_VD: Tensor,
    targets_N: Tensor,
    temperatures_N: Tensor,
) -> tuple[Tensor, Tensor]:
    """Log-probs of ``targets`` and entropies (nats, float32, shape N) of softmax(h W^T / T).

    Only the log-probs have gradients: to ``hidden`` and, where it is trained, to ``head``.
    ``centred_VD`` is what ``centred`` made of ``head_VD``; products run in its dtype.
    """
    logprobs_N, entropies_N = _TokenLogprobs.apply(  # type: ignore[no-untyped-call]
        hidden_ND, head_VD, centred_VD, targets_N, temperatures_N
    )
    return logprobs_N, entropies_N


class _TokenLogprobs(torch.autograd.Function):
    """With p = softmax(z / T): d logp_n / d z_n = (onehot(target_n) - p_n) / T_n."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden_ND: Tensor,
        head_VD: Tensor,
        centred_VD: Tensor,
        targets_N: Tensor,
        temperatures_N: Tensor,
    ) -> tuple[Tensor, Tensor]:
        rows_ND = hidden_ND.to(centred_VD.dtype)
        parts = [
            _chunk(
                rows_ND[chunk] @ centred_VD.T,
                targets_N[chunk],
                temperatures_N[chunk],
                keep=any(ctx.needs_input_grad),
            )
            for chunk in _chunks(len(rows_ND))
        ]
        ctx.save_for_backward(rows_ND, centred_VD, targets_N, temperatures_N)
        ctx.probs = [probs_CV for _, _, probs_CV in parts]
        ctx.dtypes = hidden_ND.dtype, head_VD.dtype
        entropies_N = torch.cat([entropies_C for _, entropies_C, _ in parts])
        ctx.mark_non_differentiable(entropies_N)
        return torch.cat([logprobs_C for logprobs_C, _, _ in parts]), entropies_N

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        rows_ND, centred_VD, targets_N, temperatures_N = ctx.saved_tensors
        scale_N = grads[0] / temperatures_N
        hidden_dtype, head_dtype = ctx.dtypes
        grad_hidden_ND = torch.empty(rows_ND.shape, dtype=torch.float32)
        grad_head_VD = torch.zeros(centred_VD.shape) if ctx.needs_input_grad[1] else None
        for chunk, probs_CV in zip(_chunks(len(rows_ND)), ctx.probs, strict=True):
            targets_C, scale_C1 = targets_N[chunk], scale_N[chunk, None]
            pull_CD = centred_VD[targets_C].float() - (probs_CV @ centred_VD).float()
            grad_hidden_ND[chunk] = pull_CD * scale_C1
            if grad_head_VD is not None:
                scaled_CD = rows_ND[chunk].float() * scale_C1
                grad_head_VD -= probs_CV.T @ scaled_CD.to(probs_CV.dtype)
                grad_head_VD.index_add_(0, targets_C, scaled_CD)
        if grad_head_VD is not None:
            grad_head_VD = grad_head_VD.to(head_dtype)
        return grad_hidden_ND.to(hidden_dtype), grad_head_VD, None, None, None


def _chunks(num_rows: int) -> list[slice]:
    return [slice(start, start + _CHUNK_ROWS) for start in range(0, num_rows, _CHUNK_ROWS)]


def _chunk(
    products_CV: Tensor, targets_C: Tensor, temperatures_C: Tensor, *, keep: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Log-probs, entropies and, where a gradient will ask for them, probabilities."""
    logits_CV = products_CV.float().div_(temperatures_C[:, None])
    log_sums_C = logits_CV.logsumexp(-1)
    logprobs_C = logits_CV.gather(1, targets_C[:, None])[:, 0] - log_sums_C
    probs_CV = (logits_CV - log_sums_C[:, None]).exp_()
    entropies_C = log_sums_C - torch.linalg.vecdot(probs_CV, logits_CV)
    return logprobs_C, entropies_C, probs_CV.to(products_CV.dtype) if keep else None
