"""Find the code in a model's answer.

The rule: the last complete or still open python fence is the code. Text inside a think block,
closed or not, is never searched. No fence, no code: the answer then fails as ``format``.

A fence begins at a line (or the answer's first characters, which a policy may have prefilled) of
three or more backticks or tildes and the word ``python``, ``python3`` or ``py``. It ends at a line
of at least as many of the same characters alone, not indented by more than three spaces beyond its
begin (so that a fence inside a docstring is content). A fence of another language is stepped over
whole. A python fence that begins inside an open one replaces it.
"""

import re
from dataclasses import dataclass, field

__all__ = ["extract_code"]

_THINK_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)[^`]*")
_PYTHON = frozenset({"python", "python3", "py"})
_MAX_EXTRA_INDENT = 3


def extract_code(completion: str) -> str | None:
    """The judged source; None when the answer holds no python fence outside its thinking."""
    found: str | None = None
    fence: _Fence | None = None
    for line in _without_thinking(completion).split("\n"):
        opened = _opening(line, inside=fence)
        if opened is not None:
            fence = opened
        elif fence is None:
            continue
        elif fence.is_closed_by(line):
            found = fence.source() if fence.is_python else found
            fence = None
        else:
            fence.lines.append(line)
    if fence is None or not fence.is_python:
        return found
    if fence.lines and not fence.lines[-1]:
        fence.lines.pop()  # what follows the last newline of an open fence is no line
    return fence.source()


@dataclass(kw_only=True, slots=True)
class _Fence:
    indent: int
    mark: str
    is_python: bool
    lines: list[str] = field(default_factory=list)

    def is_closed_by(self, line: str) -> bool:
        text = line.strip()
        return (
            len(text) >= len(self.mark)
            and set(text) == {self.mark[0]}
            and _indent(line) <= self.indent + _MAX_EXTRA_INDENT
        )

    def source(self) -> str:
        """The content, less the indentation that the fence itself has."""
        return "".join(line[min(_indent(line), self.indent) :] + "\n" for line in self.lines)


def _opening(line: str, *, inside: _Fence | None) -> _Fence | None:
    match = _OPENING.fullmatch(line)
    if match is None:
        return None
    fence = _Fence(
        indent=len(match["indent"]),
        mark=match["mark"],
        is_python=match["language"].lower() in _PYTHON,
    )
    if inside is None:
        return fence
    restarts = inside.is_python and fence.is_python
    return fence if restarts and fence.indent <= inside.indent + _MAX_EXTRA_INDENT else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _without_thinking(completion: str) -> str:
    """What remains outside think blocks.

    An end tag without its begin closes a block that the prompt began, so all before it is dropped.
    """
    kept: list[str] = []
    position, is_thinking = 0, False
    for tag in _THINK_TAG.finditer(completion):
        is_end = bool(tag[1])
        if is_end and not is_thinking:
            kept.clear()
        elif not is_thinking:
            kept.append(completion[position : tag.start()])
        is_thinking = not is_end
        position = tag.end()
    if not is_thinking:
        kept.append(completion[position:])
    return "\n".join(kept)
