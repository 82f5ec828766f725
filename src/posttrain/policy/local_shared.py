"""A checkpoint's tensors in memory that several processes map.

The parent writes float32 values in place, workers read them. The memory is a memfd: it needs no
/dev/shm of any size, has no name to leave behind, and goes when the last process closes it.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

from posttrain.core.errors import PolicyError

__all__ = ["SharedWeights"]

_FLOAT32_BYTES = 4


class SharedWeights:
    """Named float32 tensors laid end to end in one memory file."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], fd: int) -> None:
        self.fd = fd
        self._shapes = dict(shapes)
        num_values = sum(torch.Size(shape).numel() for shape in shapes.values())
        os.ftruncate(fd, num_values * _FLOAT32_BYTES)
        flat = torch.from_file(f"/proc/self/fd/{fd}", shared=True, size=num_values)
        self.tensors: dict[str, Tensor] = {}
        begin = 0
        for name, shape in shapes.items():
            end = begin + torch.Size(shape).numel()
            self.tensors[name] = flat[begin:end].view(shape)
            begin = end

    @classmethod
    def create(cls, model_dir: Path) -> "SharedWeights":
        """Room for the tensors of ``model_dir``; takes no memory until written."""
        shapes: dict[str, tuple[int, ...]] = {}
        for path in sorted(model_dir.glob("*.safetensors")):
            with safe_open(path, framework="pt") as file:
                names = list(file.keys())
                shapes.update({name: tuple(file.get_slice(name).get_shape()) for name in names})
        return cls(shapes, os.memfd_create("posttrain-weights"))

    @classmethod
    def attach(cls, layout: str, fd: int) -> "SharedWeights":
        """The same tensors in another process, from ``layout`` and an inherited ``fd``."""
        return cls({name: tuple(shape) for name, shape in json.loads(layout).items()}, fd)

    @property
    def layout(self) -> str:
        """What ``attach`` needs, as JSON."""
        return json.dumps(self._shapes)

    def write(self, named: Mapping[str, Tensor]) -> None:
        """Overwrite all tensors; ``PolicyError``, and nothing written, when one is missing."""
        missing = [name for name in self.tensors if name not in named]
        if missing:
            raise PolicyError(
                f"weights lack {missing[0]!r} and {len(missing) - 1} others; give every tensor "
                "of the checkpoint"
            )
        with torch.no_grad():
            for name, tensor in self.tensors.items():
                tensor.copy_(named[name])

    def close(self) -> None:
        """Unmap and close; idempotent."""
        self.tensors = {}
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
