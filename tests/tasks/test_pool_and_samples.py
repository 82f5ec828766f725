import hashlib
import json

import pytest

from posttrain.core.errors import NotFoundError, TaskFormatError
from posttrain.core.task import Split
from posttrain.tasks.basics import generate_tasks
from posttrain.tasks.format import read_tasks, write_tasks
from posttrain.tasks.pool import load_pool, pool_stats
from posttrain.tasks.samples import SAMPLES, load_general_prompts, load_prose, sample_path

BASICS = generate_tasks(Split.EVAL, per_family=2, seed=0, families=["affine", "remainder"])


def records(name):
    return [json.loads(line) for line in sample_path(name).read_text("utf-8").splitlines()]


def fingerprint(text):
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def test_a_pool_joins_sources_and_keeps_one_split(tmp_path):
    path = tmp_path / "tasks.jsonl"
    write_tasks(path, BASICS)
    pool = load_pool([path, "mbpp"])
    assert len(pool) == len(BASICS) + 60
    assert {task.split for task in load_pool([str(path)], split=Split.EVAL)} == {Split.EVAL}
    with pytest.raises(TaskFormatError, match="no task of split train; the sources hold eval"):
        load_pool([BASICS], split=Split.TRAIN)


def test_an_id_in_two_sources_is_refused_and_a_missing_source_named():
    with pytest.raises(TaskFormatError, match="'basics/affine/eval/0' is in more than one source"):
        load_pool([BASICS, BASICS])
    with pytest.raises(NotFoundError, match="no task source 'mbp'; did you mean 'mbpp'"):
        load_pool(["mbp"])


def test_stats_count_what_the_pool_holds():
    stats = pool_stats(BASICS)
    assert stats["tasks"] == 4
    assert stats["families"] == {"affine": 2, "remainder": 2}
    assert stats["splits"] == {"eval": 4}
    assert stats["tests"] == {"visible": 12, "hidden": 32}
    assert sum(stats["difficulty"].values()) == 4
    assert pool_stats([])["mean_prompt_chars"] is None


def test_sample_tasks_are_for_evaluation_and_state_their_licences():
    for name, license_name, count in (("mbpp", "CC-BY-4.0", 60), ("humaneval", "MIT", 20)):
        tasks = read_tasks(sample_path(name))
        assert len(tasks) == count
        assert {task.source.license for task in tasks} == {license_name}
        assert {task.split for task in tasks} == {Split.EVAL}


def test_regression_items_are_well_formed_and_many():
    items = records("regression")
    assert len(items) >= 320
    assert len({item["id"] for item in items}) == len(items)
    for item in items:
        assert set(item) == {"id", "query", "choices", "gold", "source"}
        assert 0 <= item["gold"] < len(item["choices"]) >= 2
        assert len(set(item["choices"])) == len(item["choices"])


def test_general_prompts_share_nothing_with_the_regression_track():
    prompts = load_general_prompts()
    assert len(prompts) >= 150
    assert len({fingerprint(prompt) for prompt in prompts}) == len(prompts)
    track = {fingerprint(item["query"]) for item in records("regression")}
    track |= {
        fingerprint(item["query"].removeprefix("Question: ").removesuffix("Answer:"))
        for item in records("regression")
    }
    assert not {fingerprint(prompt) for prompt in prompts} & track


def test_prose_is_held_out_text_without_unknown_words():
    texts = load_prose()
    assert 30_000 <= sum(len(text.encode()) for text in texts) <= 40_000
    assert not any("<unk>" in text or "@-@" in text for text in texts)


def test_the_samples_stay_under_a_megabyte_and_an_unknown_one_names_the_nearest():
    assert sum(sample_path(name).stat().st_size for name in SAMPLES) < 1_000_000
    with pytest.raises(NotFoundError, match="did you mean 'prose'"):
        sample_path("prse")
