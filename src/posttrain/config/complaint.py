"""Turn a pydantic error into one line: where, which key, what was given, what is allowed."""

import difflib
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

__all__ = ["complain", "section_of", "walk_keys"]

_SIMILAR_ENOUGH = 0.6


def complain(error: ValidationError, model: type[BaseModel], where: str) -> str:
    """The first finding of ``error`` as a sentence that starts with ``where``.

    An unknown key is answered by the nearest key of its table, else by the table in which a key
    of that name exists; further findings are counted, not listed.
    """
    findings = error.errors(include_url=False)
    path = _known_path(model, findings[0]["loc"])
    if findings[0]["type"] == "extra_forbidden":
        text = _unknown_key(model, findings[0]["loc"])
        same = 1
    else:
        alike = [f for f in findings if _known_path(model, f["loc"]) == path]
        text, same = _bad_value(path, alike), len(alike)
    others = len(findings) - same
    tail = f" ({others} more like this)" if others else ""
    return f"{where}: {text}{tail}"


def walk_keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Every dotted key of ``model`` that holds a value, tables within tables included."""
    for name, field in model.model_fields.items():
        inner = section_of(field.annotation)
        if inner is None or typing.get_origin(field.annotation) is not None:
            yield prefix + name
        else:
            yield from walk_keys(inner, f"{prefix}{name}.")


def section_of(annotation: Any) -> type[BaseModel] | None:
    """The model that ``annotation`` is, or holds as an element; None for plain values."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in typing.get_args(annotation):
        found = section_of(argument)
        if found is not None:
            return found
    return None


def _known_path(model: type[BaseModel], loc: Sequence[int | str]) -> tuple[int | str, ...]:
    """``loc`` without the parts that name branches of a union."""
    path: list[int | str] = []
    table: type[BaseModel] | None = model
    for part in loc:
        if isinstance(part, int):
            path.append(part)
        elif table is not None and part in table.model_fields:
            path.append(part)
            table = section_of(table.model_fields[part].annotation)
        else:
            break
    return tuple(path)


def _unknown_key(model: type[BaseModel], loc: Sequence[int | str]) -> str:
    *parents, key = (str(part) for part in loc)
    siblings = _keys_at(model, loc[:-1])
    near = difflib.get_close_matches(key, siblings, n=1, cutoff=_SIMILAR_ENOUGH)
    elsewhere = [name for name in walk_keys(model) if name.rpartition(".")[2] == key]
    given = ".".join([*parents, key])
    if near:
        return f"unknown key {given!r}; did you mean {'.'.join([*parents, near[0]])!r}?"
    if elsewhere:
        return f"unknown key {given!r}; did you mean {elsewhere[0]!r}?"
    return f"unknown key {given!r}; allowed here: {', '.join(siblings)}"


def _keys_at(model: type[BaseModel], loc: Sequence[int | str]) -> list[str]:
    table: type[BaseModel] | None = model
    for part in loc:
        if isinstance(part, str) and table is not None and part in table.model_fields:
            table = section_of(table.model_fields[part].annotation)
    return sorted(table.model_fields) if table is not None else []


def _bad_value(path: tuple[int | str, ...], findings: Sequence[Any]) -> str:
    reasons = dict.fromkeys(_reason(finding["msg"]) for finding in findings)
    if findings[0]["type"] == "value_error" or not path:
        return "; ".join(reasons)
    given = findings[0]["input"]
    shown = "a table" if isinstance(given, dict) else f"{given!r}"
    return f"{'.'.join(map(str, path))} = {shown} is not allowed: {', or '.join(reasons)}"


def _reason(message: str) -> str:
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    if "dictionary or instance of" in text:
        return "should be a table"
    return text[:1].lower() + text[1:].replace("valid tuple", "list")
