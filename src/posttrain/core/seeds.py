"""Seeds derived by hash, so that no draw depends on the order in which work was done.

A seed is named by what it is for, e.g. ``derive_seed(run_seed, "sample", step, task_id, index)``;
the same name gives the same seed on every machine and in every process.
"""

import hashlib
import random

__all__ = ["derive_rng", "derive_seed"]

_MASK_63_BITS = (1 << 63) - 1


def derive_seed(*parts: int | str) -> int:
    """A 63-bit seed from a name; parts are length-prefixed, so ("ab", "c") != ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        text = f"{type(part).__name__}:{part}".encode()
        digest.update(len(text).to_bytes(4, "big") + text)
    return int.from_bytes(digest.digest()[:8], "big") & _MASK_63_BITS


def derive_rng(*parts: int | str) -> random.Random:
    """A private generator seeded by ``derive_seed``; never the global one."""
    return random.Random(derive_seed(*parts))
