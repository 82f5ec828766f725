from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.reward import LayerScore, Reward
from posttrain.core.rollout import AttemptKey, Rollout, StopReason, Turn
from posttrain.core.task import Trust
from posttrain.core.verdict import Failure, FailureKind, Finding, Status, Validity, Verdict
from posttrain.observe.headline import headline
from posttrain.observe.page import code_block
from posttrain.observe.reading import choose_rollouts
from posttrain.observe.report import write_report_page
from posttrain.store.metrics import MetricsLog
from posttrain.store.reports import report_path, write_report
from posttrain.store.rollout_log import write_rollouts
from posttrain.store.run_directory import RunDirectory


def _rollout(
    step: int, family: str, index: int = 0, kind: FailureKind | None = None, text: str = "x = 1"
) -> Rollout:
    failure = Failure(kind=kind, detail="line 1") if kind else None
    verdict = Verdict(
        task_id=f"t/{family}",
        status=Status.FAILED if kind else Status.PASSED,
        trust=Trust.ISOLATED,
        failure=failure,
        exec=ExecResult(outcome=Outcome.OK),
        code=text,
    )
    layer = LayerScore(name="correct", score=1.0, weight=1.0, contribution=1.0)
    turn = Turn(
        prompt_ids=(1,), token_ids=(2,), logprobs=(-0.1,), text=text, stop_reason=StopReason.EOS
    )
    return Rollout(
        key=AttemptKey("r", step, f"t/{family}", index),
        family=family,
        difficulty=0.2,
        tries=1,
        turns=(turn,),
        policy_version_first=step,
        policy_version_last=step,
        temperature=0.8,
        verdict=verdict,
        reward=Reward(value=1.0, validity=Validity.VALID, layers=(layer,)),
    )


def _run(tmp_path: Path, rollouts: list[Rollout]) -> RunDirectory:
    run = RunDirectory.create(tmp_path, "r", config={})
    log = MetricsLog(run.metrics)
    log.append(1, {"reward/mean": 0.2, "reward/correct/mean": 0.1, "failure/syntax": 3})
    log.append(2, {"reward/mean": 0.4, "reward/correct/mean": 0.3, "failure/syntax": 1})
    log.close()
    estimate = {"value": 0.2, "low": 0.1, "high": 0.3, "n": 9}
    write_report(
        report_path(run.reports, 0),
        {"step": 0, "tracks": {"target": {"pass@1": estimate}, "regression": {}}},
    )
    for step in {r.key.step for r in rollouts}:
        write_rollouts(run.rollouts, step, [r for r in rollouts if r.key.step == step])
    return run


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.outside += [str(value) for name, value in attrs if name in ("src", "href")]


def test_a_page_is_self_contained_and_holds_curves_and_rollouts(tmp_path: Path) -> None:
    run = _run(tmp_path, [_rollout(1, "a", kind=FailureKind.SYNTAX), _rollout(2, "b")])
    text = write_report_page(run, {}, {"t/a": "do a"}).read_text()
    tags = _Tags()
    tags.feed(text)
    assert tags.found.count("article") == 2 and tags.found.count("svg") == 3
    assert tags.outside == [] and "script" not in tags.found
    assert "do a" in text and "syntax: line 1" in text


def test_what_a_model_wrote_is_inert(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\u202e\x1b[31m\x00"
    run = _run(tmp_path, [_rollout(1, "a", text=hostile)])
    text = write_report_page(run, {}, {}).read_text()
    assert "<script>alert" not in text
    assert "\\u202e" in text and "\\u001b" in text and "\x00" not in text


def test_a_run_without_rollouts_still_has_a_page(tmp_path: Path) -> None:
    text = write_report_page(_run(tmp_path, []), {}, {}).read_text()
    assert "no rollouts yet" in text and "has not ended" in text


def test_twelve_rollouts_show_tampering_first_and_each_failure_kind_once() -> None:
    early = [_rollout(1, f"f{i}", kind=FailureKind.SYNTAX) for i in range(20)]
    early += [_rollout(1, "x", kind=FailureKind.TIMEOUT)]
    cheat = _rollout(9, "cheat", kind=FailureKind.TAMPER)
    found = (Finding(kind="equality", evidence="__eq__ lies"),)
    cheat = replace(cheat, verdict=replace(cheat.verdict, tamper=found))
    late = [_rollout(9, f"f{i % 5}", index=i) for i in range(20)] + [cheat]
    chosen = choose_rollouts(early, late)
    assert len(chosen) == 12 and chosen[0] is cheat
    assert {r.family for r in chosen if r.verdict.passed} >= {"f0", "f1", "f2", "f3"}
    assert any(r.verdict.failure and r.verdict.failure.kind == "timeout" for r in chosen)


def test_a_long_answer_is_cut_in_the_middle_with_a_note() -> None:
    block = code_block("a" * 5000 + "b" * 5000, limit=100)
    assert "9900 characters left out" in block and "aaa" in block and "bbb" in block


def test_a_difference_whose_interval_holds_zero_is_no_gain() -> None:
    unsure = {"pass@1": {"value": 0.02, "low": -0.01, "high": 0.05, "n": 9}}
    sure = {"pass@1": {"value": 0.12, "low": 0.05, "high": 0.2, "n": 9}}
    figures = {
        "best_temperature": 0.2,
        "target": {
            **dict.fromkeys(("base", "base_at_best", "trained", "trained_at_best"), sure),
            "trained_minus_base": sure,
            "trained_minus_base_at_best": unsure,
            "trained_at_best_minus_base_at_best": unsure,
        },
        "regression": {"base": {}, "trained": {}, "comparison": {}},
        "mbpp": None,
        "gate": {"decision": "promote", "reason": "target up"},
    }
    text = headline({"headline": figures, "cheat": None})
    assert "+0.120 [+0.050, +0.200]</b>, a gain" in text
    assert "+0.020 [-0.010, +0.050]</b>, no certain change" in text
