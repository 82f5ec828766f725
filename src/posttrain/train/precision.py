"""Which precision matrix products run in: bfloat16 where the CPU multiplies it natively.

Master weights, gradients, optimizer state, residual stream, softmax and loss stay in float32
whatever is chosen; only the inputs of products are rounded. On CPUs without native bfloat16 the
rounding would cost time instead of saving it.
"""

from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path

import torch

__all__ = ["Precision", "autocast", "product_dtype"]

_NATIVE_FLAGS = frozenset({"amx_bf16", "avx512_bf16"})


class Precision(StrEnum):
    """Chosen precision of products; ``AUTO`` asks the CPU."""

    AUTO = "auto"
    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"


def product_dtype(precision: Precision, cpuinfo: Path = Path("/proc/cpuinfo")) -> torch.dtype:
    """The dtype behind ``precision`` on this machine; float32 where the CPU does not tell."""
    if precision == Precision.AUTO:
        native = cpuinfo.is_file() and _NATIVE_FLAGS & set(cpuinfo.read_text().split())
        return torch.bfloat16 if native else torch.float32
    return torch.bfloat16 if precision == Precision.BFLOAT16 else torch.float32


def autocast(dtype: torch.dtype) -> AbstractContextManager[object]:
    """A context in which products run in ``dtype``."""
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == torch.bfloat16)
