"""The shape of one line of ``tasks.jsonl``, as pydantic models; the source of its JSON Schema.

    TaskLine ── prompt: MessageLine*
             ├─ environment: EnvironmentLine ── files: text | {"base64": …}
             ├─ verifier: VerifierLine ── visible, hidden: FunctionTest* or StdioTest*
             ├─ generator: GeneratorLine | null
             ├─ reference: ReferenceLine | text | null
             ├─ limits: LimitsLine
             └─ source: SourceLine

Tests of the types ``function`` and ``stdio`` are checked here; the others define their own tests
and keys where they are verified.
"""

import base64
from typing import Any, Literal

from pydantic import ConfigDict, Field, PositiveInt, field_validator, model_validator

from posttrain.core.task import Split, Trust
from posttrain.tasks.complaint import Record, did_you_mean, parse_record
from posttrain.tasks.values import decode_value

__all__ = ["TaskLine"]

_MAX_TIME_S = 7 * 24 * 3600
_MAX_BYTES = 1 << 60
_MAX_PIDS = 1 << 22
"""The kernel numbers no more."""


class FunctionOptions(Record):
    """The keys that only a ``function`` verifier knows."""

    forbid: list[str] = Field(default_factory=list)
    null_share: float = Field(default=0.0, ge=0, le=1)
    reference_cpu_s: float | None = Field(default=None, ge=0)


class StdioOptions(Record):
    """The keys that only a ``stdio`` verifier knows."""

    compare: Literal["exact", "tokens", "float"] = "exact"


_OptionsModel = type[FunctionOptions] | type[StdioOptions]


class FunctionTest(Record):
    """One case (``args``, ``kwargs``, ``expect`` or ``oracle``) or one ``program``."""

    args: list[Any] = Field(default_factory=list)
    kwargs: dict[str, Any] = Field(default_factory=dict)
    expect: Any = None
    oracle: Literal["reference"] | None = None
    program: str | None = None

    @model_validator(mode="after")
    def _is_a_case_or_a_program(self) -> "FunctionTest":
        given = self.model_fields_set
        if "program" in given and given != {"program"}:
            raise ValueError(f"a program stands alone; remove {', '.join(given - {'program'})}")
        if "program" not in given and ("expect" in given) == ("oracle" in given):
            raise ValueError("a test has exactly one of expect, oracle and program")
        for key in ("args", "kwargs", "expect"):
            decode_value(getattr(self, key))
        return self


class StdioTest(Record):
    """Standard input and the standard output that must follow."""

    stdin: str = ""
    stdout: str


class MessageLine(Record):
    """One chat message."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


class Base64File(Record):
    """Content of a file that is not text."""

    base64: str

    @field_validator("base64")
    @classmethod
    def _decodes(cls, text: str) -> str:
        base64.b64decode(text, validate=True)
        return text


class EnvironmentLine(Record):
    """The environment that an attempt acts in."""

    template: str = "python"
    files: dict[str, str | Base64File] = Field(default_factory=dict)
    tools: tuple[str, ...] = ()
    max_turns: PositiveInt = 1


class VerifierLine(Record):
    """How an attempt is judged; keys beyond these belong to the verifier's type."""

    model_config = ConfigDict(extra="allow")

    type: Literal[
        "function", "stdio", "pytest", "class", "schema", "table", "sql", "math", "state",
        "docs", "command", "choice", "text", "judge",
    ]  # fmt: skip
    entry_point: str | None = None
    trust: Trust = Trust.ISOLATED
    visible: list[dict[str, Any]] = Field(default_factory=list)
    hidden: list[dict[str, Any]] = Field(default_factory=list)
    atol: float = Field(default=0.0, ge=0)
    rtol: float = Field(default=0.0, ge=0)
    unordered: bool = False

    @model_validator(mode="after")
    def _fits_its_type(self) -> "VerifierLine":
        if self.type == "function":
            self._check_entry_point()
        if self.type in ("function", "stdio"):
            is_function = self.type == "function"
            self._check_options(FunctionOptions if is_function else StdioOptions)
            model = FunctionTest if is_function else StdioTest
            for name in ("visible", "hidden"):
                for number, test in enumerate(getattr(self, name)):
                    parse_record(model, test, f"{name}[{number}]")
        return self

    def _check_entry_point(self) -> None:
        if not self.entry_point:
            raise ValueError("a function verifier needs entry_point, the function's name")
        if not self.entry_point.isidentifier():
            raise ValueError(f"entry_point {self.entry_point!r} is not a name of Python")

    def _check_options(self, model: _OptionsModel) -> None:
        for key in self.options:
            if key not in model.model_fields:
                allowed = sorted(set(model.model_fields) | set(type(self).model_fields))
                raise ValueError(
                    f"unknown key {key!r}{did_you_mean(key, allowed) or ';'} "
                    f"allowed keys are {', '.join(allowed)}"
                )
        parse_record(model, self.options, "options")

    @property
    def options(self) -> dict[str, Any]:
        """The keys that only this verifier type knows."""
        return dict(self.model_extra or {})


class GeneratorLine(Record):
    """Where fresh tests come from."""

    ref: str = Field(pattern=r"^[\w.]+:\w+$")
    parameters: dict[str, Any] = Field(default_factory=dict)
    seed: int = 0
    n: PositiveInt = 8


class ReferenceLine(Record):
    """Code that solves the task, in a form of a solution."""

    solution: str


class LimitsLine(Record):
    """Bounds on the candidate over one whole attempt."""

    wall_s: float = Field(default=10.0, gt=0, le=_MAX_TIME_S)
    cpu_s: float = Field(default=10.0, gt=0, le=_MAX_TIME_S)
    memory_bytes: int = Field(default=512 * 1024 * 1024, gt=0, le=_MAX_BYTES)
    pids: int = Field(default=32, gt=0, le=_MAX_PIDS)
    output_bytes: int = Field(default=1024 * 1024, gt=0, le=_MAX_BYTES)
    disk_bytes: int = Field(default=64 * 1024 * 1024, gt=0, le=_MAX_BYTES)
    files: int = Field(default=4096, gt=0, le=_MAX_BYTES)
    idle_s: float | None = Field(default=None, gt=0, le=_MAX_TIME_S)
    network: Literal["none", "loopback"] | tuple[str, ...] = "none"


class SourceLine(Record):
    """Provenance of a task."""

    name: str
    license: str
    revision: str = ""


class TaskLine(Record):
    """One task."""

    id: str = Field(min_length=1)
    domain: str
    family: str
    split: Split
    prompt: list[MessageLine] = Field(min_length=1)
    environment: EnvironmentLine = EnvironmentLine()
    verifier: VerifierLine
    generator: GeneratorLine | None = None
    reference: str | ReferenceLine | None = None
    demonstration: str | None = None
    difficulty: float | None = Field(default=None, ge=0, le=1)
    limits: LimitsLine = LimitsLine()
    tags: tuple[str, ...] = ()
    source: SourceLine
