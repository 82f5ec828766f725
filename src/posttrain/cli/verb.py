"""How a verb is declared: plain-text help that ends with examples, and flags that verbs share."""

from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

__all__ = ["AboveZero", "Backend", "Overrides", "Unsafe", "verb"]

Overrides = Annotated[
    tuple[str, ...],
    Parameter(
        name="--set",
        negative=(),
        show_default=False,
        help="Override one setting, as KEY=VALUE; may be repeated.",
    ),
]

Backend = Annotated[
    str, Parameter(help="Sandbox backend: namespace, or process, which protects nothing.")
]

Unsafe = Annotated[
    bool, Parameter(negative=(), help="Allow a sandbox backend that protects nothing.")
]

AboveZero = Parameter(validator=Number(gt=0))
"""For a flag that bounds something."""


def verb(name: str, *examples: str) -> App:
    """A command, or a group of commands, whose help ends with ``examples``, one a line."""
    lines = "\n".join(f"  {example}" for example in examples)
    return App(name=name, help_epilogue=f"Examples:\n\n{lines}", help_format="plaintext")
