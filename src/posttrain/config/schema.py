"""JSON Schemas by name: the run file and the files that a run leaves.

The task and solution lines belong to ``posttrain.tasks``; callers that show all schemas add them.
"""

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from posttrain.config.files import EvalReport, MetricsLine, ResultLine, RolloutLine
from posttrain.config.run import RunConfig
from posttrain.core.errors import ConfigError

__all__ = ["FILE_MODELS", "json_schema"]

FILE_MODELS: Mapping[str, type[BaseModel]] = {
    "run": RunConfig,
    "result": ResultLine,
    "rollout": RolloutLine,
    "metrics": MetricsLine,
    "report": EvalReport,
}


def json_schema(name: str, models: Mapping[str, type[BaseModel]] = FILE_MODELS) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the file called ``name``.

    Raises ``ConfigError`` naming what is allowed.
    """
    if name not in models:
        near = difflib.get_close_matches(name, models, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigError(f"no schema {name!r}; {hint}allowed: {', '.join(sorted(models))}")
    schema = models[name].model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
