import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posttrain.core.errors import NotFoundError, TaskFormatError
from posttrain.core.seeds import derive_rng
from posttrain.core.task import Split
from posttrain.tasks.basics import FAMILIES, SEEN, UNSEEN, fresh_cases, generate_tasks
from posttrain.tasks.format import read_tasks, write_tasks
from posttrain.tasks.values import decode_value

TRAIN = generate_tasks(Split.TRAIN, per_family=12, seed=1)
EVAL = generate_tasks(Split.EVAL, per_family=8, seed=1)


def text_of(value):
    return json.dumps(value, sort_keys=True)


def cases_of(task):
    return (*task.verifier.visible, *task.verifier.hidden)


def function_of(task):
    namespace = {}
    exec(task.reference, namespace)
    return namespace[task.verifier.entry_point]


def statement_of(task):
    return task.prompt[0].content.partition(" that ")[2].partition(" Your code should")[0]


def test_there_are_at_least_24_families_over_all_topics():
    assert len(FAMILIES) >= 24
    topics = {family.topic for family in FAMILIES.values()}
    assert topics >= {"strings", "lists", "dicts", "numbers", "parsing", "recursion"}
    difficulties = [f.difficulty_of(p) for f in FAMILIES.values() for p in f.choices]
    assert min(difficulties) <= 0.25
    assert max(difficulties) >= 0.9
    assert all(0 <= difficulty <= 1 for difficulty in difficulties)


def test_six_families_of_different_topics_are_held_out_from_training():
    assert len(UNSEEN) == 6
    assert len({FAMILIES[name].topic for name in UNSEEN}) >= 3
    assert set(SEEN) | set(UNSEEN) == set(FAMILIES)
    assert not {task.family for task in TRAIN} & set(UNSEEN)
    assert {task.family for task in EVAL} == set(FAMILIES)
    with pytest.raises(TaskFormatError, match="held out from training"):
        generate_tasks(Split.TRAIN, per_family=1, seed=1, families=[UNSEEN[0]])


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_train_and_eval_share_neither_parameters_nor_wording(family):
    train, held_out = family.parameters(Split.TRAIN), family.parameters(Split.EVAL)
    assert train and held_out
    assert not {text_of(p) for p in train} & {text_of(p) for p in held_out}
    assert {text_of(p) for p in (*train, *held_out)} == {text_of(p) for p in family.choices}
    assert not set(family.train_statements) & set(family.eval_statements)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_wordings_of_all_parameters_are_filled_in_and_different(family):
    assert min(len(family.train_statements), len(family.eval_statements)) >= 2
    texts = [
        family.describe(statement, parameters)
        for statement in (*family.train_statements, *family.eval_statements)
        for parameters in family.choices
    ]
    assert len(set(texts)) == len(texts)
    assert len({text_of(parameters) for parameters in family.choices}) == len(family.choices)


def test_generated_train_and_eval_tasks_share_no_id_parameters_statement_or_prompt():
    seen = [task for task in EVAL if task.family in SEEN]
    for key in (
        lambda task: task.id,
        lambda task: text_of(task.generator.parameters),
        statement_of,
        lambda task: task.prompt[0].content,
    ):
        assert not {key(task) for task in TRAIN} & {key(task) for task in seen}


def test_all_prompts_and_ids_of_one_call_are_different():
    for tasks in (TRAIN, EVAL):
        assert len({task.id for task in tasks}) == len(tasks)
        assert len({task.prompt[0].content for task in tasks}) == len(tasks)
    assert TRAIN[0].id == f"basics/{SEEN[0]}/train/0"


@pytest.mark.parametrize("task", [*TRAIN[::12], *EVAL[::8]], ids=lambda task: task.id)
def test_the_reference_passes_the_shown_asserts_and_all_cases_with_exact_types(task):
    function = function_of(task)
    shown = task.prompt[0].content.split("\n")[1:-1]
    assert len(shown) == 3
    for line in shown:
        exec(line, {task.verifier.entry_point: function})
    for case in cases_of(task):
        value = function(*decode_value(case["args"]))
        assert value == decode_value(case["expect"])
        assert type(value) is type(decode_value(case["expect"]))


@pytest.mark.parametrize("task", [*TRAIN[::12], *EVAL[::8]], ids=lambda task: task.id)
def test_inputs_and_answers_vary_within_a_task(task):
    arguments = [text_of(case["args"]) for case in cases_of(task)]
    assert len(set(arguments)) == len(arguments) >= 9
    assert len({text_of(case["expect"]) for case in cases_of(task)}) >= 2


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=5, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_fresh_cases_follow_the_seed_and_the_reference(name, data, seed):
    family = FAMILIES[name]
    parameters = data.draw(st.sampled_from(family.choices))
    generator = {"family": name, **parameters}
    cases = fresh_cases(generator, seed, 8)
    assert cases == fresh_cases(json.loads(json.dumps(generator)), seed, 8)
    assert cases != fresh_cases(generator, seed + 1, 8)
    namespace = {}
    exec(family.source("f", parameters), namespace)
    for case in cases:
        assert namespace["f"](*decode_value(case["args"])) == decode_value(case["expect"])


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_each_choice_of_parameters_has_inputs_enough_for_any_seed(family):
    for parameters in family.choices:
        for seed in range(2):
            rng = derive_rng("enough", seed)
            assert len(family.cases(parameters, rng, 11)) == 11
            cases = fresh_cases({"family": family.name, **parameters}, seed, 8)
            assert len({text_of(case["args"]) for case in cases}) == 8


def test_no_reference_changes_its_arguments():
    for task in EVAL:
        for case in cases_of(task):
            args = decode_value(case["args"])
            function_of(task)(*args)
            assert args == decode_value(case["args"])


def test_the_same_seed_gives_the_same_tasks_and_more_per_family_only_appends():
    few = generate_tasks(Split.TRAIN, per_family=2, seed=9, families=["affine", "list_chain"])
    many = generate_tasks(Split.TRAIN, per_family=5, seed=9, families=["affine", "list_chain"])
    assert few == [task for task in many if int(task.id.rpartition("/")[2]) < 2]
    other = generate_tasks(Split.TRAIN, per_family=2, seed=10, families=["affine", "list_chain"])
    assert {task.prompt for task in few} != {task.prompt for task in other}


def test_tasks_survive_writing_and_reading_and_carry_no_demonstration(tmp_path):
    write_tasks(tmp_path / "tasks.jsonl", EVAL)
    assert read_tasks(tmp_path / "tasks.jsonl") == EVAL
    assert all(task.demonstration is None for task in EVAL)


def test_examples_that_say_little_are_not_shown_while_others_exist():
    emptiness = [
        any(value in ("", [], {}) for value in (*case["args"], case["expect"]))
        for task in EVAL
        for case in task.verifier.visible
    ]
    assert sum(emptiness) / len(emptiness) < 0.02


def test_an_unknown_family_names_the_nearest_and_basics_has_no_regression_split():
    with pytest.raises(NotFoundError, match="did you mean 'affine'"):
        generate_tasks(Split.EVAL, per_family=1, seed=0, families=["afine"])
    with pytest.raises(TaskFormatError, match="not 'regression'"):
        generate_tasks(Split.REGRESSION, per_family=1, seed=0)


def test_harder_parameters_of_a_family_are_marked_harder():
    chain = FAMILIES["list_chain"]
    by_length = {len(p["steps"]): chain.difficulty_of(p) for p in chain.choices}
    assert by_length[2] < by_length[3]


def test_balanced_draws_both_answers_for_each_kind_of_bracket():
    family = FAMILIES["balanced"]
    for parameters in family.choices:
        answers = [
            case["expect"] for case in family.cases(parameters, derive_rng("both answers"), 12)
        ]
        assert {True, False} == set(answers)
