"""What a verb prints: a table or plain lines for people, or one JSON document for programs.

With ``--json`` standard output holds that one document and nothing else; whatever else there is
to say goes to standard error. Colours and tables follow ``NO_COLOR`` and whether a terminal reads.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from posttrain.core.plain import to_plain

__all__ = ["Output", "complain", "number"]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Output:
    """Flags that every verb takes."""

    json: Annotated[bool, Parameter(negative=())] = False
    """Print one JSON document and nothing else."""
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False
    """Print results and errors only."""

    @property
    def is_chatty(self) -> bool:
        """True when progress and hints are wanted on standard output."""
        return not (self.json or self.quiet)

    def document(self, value: Any) -> None:
        """Print ``value`` as the one JSON document."""
        sys.stdout.buffer.write(orjson.dumps(to_plain(value), option=orjson.OPT_INDENT_2) + b"\n")
        sys.stdout.flush()

    def line(self, text: str) -> None:
        """Print one line of the result, without markup."""
        _console().print(text, markup=False, highlight=False, soft_wrap=True)

    def hint(self, text: str) -> None:
        """Print a line that only a reader wants; silent with ``--json`` and ``--quiet``."""
        if self.is_chatty:
            self.line(text)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
        """Print rows under column heads."""
        table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*row)
        _console().print(table, markup=False, highlight=False)

    def pairs(self, values: Mapping[str, object]) -> None:
        """Print names with their values, one a line."""
        width = max((len(name) for name in values), default=0)
        for name, value in values.items():
            self.line(f"{name:<{width}}  {number(value)}")


def complain(text: str) -> None:
    """Print one line on standard error."""
    sys.stderr.write(f"posttrain: {' '.join(text.split())}\n")


def number(value: object) -> str:
    """A value for reading: floats with four digits, None as a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


class _PipedConsole(Console):
    """Leaves a reader that went away to the command's own ending, which is no error."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - rich calls this while it handles the BrokenPipeError


def _console() -> Console:
    return _PipedConsole(width=None if sys.stdout.isatty() else 160)
