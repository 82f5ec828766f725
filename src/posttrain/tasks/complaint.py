"""Turn a failed validation into one line: what was given, what is allowed, what was meant."""

import difflib
import re
import typing
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from posttrain.core.errors import TaskFormatError

__all__ = ["Record", "did_you_mean", "parse_record"]

_MAX_SHOWN = 60

R = TypeVar("R", bound=BaseModel)


class Record(BaseModel):
    """Base of every record read from a file: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def parse_record(model: type[R], data: Any, where: str) -> R:
    """``data`` as ``model``, or a ``TaskFormatError`` that starts with ``where``."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise TaskFormatError(f"{where}: {_first_complaint(model, error)}") from error


def did_you_mean(given: object, allowed: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` when something allowed is close to what was given, else ''."""
    close = difflib.get_close_matches(str(given), list(allowed), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def _first_complaint(model: type[BaseModel], error: ValidationError) -> str:
    complaints = error.errors(include_url=False)
    # A misspelt key is also a missing one; what was given helps more than what was not.
    unknown = (each for each in complaints if each["type"] == "extra_forbidden")
    detail = next(unknown, complaints[0])
    path = tuple(detail["loc"])
    name = ".".join(str(part) for part in path)
    match detail["type"]:
        case "extra_forbidden":
            allowed = sorted(_keys_at(model, path[:-1]))
            hint = did_you_mean(path[-1], allowed)
            return f"unknown key {name!r}{hint or ';'} allowed keys are {', '.join(allowed)}"
        case "missing":
            return f"key {name!r} is missing; add it"
        case "literal_error" | "enum":
            expected = str(detail["ctx"]["expected"])
            hint = did_you_mean(detail["input"], re.findall(r"'([^']*)'", expected))
            return f"{name} is {_shown(detail['input'])}{hint or ';'} allowed are {expected}"
        case "value_error":
            return f"{name + ': ' if name else ''}{detail['ctx']['error']}"
    return f"{name} is {_shown(detail['input'])}; {_lower_first(detail['msg'])}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _keys_at(model: type[BaseModel], path: tuple[int | str, ...]) -> set[str]:
    """Keys of the model that ``path`` leads to; list positions and union tags are skipped."""
    for part in path:
        field = model.model_fields.get(str(part))
        inner = _model_inside(field.annotation) if field else None
        model = inner or model
    return set(model.model_fields)


def _model_inside(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in typing.get_args(annotation):
        if found := _model_inside(argument):
            return found
    return None
