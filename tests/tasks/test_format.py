import gzip
import json
import math

import pytest

from posttrain.core.errors import NotFoundError, TaskFormatError
from posttrain.core.task import (
    EnvironmentSpec,
    GeneratorSpec,
    Limits,
    Message,
    Source,
    Split,
    Task,
    Trust,
    VerifierSpec,
)
from posttrain.tasks.format import read_tasks, task_from_line, task_to_line, write_tasks

MINIMAL = {
    "id": "t/1",
    "domain": "code",
    "family": "f",
    "split": "train",
    "prompt": [{"role": "user", "content": "Write f."}],
    "verifier": {"type": "function", "entry_point": "f", "hidden": [{"args": [1], "expect": 1}]},
    "source": {"name": "test", "license": "CC0-1.0"},
}

FULL = Task(
    id="t/2",
    domain="code",
    family="f",
    split=Split.EVAL,
    prompt=(Message(role="system", content="Be brief."), Message(role="user", content="é\n")),
    environment=EnvironmentSpec(files={"a.txt": b"text\n", "b.bin": b"\xff\x00"}, max_turns=2),
    verifier=VerifierSpec(
        type="function",
        entry_point="f",
        trust=Trust.SHARED,
        visible=({"program": "def check(candidate):\n    assert candidate(1) == 1"},),
        hidden=({"args": [{"$t": "tuple", "v": [1]}], "oracle": "reference"},),
        atol=1e-6,
        unordered=True,
        options={"forbid": ["sorted"]},
    ),
    generator=GeneratorSpec(ref="a.b:c", parameters={"k": [1, 2]}, seed=3, n=4),
    reference="def f(x):\n    return x\n",
    demonstration="```python\ndef f(x): return x\n```",
    difficulty=0.25,
    limits=Limits(cpu_s=2, wall_s=6, idle_s=1.5, network=("localhost",)),
    tags=("a", "b"),
    source=Source(name="test", license="CC0-1.0", revision="1"),
)


def test_reading_what_was_written_gives_equal_tasks(tmp_path):
    path = tmp_path / "tasks.jsonl"
    tasks = [task_from_line(MINIMAL, "here"), FULL]
    write_tasks(path, tasks)
    assert read_tasks(path) == tasks
    assert not list(tmp_path.glob("*.partial"))


def test_writing_that_fails_midway_leaves_the_old_file_and_no_rest(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text("old")

    def failing():
        yield FULL
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_tasks(path, failing())
    assert [entry.name for entry in tmp_path.iterdir()] == ["tasks.jsonl"]
    assert path.read_text() == "old"


def test_a_gzipped_file_reads_like_a_plain_one(tmp_path):
    path = tmp_path / "tasks.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(MINIMAL).encode()))
    assert [task.id for task in read_tasks(path)] == ["t/1"]


def test_the_written_line_has_the_documented_keys_and_tagged_values():
    line = task_to_line(FULL)
    assert list(line) == [
        "id", "domain", "family", "split", "prompt", "environment", "verifier", "generator",
        "reference", "demonstration", "difficulty", "limits", "tags", "source",
    ]  # fmt: skip
    assert line["environment"]["files"] == {"a.txt": "text\n", "b.bin": {"base64": "/wA="}}
    assert line["verifier"]["forbid"] == ["sorted"]
    assert line["reference"] == {"solution": FULL.reference}


def changed(path, value):
    line = json.loads(json.dumps(MINIMAL))
    *parents, last = path.split(".")
    target = line
    for parent in parents:
        target = target[int(parent) if isinstance(target, list) else parent]
    target[last] = value
    return line


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            changed("promt", []),
            "unknown key 'promt'; did you mean 'prompt'? allowed keys are",
        ),
        (
            changed("environment", {"templat": "x"}),
            "'environment.templat'; did you mean 'template'",
        ),
        (changed("prompt.0.rol", "x"), "'prompt.0.rol'; did you mean 'role'"),
        (changed("split", "trian"), "split is 'trian'; did you mean 'train'? allowed are 'train'"),
        (changed("verifier.type", "functoin"), "did you mean 'function'"),
        (changed("verifier.entrypoint", "f"), "'entrypoint'; did you mean 'entry_point'"),
        (changed("verifier.hidden", [{"args": []}]), "hidden[0]: a test has exactly one of expect"),
        (changed("verifier.hidden", [{"arg": [], "expect": 1}]), "hidden[0]: unknown key 'arg'"),
        (changed("verifier.hidden", [{"expect": {"$t": "tupel", "v": 1}}]), "unknown $t 'tupel'"),
        (changed("verifier.visible", [{"program": "x", "args": []}]), "a program stands alone"),
        (changed("verifier.entry_point", None), "needs entry_point"),
        (changed("limits", {"cpu_s": 0}), "limits.cpu_s is 0; input should be greater than 0"),
        (changed("difficulty", 2), "difficulty is 2; input should be less than or equal to 1"),
        (changed("prompt", []), "prompt is []"),
        (changed("limits", {"wall_s": 1e300}), "limits.wall_s is 1e+300; input should be less"),
        (changed("limits", {"cpu_s": math.inf}), "limits.cpu_s is inf; input should be"),
        (changed("limits", {"pids": 10**12}), "limits.pids is 1000000000000; input should be less"),
        (changed("verifier.atol", math.inf), "verifier.atol is inf; input should be a finite"),
        (changed("verifier.entry_point", "a b"), "entry_point 'a b' is not a name"),
        (changed("verifier.forbid", 5), "verifier: options: forbid is 5; input should be a valid"),
        (
            changed("verifier.null_share", "x"),
            "verifier: options: null_share is 'x'; input should be",
        ),
        (
            changed("verifier", {"type": "stdio", "comprae": "float"}),
            "unknown key 'comprae'; did you mean 'compare'?",
        ),
        (
            changed("verifier", {"type": "stdio", "compare": "flaot"}),
            "compare is 'flaot'; did you mean 'float'?",
        ),
        (
            {"verifer" if key == "verifier" else key: value for key, value in MINIMAL.items()},
            "unknown key 'verifer'; did you mean 'verifier'?",
        ),
        ({key: MINIMAL[key] for key in MINIMAL if key != "source"}, "key 'source' is missing"),
    ],
)
def test_a_bad_record_names_its_place_what_was_given_and_what_is_allowed(line, complaint):
    with pytest.raises(TaskFormatError) as caught:
        task_from_line(line, "tasks.jsonl:7")
    message = str(caught.value)
    assert message.startswith("tasks.jsonl:7: ")
    assert complaint in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id": 1', "tasks.jsonl:2: not valid JSON at column 9"),
        ("[1]", "tasks.jsonl:2: the line holds a list"),
        ('{"id": NaN}', "tasks.jsonl:2: not valid JSON: NaN is not JSON"),
        (json.dumps(MINIMAL), "tasks.jsonl:2: id 't/1' was already given at"),
    ],
)
def test_a_bad_line_names_file_and_line(tmp_path, text, complaint):
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(MINIMAL) + "\n" + text + "\n")
    with pytest.raises(TaskFormatError) as caught:
        read_tasks(path)
    assert complaint in str(caught.value)


def test_a_missing_file_and_a_broken_archive_are_named(tmp_path):
    with pytest.raises(NotFoundError, match="does not exist"):
        read_tasks(tmp_path / "none.jsonl")
    with pytest.raises(NotFoundError, match="is a folder"):
        read_tasks(tmp_path)
    with pytest.raises(NotFoundError, match="cannot be read: File name too long"):
        read_tasks(tmp_path / ("x" * 300))
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(b"not gzip")
    with pytest.raises(TaskFormatError, match="in gzip form"):
        read_tasks(broken)
    packed = bytearray(gzip.compress(json.dumps(MINIMAL).encode()))
    packed[30] ^= 0xFF
    broken.write_bytes(packed)
    with pytest.raises(TaskFormatError, match="in gzip form"):
        read_tasks(broken)


def test_integers_beyond_64_bits_keep_their_digits(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(changed("verifier.hidden", [{"args": [], "expect": 10**40}])))
    assert read_tasks(path)[0].verifier.hidden[0]["expect"] == 10**40
