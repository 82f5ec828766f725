"""The real parts of a run, made from its configuration: the one place where rooms are joined.

Torch is loaded when this module is imported, so only verbs that train or sample import it.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from posttrain.config.run import RunConfig
from posttrain.core.clock import SystemClock
from posttrain.core.errors import PrerequisiteError, UserError
from posttrain.core.reward import Reward
from posttrain.core.task import Task
from posttrain.core.verdict import Verdict
from posttrain.curriculum.curriculum import Curriculum
from posttrain.curriculum.phase import Phase
from posttrain.evaluate.regression import load_choice_items
from posttrain.loop.judging import num_usable_cores, open_bench
from posttrain.loop.parts import Parts
from posttrain.loop.runs import has_attempts
from posttrain.loop.sft_data import general_answers, without_regression
from posttrain.loop.specs import advantage_spec, curriculum_spec, learner_spec
from posttrain.loop.tracks import Tracks, build_tracks, training_pool
from posttrain.loop.train_run import RunFiles, drive
from posttrain.policy.local import LocalPolicy
from posttrain.policy.local_pool import PooledPolicy
from posttrain.policy.model_store import resolve_model
from posttrain.reward.layers import score
from posttrain.rollout.attempt import Pay
from posttrain.store.events import Listener
from posttrain.store.run_directory import RunDirectory
from posttrain.tasks.samples import load_general_prompts, sample_path
from posttrain.train.learner import Learner

__all__ = ["open_parts", "resume", "train"]


def train(
    config: RunConfig, *, run_toml: str = "", listeners: Sequence[Listener] = ()
) -> dict[str, Any]:
    """Make the run that ``config`` names and drive it to its final report.

    A mistake of the user or a missing prerequisite that shows before the first attempt leaves no
    run behind.
    """
    settings = _anchored(config).model_dump(mode="json")
    directory = RunDirectory.create(
        config.run.root, config.run.name, config=settings, run_toml=run_toml
    )
    try:
        return drive(directory, open_parts, listeners=listeners)
    except (UserError, PrerequisiteError):
        if not has_attempts(directory):
            directory.remove()
        raise


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
            learner=Learner(model_dir, learner_spec(config), config.run.seed),
            curriculum=Curriculum(pool, curriculum_spec(config), config.run.seed),
            pool=pool,
            bench=bench,
            pay_in=pay_in,
            advantage=advantage_spec(config),
            sft=sft,
            clock=SystemClock(),
        )
        yield parts, tracks


def pay_in(phase: Phase) -> Pay:
    """The reward with the weights of a phase."""

    def pay(verdict: Verdict, task: Task) -> Reward:
        return score(verdict, phase.reward)

    return pay


def _anchored(config: RunConfig) -> RunConfig:
    """The same with absolute paths, so that the run can be resumed from any folder."""
    tasks, policy = config.tasks, config.policy
    if tasks.source != "basics":
        source = tuple(path.resolve() for path in tasks.source)
        tasks = tasks.model_copy(update={"source": source})
    if Path(policy.model).is_dir():
        policy = policy.model_copy(update={"model": str(Path(policy.model).resolve())})
    return config.model_copy(update={"tasks": tasks, "policy": policy})


def _policy(config: RunConfig, model_dir: Path) -> LocalPolicy | PooledPolicy:
    policy = config.policy
    workers = policy.workers or num_usable_cores()
    if workers == 1:
        return LocalPolicy(
            model_dir, name=policy.model, dtype=policy.dtype, max_rows=policy.batch_size
        )
    return PooledPolicy(
        model_dir,
        name=policy.model,
        dtype=policy.dtype,
        workers=workers,
        max_rows=policy.batch_size,
    )
