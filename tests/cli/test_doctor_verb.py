import json

from posttrain.cli.doctor import doctor
from posttrain.cli.output import Output
from posttrain.sandbox.doctor import Status

LIMITS = {"wall", "cpu", "memory", "pids", "disk", "files", "output", "network", "idle"}


def test_the_document_has_checks_with_their_mend_and_limits_with_their_mechanism(cli):
    ended = cli("doctor", "--json")
    document = json.loads(ended.stdout)
    assert {"name", "status", "mend"} <= set(document["checks"][0])
    assert set(document["backends"]["namespace"]) == LIMITS
    assert {"level", "mechanism"} == set(document["backends"]["namespace"]["memory"])


def test_the_exit_code_says_whether_a_required_part_is_missing(cli):
    ended = cli("doctor", "--json")
    missing = [c for c in json.loads(ended.stdout)["checks"] if c["status"] == Status.MISSING]
    assert ended.returncode == (3 if missing else 0)


def test_every_check_that_is_not_ok_names_what_mends_it(cli):
    checks = json.loads(cli("doctor", "--json").stdout)["checks"]
    assert all(check["mend"] for check in checks if check["status"] != Status.OK)


def test_quiet_leaves_out_what_is_well(capsys):
    doctor(output=Output(quiet=True))
    assert "ok " not in capsys.readouterr().out
