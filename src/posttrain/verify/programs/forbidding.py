"""Take functions that a task forbids out of the candidate's reach, and notice when one is called.

A builtin is replaced in the candidate's own namespace only, so the standard library keeps it; a
function of a module (``math.gcd``) is replaced in the module.
"""

import builtins
import importlib
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Forbidden", "ForbiddenCallError"]


class ForbiddenCallError(RuntimeError):
    """The candidate called what the task forbids."""


class Forbidden:
    """Remembers the first forbidden call, also when the candidate swallows the error."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.called: str | None = None

    def builtins(self) -> dict[str, Any]:
        """What the candidate finds as builtins; replaces functions of modules on the way."""
        found = dict(vars(builtins))
        for name in self._names:
            module_name, _, attribute = name.rpartition(".")
            if module_name:
                setattr(importlib.import_module(module_name), attribute, self._guard(name))
            else:
                found[name] = self._guard(name)
        return found

    def _guard(self, name: str) -> Callable[..., Any]:
        def refuse(*args: object, **kwargs: object) -> object:
            self.called = self.called or name
            raise ForbiddenCallError(f"{name} is forbidden in this task")

        return refuse
