"""The run file as data: every setting of a training run, with its default and its bounds.

    run.toml ──► load (TOML, --set, did-you-mean) ──► RunConfig ──► loop
                                                          └──► config.json of the run directory

All defaults live here and nowhere else; an empty run file is the demo run. Values that belong to
another room (task limits, prompts) are not repeated here. Durations are in seconds, counts are
plain, shares lie in [0, 1].
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from posttrain.config.algorithm import AlgorithmConfig, OptimizerConfig, SftConfig
from posttrain.config.curriculum import CurriculumConfig
from posttrain.config.section import Section

__all__ = [
    "CheckpointConfig",
    "EvaluationConfig",
    "PolicyConfig",
    "RewardConfig",
    "RunConfig",
    "RunSection",
    "SandboxConfig",
    "TasksConfig",
]

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Temperature = Annotated[float, Field(ge=0.0, le=2.0)]


class RunSection(Section):
    """What the run is called, where it is kept, how long it is."""

    name: Name = "run"
    """Name of the run directory; a name that is taken is refused, never overwritten."""
    root: Path = Path("runs")
    """Folder that holds run directories; relative to the working directory."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    """Every draw of the run derives from this number."""
    steps: Annotated[int, Field(ge=0)] = 30
    """Updates of the policy; 0 evaluates the base model and stops."""


class PolicyConfig(Section):
    """The model that is trained, and how its answers are sampled."""

    model: str = "smollm2-135m-instruct"
    """The embedded default model, or the path of a local Hugging Face model folder."""
    temperature: Annotated[float, Field(gt=0.0, le=2.0)] = 0.8
    """Sampling temperature of rollouts; at 0 all attempts at a task would be equal."""
    max_tokens: Annotated[int, Field(ge=1, le=32768)] = 96
    """Longest answer in tokens; longer ones are cut and counted as truncated."""
    stop: tuple[str, ...] = ("\n```",)
    """Texts that end an answer; they stay part of the sampled tokens."""
    prefill: str = "```python"
    """Begin of each answer. It must not end in a newline: the model's next token holds it."""
    dtype: Literal["auto", "bfloat16", "float32"] = "auto"
    """Number format of the sampler; auto takes bfloat16 where the processor has it."""
    workers: Annotated[int, Field(ge=0)] = 0
    """Sampler processes of one thread each; 0 takes the number of usable cores."""
    threads: Annotated[int, Field(ge=1)] = 1
    """Torch threads of the learner; more than one collapses by spinning on shared cores."""
    batch_size: Annotated[int, Field(ge=1)] = 64
    """Answers decoded side by side, by all sampler processes together."""


class TasksConfig(Section):
    """Where tasks come from."""

    source: Literal["basics"] | tuple[Path, ...] = "basics"
    """The built-in procedural set, or a list of ``tasks.jsonl`` files."""
    per_family: Annotated[int, Field(ge=1)] = 24
    """Training tasks drawn per family of the procedural set."""
    families: tuple[str, ...] | None = None
    """Names of the families to train on; null takes all that are not held out."""
    max_difficulty: Share = 1.0
    """Harder tasks of the procedural set are neither trained on nor evaluated on."""


class SandboxConfig(Section):
    """Where candidate code runs."""

    backend: Literal["namespace", "process"] = "namespace"
    """``namespace`` isolates; ``process`` does not and needs ``unsafe``."""
    unsafe: bool = False
    """Allow a backend that protects nothing."""
    workers: Annotated[int, Field(ge=0)] = 0
    """Gradings at a time; 0 takes the number of usable cores."""


class RewardConfig(Section):
    """Weights of the reward's layers; phases of the curriculum may replace the first four."""

    correct: Annotated[float, Field(ge=0.0)] = 1.0
    """Paid when all tests pass."""
    partial: Annotated[float, Field(ge=0.0)] = 0.3
    """Times the share of tests passed, above what a null policy reaches."""
    process: Annotated[float, Field(ge=0.0)] = 0.1
    """Times the static quality of the code; counts only where ``partial`` paid something."""
    efficiency: Annotated[float, Field(ge=0.0)] = 0.05
    """Taken away for code that needs over four times the reference's CPU time."""
    tamper: Annotated[float, Field(le=0.0)] = -1.0
    """The whole value of an attempt that was observed tampering."""


class EvaluationConfig(Section):
    """The two tracks: how much of them, how often, how sampled."""

    every: Annotated[int, Field(ge=0)] = 10
    """Steps between evaluations inside the run; 0 evaluates before and after only."""
    tasks: Annotated[int, Field(ge=1)] = 60
    """Target tasks of an evaluation inside the run."""
    final_per_family: Annotated[int, Field(ge=1)] = 6
    """Target tasks per family before and after the run."""
    unseen_per_family: Annotated[int, Field(ge=1)] = 8
    """The same for families that training never sees; they are few, so each gives more tasks."""
    attempts: Annotated[int, Field(ge=1)] = 8
    """Answers per target task before and after; pass@k is given up to this k."""
    inner_attempts: Annotated[int, Field(ge=1)] = 2
    """Answers per target task of an evaluation inside the run."""
    temperature: Temperature | None = None
    """Sampling temperature of the target track; null takes the policy's own."""
    base_temperatures: tuple[Temperature, ...] = (0.0, 0.2, 0.4, 0.6)
    """Tried beside it on the base model, to find the best that lowering it alone reaches."""
    regression_items: Annotated[int, Field(ge=0)] = 360
    """Multiple-choice items before and after; the package holds 360."""
    inner_regression_items: Annotated[int, Field(ge=0)] = 60
    """Multiple-choice items of an evaluation inside the run."""
    prose_chunks: Annotated[int, Field(ge=0)] = 24
    """Chunks of held-out prose whose perplexity is reported before and after."""
    selection_attempts: Annotated[int, Field(ge=1)] = 4
    """Answers per training task and temperature, to choose the base's best temperature."""
    margin: Annotated[float, Field(ge=0.0)] = 0.02
    """Largest loss of regression accuracy that the gate lets pass, as a share."""
    report_mbpp: Annotated[int, Field(ge=0)] = 20
    """MBPP tasks reported beside the target track; 0 leaves it out."""


class CheckpointConfig(Section):
    """When the learner is saved."""

    every: Annotated[int, Field(ge=1)] = 5
    """Steps between checkpoints; a killed run repeats at most this many."""
    keep: Annotated[int, Field(ge=1)] = 1
    """Checkpoints kept beside the last one; each holds 12 bytes a parameter."""


class RunConfig(Section):
    """A whole run file. Every table and every key may be left out."""

    run: RunSection = RunSection()
    policy: PolicyConfig = PolicyConfig()
    tasks: TasksConfig = TasksConfig()
    sandbox: SandboxConfig = SandboxConfig()
    reward: RewardConfig = RewardConfig()
    algorithm: AlgorithmConfig = AlgorithmConfig()
    optimizer: OptimizerConfig = OptimizerConfig()
    sft: SftConfig = SftConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    checkpoint: CheckpointConfig = CheckpointConfig()

    @model_validator(mode="after")
    def _process_backend_is_unsafe(self) -> Self:
        if self.sandbox.backend == "process" and not self.sandbox.unsafe:
            raise ValueError(
                "sandbox.backend 'process' protects nothing; set sandbox.unsafe = true to use it, "
                "or sandbox.backend = 'namespace'"
            )
        return self
