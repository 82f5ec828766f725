"""Open a sandbox by the name of its backend.

Nothing falls back to a weaker wall: a backend that this machine cannot hold is an error that
names the mend, and the backend without walls has to be asked for twice.
"""

from posttrain.core.errors import ConfigError, PrerequisiteError, SandboxError
from posttrain.sandbox.forkserver import ForkServer
from posttrain.sandbox.namespace import NamespaceWall
from posttrain.sandbox.prerequisites import user_namespace_fault
from posttrain.sandbox.process import NoWall
from posttrain.sandbox.protocol import Sandbox
from posttrain.sandbox.wall import find_bubblewrap

__all__ = ["BACKENDS", "open_namespace", "open_sandbox"]

BACKENDS = ("namespace", "process")


def open_sandbox(name: str = "namespace", *, unsafe: bool = False, slots: int = 0) -> Sandbox:
    """Open a backend; ``slots`` executions of each program are kept ready from the start.

    Raises:
        ConfigError: there is no backend of that name.
        PrerequisiteError: the machine cannot hold the wall, or ``process`` without ``unsafe``.
    """
    if name == "namespace":
        return open_namespace(slots=slots)
    if name != "process":
        raise ConfigError(f"unknown sandbox backend {name!r}; allowed are {', '.join(BACKENDS)}")
    if not unsafe:
        raise PrerequisiteError(
            "the 'process' sandbox has no walls and runs code with your rights: "
            "use 'namespace', or add --unsafe if every program is trusted"
        )
    return ForkServer(NoWall(), slots=slots)


def open_namespace(*, slots: int = 0, use_cgroups: bool = True) -> ForkServer:
    """Open the ``namespace`` backend and prove that it can shut one execution in.

    Raises:
        PrerequisiteError: bubblewrap is missing or namespaces cannot be made; names the mend.
    """
    find_bubblewrap()
    sandbox = ForkServer(NamespaceWall(use_cgroups=use_cgroups), slots=slots)
    try:
        sandbox.warm_up()
    except SandboxError as error:
        sandbox.close()
        reason, mend = user_namespace_fault() or (
            str(error),
            "see 'posttrain doctor'; inside a container, start it with --privileged or with "
            "--security-opt seccomp=unconfined --security-opt systempaths=unconfined",
        )
        raise PrerequisiteError(
            f"the 'namespace' sandbox does not work here: {reason}; to mend it: {mend}"
        ) from error
    return sandbox
