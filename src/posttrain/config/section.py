"""The base of every part of a run file: frozen, closed to unknown keys, documented by its fields.

The string under a field is the only text about it: reader, ``train --help``, JSON Schema and
``docs/run-file.md`` all show it.
"""

from pydantic import BaseModel, ConfigDict

__all__ = ["Section"]


class Section(BaseModel):
    """A table of the run file."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        validate_default=True,
        allow_inf_nan=False,
    )
