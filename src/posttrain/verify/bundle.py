"""One self-contained file of a sandbox program and the modules of ours that it imports.

Inside the sandbox there is no ``posttrain`` to import, so the bundle brings the modules along and
registers them under their own names. It lives in an anonymous memory file: nothing is left on disk
when the driver is killed.
"""

import ast
import marshal
import os
from pathlib import Path

from posttrain.core.errors import VerifierError
from posttrain.sandbox.protocol import Program

__all__ = ["CANDIDATE", "STDIO", "TESTS", "Bundle"]

CANDIDATE = "candidate_function"
TESTS = "test_program"
STDIO = "candidate_stdio"

_PACKAGE = "posttrain.verify.programs"
_FOLDER = Path(__file__).parent / "programs"

_ORDINARY = (
    "array", "bisect", "cmath", "collections", "copy", "datetime", "decimal", "fractions",
    "functools", "heapq", "itertools", "math", "operator", "random", "re", "statistics", "string",
    "typing",
)  # fmt: skip
"""What answers to small tasks import; loaded ahead, so that an import costs a look-up."""

_HEADER = """\
import marshal as _marshal, sys as _sys, types as _types
for _name in ("posttrain", "posttrain.verify", "posttrain.verify.programs"):
    _sys.modules.setdefault(_name, _types.ModuleType(_name)).__path__ = []
for _name, _code in {modules!r}:
    _module = _types.ModuleType(_name)
    _sys.modules[_name] = _module
    exec(_marshal.loads(_code), _module.__dict__)
del _name, _code, _module, _marshal, _sys, _types
"""


class Bundle:
    """The programs as memory files; keep it open as long as a sandbox may start them."""

    def __init__(self) -> None:
        self._fds: list[int] = []
        self.programs = tuple(self._program(name) for name in (CANDIDATE, TESTS, STDIO))

    def close(self) -> None:
        """Give the memory back; idempotent."""
        while self._fds:
            os.close(self._fds.pop())

    def _program(self, name: str) -> Program:
        fd = os.memfd_create(name, os.MFD_CLOEXEC)
        self._fds.append(fd)
        with open(fd, "w", encoding="utf-8", closefd=False) as file:
            file.write(_bundled(name))
        path = Path(f"/proc/{os.getpid()}/fd/{fd}")
        return Program(name=name, path=path, preload=_ORDINARY)


def _bundled(name: str) -> str:
    sources: dict[str, str] = {}
    _collect(name, sources)
    program = sources.pop(f"{_PACKAGE}.{name}")
    modules = [
        (full, marshal.dumps(compile(source, f"<{full}>", "exec", dont_inherit=True)))
        for full, source in sources.items()
    ]
    return _HEADER.format(modules=modules) + program


def _collect(name: str, sources: dict[str, str]) -> None:
    """Add the module and, before it, those of ours that it imports."""
    full = f"{_PACKAGE}.{name}"
    if full in sources:
        return
    path = _FOLDER / f"{name}.py"
    try:
        source = path.read_text("utf-8")
    except OSError as error:
        raise VerifierError(f"a sandbox program cannot be read: {error}") from error
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{_PACKAGE}."):
            _collect(str(node.module).rpartition(".")[2], sources)
    sources[full] = source
