"""The real parts of a run, made from its configuration: the one place where rooms are joined.

Torch is loaded when this module is imported, so only verbs that train or sample import it.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from posttrain.config.curriculum import CurriculumConfig, PhaseConfig
from posttrain.config.run import RewardConfig, RunConfig
from posttrain.core.clock import SystemClock
from posttrain.core.reward import Reward
from posttrain.core.task import Task
from posttrain.core.verdict import Verdict
from posttrain.curriculum.curriculum import Curriculum
from posttrain.curriculum.phase import Phase
from posttrain.curriculum.spec import CurriculumSpec
from posttrain.evaluate.regression import load_choice_items
from posttrain.loop.judging import open_bench
from posttrain.loop.parts import Parts
from posttrain.loop.sft_data import general_answers, without_regression
from posttrain.loop.tracks import Tracks, build_tracks, training_pool
from posttrain.loop.train_run import RunFiles, drive
from posttrain.policy.local import LocalPolicy
from posttrain.policy.model_store import resolve_model
from posttrain.reward.layers import RewardSpec, score
from posttrain.rollout.attempt import Pay
from posttrain.store.events import Listener
from posttrain.store.run_directory import RunDirectory
from posttrain.tasks.samples import load_general_prompts, sample_path
from posttrain.train.advantage import AdvantageSpec, Scale
from posttrain.train.learner import Learner
from posttrain.train.spec import LearnerSpec

__all__ = ["open_parts", "resume", "train"]


def train(
    config: RunConfig, *, run_toml: str = "", listeners: Sequence[Listener] = ()
) -> dict[str, Any]:
    """Make the run that ``config`` names and drive it to its final report.

    Raises ``NotFoundError`` for an unknown model before anything is made.
    """
    resolve_model(config.policy.model)
    directory = RunDirectory.create(
        config.run.root, config.run.name, config=config.model_dump(mode="json"), run_toml=run_toml
    )
    return drive(directory, open_parts, listeners=listeners)


def resume(path: Path, *, listeners: Sequence[Listener] = ()) -> dict[str, Any]:
    """Go on with the run at ``path``; a finished run gives its report again."""
    return drive(RunDirectory.open(path), open_parts, listeners=listeners)


@contextmanager
def open_parts(config: RunConfig, files: RunFiles) -> Iterator[tuple[Parts, Tracks]]:
    """Load the model twice (sampler and learner), start the judge, prepare tasks and tracks."""
    model_dir = resolve_model(config.policy.model)
    sandbox = config.sandbox
    pool = training_pool(config)
    tracks = build_tracks(config)
    with (
        open_bench(sandbox.backend, unsafe=sandbox.unsafe, workers=sandbox.workers) as bench,
        closing(_policy(config, model_dir)) as policy,
    ):
        prompts = without_regression(
            load_general_prompts(),
            (item.question for item in load_choice_items(sample_path("regression"))),
        )
        sft = general_answers(
            files.directory.path / "sft.jsonl", policy, prompts, config.sft, config.run.seed
        )
        parts = Parts(
            config=config,
            directory=files.directory,
            ledger=files.ledger,
            metrics=files.metrics,
            emit=files.emit,
            policy=policy,
            learner=Learner(model_dir, _learner_spec(config), config.run.seed),
            curriculum=Curriculum(
                pool, _curriculum_spec(config.curriculum, config.reward), config.run.seed
            ),
            pool=pool,
            bench=bench,
            pay_in=pay_in,
            advantage=AdvantageSpec(
                scale=Scale(config.algorithm.scale), scale_floor=config.algorithm.scale_floor
            ),
            sft=sft,
            clock=SystemClock(),
        )
        yield parts, tracks


def pay_in(phase: Phase) -> Pay:
    """The reward with the weights of a phase."""

    def pay(verdict: Verdict, task: Task) -> Reward:
        return score(verdict, phase.reward)

    return pay


def _policy(config: RunConfig, model_dir: Path) -> LocalPolicy:
    policy = config.policy
    return LocalPolicy(model_dir, name=policy.model, dtype=policy.dtype, threads=policy.threads)


def _learner_spec(config: RunConfig) -> LearnerSpec:
    raise NotImplementedError


def _curriculum_spec(curriculum: CurriculumConfig, reward: RewardConfig) -> CurriculumSpec:
    base = RewardSpec(**reward.model_dump())
    if not curriculum.enabled:
        return CurriculumSpec(
            uniform_share=1.0, stale_share=0.0, phases=(Phase(name="all", reward=base),)
        )
    return CurriculumSpec(
        low=curriculum.low,
        high=curriculum.high,
        uniform_share=curriculum.uniform_share,
        decay=curriculum.decay,
        phases=tuple(_phase(phase, reward) for phase in curriculum.phases),
    )


def _phase(phase: PhaseConfig, reward: RewardConfig) -> Phase:
    layers = ("correct", "partial", "process", "efficiency")
    changed = {name: weight for name in layers if (weight := getattr(phase, name)) is not None}
    return Phase(
        name=phase.name,
        max_difficulty=phase.max_difficulty,
        unlock_pass_rate=phase.unlock_pass_rate,
        unlock_step=phase.unlock_step,
        reward=RewardSpec(**{**reward.model_dump(), **changed}),
    )
