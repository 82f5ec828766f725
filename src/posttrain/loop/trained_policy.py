"""A run as a policy: ``RUN`` or ``RUN@STEP`` stands for the weights of one of its checkpoints."""

from pathlib import Path

from posttrain.core.errors import NotFoundError
from posttrain.store.checkpoints import list_checkpoints
from posttrain.store.run_directory import RunDirectory

__all__ = ["model_of"]


def model_of(policy: str) -> str:
    """The model folder behind the name of a policy; a name that is no run stays as it is.

    Without a step, the last checkpoint that is whole. Raises ``NotFoundError`` naming the steps
    that the run kept.
    """
    name, at, step = policy.rpartition("@")
    run = Path(name if at else policy)
    if not (run / "manifest.json").is_file() or not (run / "checkpoints").is_dir():
        return policy
    directory = RunDirectory.open(run)
    kept = {found.step: found.path for found in list_checkpoints(directory.checkpoints)}
    wanted = step if at else str(max(kept, default=""))
    if not wanted.isdecimal() or int(wanted) not in kept:
        steps = ", ".join(map(str, sorted(kept))) or "none yet"
        raise NotFoundError(
            f"run {str(run)!r} has no checkpoint {wanted or 'at all'}; it kept: {steps}"
        )
    return str(kept[int(wanted)] / "learner")
