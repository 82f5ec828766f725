"""``report.html``: one self-contained page that tells what a run did, from its files alone.

    metrics.jsonl, reports/, rollouts/, report.json ──► headline ▸ curves ▸ twelve rollouts

Works on a run in progress too: what is not there yet is left out. Prompts are passed in because
a run stores token ids and not the task pool.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from posttrain.core.rollout import Rollout
from posttrain.observe.curves import run_charts, track_charts
from posttrain.observe.headline import headline
from posttrain.observe.page import code_block, page, section
from posttrain.observe.reading import choose_rollouts
from posttrain.store.disk import write_atomically
from posttrain.store.metrics import read_metrics
from posttrain.store.reports import read_report
from posttrain.store.rollout_log import read_rollouts, stored_steps
from posttrain.store.run_directory import RunDirectory

__all__ = ["write_report_page"]


def write_report_page(
    run: RunDirectory, report: Mapping[str, Any], prompts: Mapping[str, str]
) -> Path:
    """Write the page into the run and return its path.

    ``report`` is the final report object; ``prompts`` maps task ids to what the policy was asked.
    """
    path = run.path / "report.html"
    write_atomically(path, _render(run, report, prompts).encode())
    return path


def _render(run: RunDirectory, report: Mapping[str, Any], prompts: Mapping[str, str]) -> str:
    return page(
        f"posttrain run {run.name}",
        [
            f"<h1>Run {escape(run.name)}</h1>",
            headline(report),
            section("Both tracks over the run", _grid(track_charts(_evaluations(run)))),
            section("Training", _grid(run_charts(read_metrics(run.metrics)))),
            section("Twelve rollouts to read", *_rollouts(run, prompts)),
        ],
    )


def _grid(charts: Sequence[str]) -> str:
    return f'<div class="charts">{"".join(charts)}</div>'


def _evaluations(run: RunDirectory) -> list[dict[str, Any]]:
    paths = sorted(run.reports.glob("eval_??????.json"))
    reports = (read_report(path) for path in paths)
    return [report for report in reports if report is not None]


def _rollouts(run: RunDirectory, prompts: Mapping[str, str]) -> list[str]:
    steps = stored_steps(run.rollouts)
    if not steps:
        return ['<p class="empty">no rollouts yet</p>']
    early, late = read_rollouts(run.rollouts, steps[0]), read_rollouts(run.rollouts, steps[-1])
    return [_article(rollout, prompts) for rollout in choose_rollouts(early, late)]


def _article(rollout: Rollout, prompts: Mapping[str, str]) -> str:
    key, verdict, tests = rollout.key, rollout.verdict, rollout.verdict.tests
    tone = "good" if verdict.passed else "bad"
    value = rollout.reward.value
    failure = f"{verdict.failure.kind.value}: {verdict.failure.detail}" if verdict.failure else ""
    layers = ", ".join(f"{part.name} {part.contribution:+.2f}" for part in rollout.reward.layers)
    findings = [*verdict.tamper, *verdict.suspicion]
    facts = (
        f"{tests.passed} of {tests.total} tests, reward "
        f"{'none' if value is None else f'{value:.2f}'} ({layers})"
    )
    return "".join(
        [
            f"<article><h3>Step {key.step}, {escape(key.task_id)}, attempt {key.index} ",
            f'<span class="tag {tone}">{verdict.status.value}</span></h3>',
            f'<div class="dim">{escape(facts)}</div>',
            f'<div class="bad">{escape(failure)}</div>' if failure else "",
            *(f'<div class="bad">{escape(f"{f.kind}: {f.evidence}")}</div>' for f in findings),
            _prompt(prompts.get(key.task_id)),
            *(code_block(turn.text) for turn in rollout.turns),
            "</article>",
        ]
    )


def _prompt(text: str | None) -> str:
    if text is None:
        return ""
    return f"<details><summary>what was asked</summary>{code_block(text)}</details>"
