"""What a run is measured on: target tasks, tasks to choose a temperature on, regression items.

    target      held-out tasks, seen and unseen families apart   before, after; a part inside
    selection   training tasks, other seed                       choice of the base's temperature
    mbpp        a public set, reported beside the target track   before, after
    choices     general multiple-choice items                    before, after; a part inside
    prose       held-out texts                                   before, after

Selection tasks are never target tasks: a temperature chosen on the target would flatter the base.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from posttrain.config.run import RunConfig
from posttrain.core.errors import ConfigError
from posttrain.core.seeds import derive_rng, derive_seed
from posttrain.core.task import Split, Task
from posttrain.evaluate.regression import ChoiceItem, load_choice_items
from posttrain.loop.eval_run import group_by_source
from posttrain.tasks.basics import SEEN, UNSEEN, generate_tasks
from posttrain.tasks.format import read_tasks
from posttrain.tasks.samples import load_prose, sample_path

__all__ = [
    "Tracks",
    "build_tracks",
    "spread_over_families",
    "training_pool",
]

T = TypeVar("T")

SELECTION_PER_FAMILY = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Tracks:
    """The fixed sets of one run; ``inner`` parts are used inside it."""

    target: Sequence[Task]
    inner_target: Sequence[Task]
    selection: Sequence[Task]
    mbpp: Sequence[Task]
    choices: Sequence[ChoiceItem]
    inner_choices: Sequence[ChoiceItem]
    prose: Sequence[str]
    group_of: Callable[[Task], str]


def training_pool(config: RunConfig) -> list[Task]:
    """The tasks that may be trained on; raises ``ConfigError`` when there are none."""
    tasks = config.tasks
    if tasks.source == "basics":
        pool = generate_tasks(
            Split.TRAIN,
            per_family=tasks.per_family,
            seed=derive_seed(config.run.seed, "pool"),
            families=tasks.families,
        )
        pool = _within(pool, tasks.max_difficulty)
    else:
        pool = _read_split(config, Split.TRAIN)
    if not pool:
        raise ConfigError("tasks.source holds no task of split 'train'; name a file that does")
    return pool


def build_tracks(config: RunConfig) -> Tracks:
    """The sets that ``config`` asks for; equal seeds give equal sets."""
    evaluation, seed = config.evaluation, config.run.seed
    target, selection = _target_and_selection(config)
    choices = _some(load_choice_items(sample_path("regression")), evaluation.regression_items, seed)
    mbpp = _some(read_tasks(sample_path("mbpp")), evaluation.report_mbpp, seed)
    return Tracks(
        target=target,
        inner_target=spread_over_families(target, evaluation.tasks),
        selection=selection,
        mbpp=mbpp,
        choices=choices,
        inner_choices=choices[: evaluation.inner_regression_items],
        prose=load_prose()[: evaluation.prose_chunks],
        group_of=_basics_group if config.tasks.source == "basics" else group_by_source,
    )


def spread_over_families(tasks: Iterable[Task], number: int) -> list[Task]:
    """The first ``number`` tasks when families take turns."""
    seen: dict[str, int] = {}
    turns = []
    for place, task in enumerate(tasks):
        turn = seen.get(task.family, 0)
        seen[task.family] = turn + 1
        turns.append((turn, place, task))
    return [task for _, _, task in sorted(turns, key=lambda entry: entry[:2])[:number]]


def _target_and_selection(config: RunConfig) -> tuple[list[Task], list[Task]]:
    if config.tasks.source == "basics":
        return _basics_target(config), _basics_selection(config)
    target = _read_split(config, Split.EVAL)
    pool = _read_split(config, Split.TRAIN)
    families = {task.family for task in pool}
    return target, spread_over_families(pool, SELECTION_PER_FAMILY * len(families))


def _basics_target(config: RunConfig) -> list[Task]:
    seed, evaluation = derive_seed(config.run.seed, "target"), config.evaluation
    seen = tuple(name for name in SEEN if name in (config.tasks.families or SEEN))
    tasks = [
        *generate_tasks(
            Split.EVAL, per_family=evaluation.final_per_family, seed=seed, families=seen
        ),
        *generate_tasks(
            Split.EVAL, per_family=evaluation.unseen_per_family, seed=seed, families=UNSEEN
        ),
    ]
    return _within(tasks, config.tasks.max_difficulty)


def _basics_selection(config: RunConfig) -> list[Task]:
    tasks = generate_tasks(
        Split.TRAIN,
        per_family=SELECTION_PER_FAMILY,
        seed=derive_seed(config.run.seed, "selection"),
        families=config.tasks.families,
    )
    return _within(tasks, config.tasks.max_difficulty)


def _within(tasks: Iterable[Task], max_difficulty: float) -> list[Task]:
    return [task for task in tasks if (task.difficulty or 0.0) <= max_difficulty]


def _read_split(config: RunConfig, split: Split) -> list[Task]:
    paths = () if config.tasks.source == "basics" else config.tasks.source
    return [task for path in paths for task in read_tasks(path) if task.split is split]


def _basics_group(task: Task) -> str:
    return "unseen" if task.family in UNSEEN else "seen"


def _some(items: Sequence[T], number: int, seed: int) -> list[T]:
    chosen = derive_rng(seed, "items").sample(range(len(items)), min(number, len(items)))
    return [items[place] for place in chosen]
