from pathlib import Path

import pytest
import torch

from posttrain.train.precision import Precision, product_dtype


@pytest.mark.parametrize(
    ("flags", "dtype"),
    [
        ("fpu avx512_bf16 sse", torch.bfloat16),
        ("fpu amx_bf16 sse", torch.bfloat16),
        ("fpu avx512f avx2", torch.float32),
    ],
)
def test_auto_rounds_only_where_the_cpu_multiplies_bfloat16(
    tmp_path: Path, flags: str, dtype: torch.dtype
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor : 0\nflags : {flags}\n")
    assert product_dtype(Precision.AUTO, cpuinfo) == dtype


def test_stated_precision_does_not_ask_the_cpu(tmp_path: Path) -> None:
    assert product_dtype(Precision.FLOAT32, tmp_path) == torch.float32
    assert product_dtype(Precision.BFLOAT16, tmp_path) == torch.bfloat16
    assert product_dtype(Precision.AUTO, tmp_path / "absent") == torch.float32
