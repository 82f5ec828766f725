"""Open a sandbox by the name of its backend.

Nothing falls back to a weaker wall: a backend that this machine cannot hold is an error that
names the mend, and the backend without walls has to be asked for twice.
"""

from posttrain.core.errors import ConfigError, PrerequisiteError
from posttrain.sandbox.forkserver import ForkServer
from posttrain.sandbox.namespace import NamespaceWall
from posttrain.sandbox.process import NoWall
from posttrain.sandbox.protocol import Sandbox

__all__ = ["BACKENDS", "open_sandbox"]

BACKENDS = ("namespace", "process")


def open_sandbox(name: str = "namespace", *, unsafe: bool = False, slots: int = 0) -> Sandbox:
    """Open a backend; ``slots`` executions of each program are kept ready from the start.

    Raises:
        ConfigError: there is no backend of that name.
        PrerequisiteError: the machine cannot hold the wall, or ``process`` without ``unsafe``.
    """
    if name == "process":
        if not unsafe:
            raise PrerequisiteError(
                "the 'process' sandbox has no walls and runs code with your rights: "
                "use 'namespace', or add --unsafe if every program is trusted"
            )
        return ForkServer(NoWall(), slots=slots)
    if name == "namespace":
        return ForkServer(NamespaceWall(), slots=slots)
    raise ConfigError(f"unknown sandbox backend {name!r}; allowed are {', '.join(BACKENDS)}")
