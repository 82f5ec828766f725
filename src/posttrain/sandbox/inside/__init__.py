"""Code that runs behind the wall: standard library only, delivered to the interpreter as text.

    server   the warm interpreter (zygote) and its lanes: fork on request, run nothing else
    entry    what one child does to shut itself in: namespaces, mounts, privileges
    runner   init of one execution, and the process that carries out its job
    kernel   the system calls that Python does not offer

The driver sends them, compiled, through the control socket, so nothing of the repository has to be
visible behind the wall. They import each other and the standard library, nothing else, and of that
as little as they can: each page that a zygote holds is mapped and unmapped again by every fork.
"""

__all__: list[str] = []
