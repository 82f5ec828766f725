"""Open a policy by the name that a user gives.

Imports torch only once the name has been found, so that a wrong name costs no start-up time.
"""

from pathlib import Path

from posttrain.policy.model_store import DEFAULT_MAX_ROWS, DtypeName, resolve_model
from posttrain.policy.protocol import Policy

__all__ = ["open_policy"]


def open_policy(
    name: str | Path,
    *,
    dtype: DtypeName = "auto",
    threads: int = 1,
    workers: int = 1,
    max_rows: int = DEFAULT_MAX_ROWS,
    cache: Path | None = None,
) -> Policy:
    """The policy called ``name``: the embedded model or a local Hugging Face folder.

    With ``workers`` above 1 that many processes share the sampling, ``max_rows`` in all. Raises as
    ``resolve_model`` does, and ``ConfigError`` for an architecture that cannot be run here.
    """
    folder = resolve_model(name, cache)
    if workers > 1:
        from posttrain.policy.local_pool import PooledPolicy

        return PooledPolicy(folder, name=str(name), dtype=dtype, workers=workers, max_rows=max_rows)
    from posttrain.policy.local import LocalPolicy

    return LocalPolicy(folder, name=str(name), dtype=dtype, threads=threads, max_rows=max_rows)
