"""Write docs/run-file.md from the configuration's own field texts. usage: make docs"""

import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from posttrain.config.complaint import section_of
from posttrain.config.run import RunConfig

PAGE = Path(__file__).resolve().parent.parent / "docs" / "run-file.md"

HEAD = """\
# The run file

<!-- Written by `make docs` from the texts under the fields of posttrain.config. -->

A run file is TOML. Every table and every key may be left out; an empty file is a run with the
defaults below. `posttrain train run.toml --set policy.temperature=0.7` overrides one key,
`posttrain config show run.toml` prints every key with its value, `posttrain config show --schema
run` prints the JSON Schema. Relative paths start at the working directory.
"""

COLUMNS = "| key | default | allowed | meaning |\n|---|---|---|---|\n"


def bounds(field: FieldInfo) -> str:
    """What a value must satisfy, in words."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    found = [
        f"{signs[name]} {plain(getattr(item, name))}"
        for item in field.metadata
        for name in signs
        if getattr(item, name, None) is not None
    ]
    choices = [repr(choice) for choice in choices_of(field.annotation)]
    return ", ".join(found) or " or ".join(choices)


def plain(number: float) -> str:
    """A bound without a needless point or exponent."""
    return str(int(number)) if number == int(number) else str(number)


def choices_of(annotation: Any) -> list[Any]:
    """The literals that ``annotation`` allows."""
    if typing.get_origin(annotation) is typing.Literal:
        return list(typing.get_args(annotation))
    return [c for argument in typing.get_args(annotation) for c in choices_of(argument)]


def default_text(field: FieldInfo) -> str:
    """The default as the run file would have it."""
    if field.is_required():
        return "required"
    value = field.default
    if isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
        return "see below"
    return f"`{orjson.dumps(value, default=str).decode()}`"


def table(title: str, model: type[BaseModel]) -> Iterator[str]:
    """The section of one table of the file, then those of tables within it."""
    inner: list[tuple[str, type[BaseModel]]] = []
    yield f"\n## `{title}`\n\n{model.__doc__}\n\n{COLUMNS}"
    for name, field in model.model_fields.items():
        section = section_of(field.annotation)
        if section is not None:
            inner.append((f"[[{title.strip('[]')}.{name}]]", section))
        text = " ".join((field.description or "").split())
        yield f"| `{name}` | {default_text(field)} | {bounds(field)} | {text} |\n"
    for inner_title, section in inner:
        yield from table(inner_title, section)


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for name, field in RunConfig.model_fields.items():
        section = section_of(field.annotation)
        if section is not None:
            parts += table(f"[{name}]", section)
    parts.append("\n## Phases by default\n\n```toml\n")
    for phase in RunConfig().curriculum.phases:
        given = phase.model_dump(exclude_unset=True)
        lines = (f"{key} = {orjson.dumps(value).decode()}\n" for key, value in given.items())
        parts.append("[[curriculum.phases]]\n" + "".join(lines))
    return "".join(parts) + "```\n"


def main() -> int:
    """Write the page; with ``--check`` only compare, 1 when it is out of date."""
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.exists() and PAGE.read_text() == page() else 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
