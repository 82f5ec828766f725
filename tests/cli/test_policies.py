import json

import pytest


def test_scripted_answers_are_a_policy(cli, tmp_path):
    (tmp_path / "script.json").write_text('{"": "\\ndef f(x):\\n    return x\\n```"}')
    ended = cli(
        "rollout", "basics", "--policy", "scripted:script.json", "-n", "1", "-g", "2", "--json"
    )
    summary = json.loads(ended.stdout)
    assert (summary["attempts"], summary["error"]) == (2, 0)


@pytest.mark.parametrize("name", ["scripted:absent.json", "openai:somewhere", "no/such/folder"])
def test_a_policy_that_is_not_there_is_one_line(cli, name):
    ended = cli("rollout", "basics", "--policy", name)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert name.partition(":")[2].rpartition("/")[2] in ended.stderr


def test_both_tracks_of_a_policy_are_measured(cli, tmp_path):
    (tmp_path / "script.json").write_text("{}")
    flags = ["--per-family", "1", "-k", "1", "--regression-items", "5", "--json"]
    ended = cli("eval", "basics", "--policy", "scripted:script.json", *flags)
    tracks = json.loads(ended.stdout)["tracks"]
    assert tracks["target"]["pass@1"]["value"] == 0.0
    assert tracks["regression"]["accuracy"]["n"] == 5
