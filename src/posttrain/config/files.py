"""The files that a run or a grading leaves, as models; the source of their JSON Schemas.

Nothing is read through these models in a hot path: writers build plain records, and tests hold
what they wrote against the models. Objects whose keys grow (metrics, reports) allow more keys.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from posttrain.config.section import Section
from posttrain.core.execution import Outcome
from posttrain.core.task import Trust
from posttrain.core.verdict import FailureKind, Status, Validity

__all__ = ["EvalReport", "MetricsLine", "ResultLine", "RolloutLine"]

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class CountOfTests(Section):
    """Tests passed out of those expected."""

    passed: Count
    """Tests that the judge saw pass."""
    total: Count
    """Tests expected."""


class TestsByKind(Section):
    """Counts by visibility."""

    __test__ = False

    visible: CountOfTests
    """Tests that the prompt shows."""
    hidden: CountOfTests
    """Tests of the task that the prompt does not show."""
    fresh: CountOfTests
    """Tests generated for this grading."""


class FailureObject(Section):
    """The first reason why a solution did not pass."""

    kind: FailureKind
    """Closed list; ``infra`` is the only kind that is not the candidate's."""
    detail: str = ""
    """Short and stable enough to group by."""


class FindingObject(Section):
    """One observed act of tampering, or one suspicion."""

    kind: str
    """What was done."""
    evidence: str
    """What was seen of it."""


class ExecObject(Section):
    """How an execution ended and what it used."""

    model_config = ConfigDict(extra="allow")

    outcome: Outcome
    """Closed list; ``ok`` is a normal end with status 0."""
    exit_code: int | None = None
    """Status of the process, null when a signal or a limit ended it."""
    signal: int | None = None
    """Number of the signal that ended it."""
    cpu_s: float = 0.0
    """CPU seconds of the whole process tree."""
    wall_s: float = 0.0
    """Seconds from start to end."""
    peak_memory_bytes: int | None = None
    """Of the whole process tree; null where it cannot be measured."""
    truncated: bool = False
    """True when output was cut at its limit."""
    limit_hit: str | None = None
    """Name of the limit that ended it."""
    consulted: bool = False
    """True once candidate code had started."""


class LayerObject(Section):
    """One layer of a reward."""

    name: str
    """correct, partial, process, efficiency."""
    score: float
    """In [0, 1]."""
    weight: float
    """Of the phase in which it was judged."""
    contribution: float
    """Score times weight."""


class JudgedLine(Section):
    """A verdict with its reward."""

    model_config = ConfigDict(extra="allow")

    task_id: str
    """The task that was tried."""
    status: Status
    """``error`` means that no verdict was possible."""
    trust: Trust
    """``isolated``: the candidate never shared a process with an expected value."""
    reward: float | None
    """Null exactly when ``validity`` is not ``valid``."""
    validity: Validity
    """Whether the verdict may become a reward, and if not, whose fault that is."""
    layers: list[LayerObject]
    """Empty when there is no reward."""
    tests: TestsByKind
    """What passed."""
    failure: FailureObject | None
    """Null when the solution passed."""
    tamper: list[FindingObject]
    """Observed acts only; each sets the reward to the tamper value."""
    suspicion: list[FindingObject]
    """What a reading of the source raised; changes no value."""
    exec: ExecObject
    """The candidate's execution."""


class ResultLine(JudgedLine):
    """One line of ``results.jsonl``: one solution, in the order of the solutions."""

    solution_id: str
    """As given in ``solutions.jsonl``."""


class RolloutLine(Section):
    """One line of ``rollouts/step_*.jsonl``: one judged attempt."""

    model_config = ConfigDict(extra="allow")

    turns: list[dict[str, Any]]
    """Token ids as sampled with their behaviour log-probs, and the text."""
    verdict: dict[str, Any]
    """Status, tests, failure and evidence."""
    reward: dict[str, Any]
    """Value or null, validity, layers."""


class MetricsLine(Section):
    """One line of ``metrics.jsonl``: one step. Keys not listed are numbers too."""

    model_config = ConfigDict(extra="allow")

    step: Count
    """Counted from 1."""
    reward_mean: Annotated[float | None, Field(alias="reward/mean")]
    """Over attempts that have a reward; null when none has."""
    reward_std: Annotated[float | None, Field(alias="reward/std")]
    """Deviation over the same attempts."""
    solved_all: Annotated[Count, Field(alias="groups/solved_all")]
    """Groups in which every attempt passed."""
    solved_none: Annotated[Count, Field(alias="groups/solved_none")]
    """Groups in which no attempt passed."""
    mixed: Annotated[Count, Field(alias="groups/mixed")]
    """Groups with both, which is where learning signal comes from."""
    kl: float | None
    """Divergence from the base model on sampled tokens, in nats."""
    entropy: float | None
    """Of the policy at sampled tokens, in nats."""
    clip_ratio: float | None
    """Share of tokens whose ratio was clipped."""
    grad_norm: float | None
    """Before clipping."""
    loss_rl: Annotated[float | None, Field(alias="loss/rl")]
    """Policy loss."""
    loss_sft: Annotated[float | None, Field(alias="loss/sft")]
    """Loss of the supervised stream."""
    loss_kl: Annotated[float | None, Field(alias="loss/kl")]
    """KL term."""
    mean_length: Annotated[float | None, Field(alias="completions/mean_length")]
    """Tokens an answer."""
    truncated: Annotated[Share | None, Field(alias="completions/truncated")]
    """Share of answers cut at ``policy.max_tokens``."""
    error_share: Annotated[Share | None, Field(alias="verdict/error_share")]
    """Share of attempts without a verdict."""
    tamper_share: Annotated[Share | None, Field(alias="tamper/share")]
    """Share of attempts that were observed tampering."""
    tokens: Count
    """Sampled in this step."""


class EvalReport(Section):
    """``reports/eval_*.json``: both tracks of one policy."""

    model_config = ConfigDict(extra="allow")

    step: Count
    """Updates made before the evaluation."""
    policy: str
    """What was evaluated."""
    tracks: dict[Literal["target", "regression"], dict[str, Any]]
    """Metrics as ``{"value", "low", "high", "n"}``, the interval at 95 %."""
    gate: dict[str, Any] | None = None
    """Decision and reason where a gate was asked."""
