"""Read a run file: TOML, then ``--set`` overrides, then the models, with errors of one line.

    run.toml ─► tables ─┐
    --set a.b=c ────────┴─► merged tables ─► RunConfig

A later layer wins key by key; a list replaces a list. The value of ``--set`` is read as TOML
(``true``, ``3``, ``1e-5``, ``"text"``, ``[1, 2]``); what is not TOML is plain text, so that
``--set policy.model=./my-model`` needs no second pair of quotes. The file is checked before the
overrides, so that an error names the layer that holds it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from posttrain.config.complaint import complain
from posttrain.config.run import RunConfig
from posttrain.core.errors import ConfigError, NotFoundError

__all__ = ["load_run_config", "parse_override", "read_saved_config"]


def load_run_config(path: Path | None, overrides: Sequence[str] = ()) -> RunConfig:
    """The configuration of ``path`` (None: all defaults) with ``overrides`` laid over it.

    Raises ``NotFoundError`` when the file does not exist and ``ConfigError``, naming file and key,
    when it is no TOML, has an unknown key or a value that is not allowed.
    """
    tables = {} if path is None else _read_toml(path)
    config = _validate(tables, str(path))
    for text in overrides:
        keys, value = parse_override(text)
        tables = _put(tables, keys, value, where=f"--set {text}")
        config = _validate(tables, f"--set {text}")
    return config


def read_saved_config(path: Path) -> RunConfig:
    """The ``config.json`` of a run directory; raises like ``load_run_config``."""
    try:
        tables = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFoundError(f"{path} does not exist; is this a run directory?") from None
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{path} is not JSON ({error}); restore it") from None
    return _validate(tables, str(path))


def parse_override(text: str) -> tuple[tuple[str, ...], Any]:
    """Split ``a.b=c`` into its keys and its value, typed as TOML would type it.

    Raises ``ConfigError`` when there is no ``=`` or an empty key.
    """
    name, equals, value = text.partition("=")
    keys = tuple(key.strip() for key in name.split("."))
    if not equals or not all(keys):
        raise ConfigError(
            f"--set {text!r} has no key and value; give KEY=VALUE, "
            "for example --set policy.temperature=0.7"
        )
    try:
        return keys, tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return keys, value.strip()


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(
            f"run file {str(path)!r} does not exist; give the path of a TOML file"
        ) from None
    except (IsADirectoryError, PermissionError) as error:
        raise ConfigError(
            f"run file {str(path)!r} cannot be read: {error.strerror}; give the path of a TOML file"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}; mend that line") from None


def _put(tables: Mapping[str, Any], keys: Sequence[str], value: Any, where: str) -> dict[str, Any]:
    head, *rest = keys
    if not rest:
        return {**tables, head: value}
    inner = tables.get(head, {})
    if not isinstance(inner, Mapping):
        raise ConfigError(f"{where} goes below {head!r}, which is a value, not a table")
    return {**tables, head: _put(inner, rest, value, where)}


def _validate(tables: Mapping[str, Any], where: str) -> RunConfig:
    try:
        return RunConfig.model_validate(tables)
    except ValidationError as error:
        raise ConfigError(complain(error, RunConfig, where)) from None
