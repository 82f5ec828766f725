"""Runs as root, just before the wall: make the interpreter reachable, then stop being root.

Bubblewrap started by real root covers parts of ``/proc``, and the kernel then refuses the fresh
``/proc`` of every execution. So the wall is built by an unprivileged id. That id may not be able
to reach the interpreter (``/root`` is closed to it), hence a private mount namespace in which the
interpreter's folder is bound to a place that it can reach. Everything here dies with the process.

    python -c "… main()" BIND_FROM BIND_TO ID COMMAND…
"""

import os
import sys

from posttrain.sandbox.inside import kernel

__all__ = ["STAGE_PLACES", "main"]

STAGE_PLACES = ("/mnt", "/media", "/srv", "/opt")
"""Standard folders; inside the private mount namespace one of them is covered."""


def main() -> None:
    """Never returns: replaces this process by the command."""
    source, stage, identity, *command = sys.argv[1:]
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount(source, stage, "", kernel.MS_BIND)
    number = int(identity)
    os.setgroups([])
    os.setresgid(number, number, number)
    os.setresuid(number, number, number)
    os.chdir("/")
    os.execvp(command[0], command)
