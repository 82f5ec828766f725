"""Generated tokens a second of the local policy against ``transformers.generate``.

Both sample the same prompts with the embedded model, temperature 0.8, one thread and the same
batch size in the same dtype, one after the other in one process; a pool of processes follows.
CPU-seconds are the fair unit where other processes share the cores.

    python benchmarks/sampler.py [--json] [--quick]
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from posttrain.core.task import Message
from posttrain.policy.local import LocalPolicy, choose_dtype
from posttrain.policy.local_pool import PooledPolicy
from posttrain.policy.model_store import EMBEDDED, resolve_model
from posttrain.policy.protocol import Policy, SampleRequest, SamplingParams

SUBJECTS = (
    "returns the sum of the squares of a list of integers",
    "counts the vowels in a string",
    "reverses the words of a sentence",
    "checks whether a number is prime",
    "merges two dictionaries by adding values",
    "returns the n-th Fibonacci number",
    "removes duplicates from a list keeping order",
    "parses 'a=1;b=2' into a dictionary",
)
GROUP_SIZE = 8
TEMPERATURE = 0.8


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    report = measure(
        resolve_model(EMBEDDED.name),
        num_groups=2 if options.quick else 8,
        max_tokens=24 if options.quick else 64,
        workers=0 if options.quick else 2,
    )
    print(json.dumps(report) if options.json else "\n".join(lines(report)))


def measure(folder: Path, *, num_groups: int, max_tokens: int, workers: int) -> dict[str, object]:
    """All rows and the ratios; every answer runs to ``max_tokens`` so that batches stay full."""
    policy = LocalPolicy(folder)
    requests = make_requests(policy, num_groups)
    params = SamplingParams(temperature=TEMPERATURE, max_tokens=max_tokens)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=choose_dtype("auto"))
    rows = {
        "transformers": timed(lambda: generate(model, requests, max_tokens)),
        "posttrain": timed(lambda: draw(policy, requests, params)),
    }
    policy.close()
    if workers:
        pool = PooledPolicy(folder, workers=workers)
        rows[f"posttrain_{workers}_processes"] = timed(lambda: draw(pool, requests, params))
        pool.close()
    ours, theirs = rows["posttrain"], rows["transformers"]
    return {
        "dtype": str(choose_dtype("auto")),
        "batch": len(requests),
        "rows": rows,
        "ratios": {
            "tokens_per_cpu_s_vs_transformers": ratio(ours, theirs, "tokens_per_cpu_s"),
            "tokens_per_wall_s_vs_transformers": ratio(ours, theirs, "tokens_per_wall_s"),
        },
    }


def make_requests(policy: Policy, num_groups: int) -> list[SampleRequest]:
    """``GROUP_SIZE`` requests for each of ``num_groups`` prompts."""
    asks = (f"Write a Python function `f(x)` that {subject}." for subject in SUBJECTS[:num_groups])
    prompts = [policy.encode((Message(role="user", content=ask),), "```python") for ask in asks]
    return [
        SampleRequest(prompt_ids=prompt, seed=1000 * number + k)
        for number, prompt in enumerate(prompts)
        for k in range(GROUP_SIZE)
    ]


def draw(policy: Policy, requests: list[SampleRequest], params: SamplingParams) -> int:
    """Sample all requests; returns the number of tokens."""
    return sum(len(turn.token_ids) for _, turn in policy.sample(requests, params))


def generate(model: PreTrainedModel, requests: list[SampleRequest], max_tokens: int) -> int:
    """The same work by ``transformers.generate`` on left-padded prompts."""
    width = max(len(request.prompt_ids) for request in requests)
    end = model.generation_config.eos_token_id
    padded = [[end] * (width - len(r.prompt_ids)) + list(r.prompt_ids) for r in requests]
    mask = [[0] * (width - len(r.prompt_ids)) + [1] * len(r.prompt_ids) for r in requests]
    tokens = model.generate(
        torch.tensor(padded),
        attention_mask=torch.tensor(mask),
        do_sample=True,
        temperature=TEMPERATURE,
        top_k=0,
        max_new_tokens=max_tokens,
    )[:, width:]
    ended = (tokens == end).cumsum(-1) - (tokens == end).long()
    return int((ended == 0).sum())


def timed(work: Callable[[], int]) -> dict[str, float]:
    """Tokens and rates of one run; CPU time is that of this process and its children."""
    wall, cpu = time.perf_counter(), cpu_seconds()
    tokens = work()
    wall_s, cpu_s = time.perf_counter() - wall, cpu_seconds() - cpu
    return {
        "tokens": tokens,
        "wall_s": round(wall_s, 2),
        "tokens_per_wall_s": round(tokens / wall_s, 1),
        "tokens_per_cpu_s": round(tokens / cpu_s, 1),
    }


def cpu_seconds() -> float:
    """User and system time so far of this process and its living children."""
    own = psutil.Process()
    times = [process.cpu_times() for process in (own, *own.children())]
    return sum(spent.user + spent.system for spent in times)


def ratio(ours: dict[str, float], theirs: dict[str, float], rate: str) -> float:
    """How many times their rate ours is."""
    return round(ours[rate] / theirs[rate], 2)


def lines(report: dict[str, object]) -> list[str]:
    """The report for people."""
    rows, ratios = report["rows"], report["ratios"]
    assert isinstance(rows, dict) and isinstance(ratios, dict)
    head = f"batch {report['batch']}, {report['dtype']}, one thread a process"
    body = [
        f"{name:24} {row['tokens']:6} tokens {row['wall_s']:7.1f} s "
        f"{row['tokens_per_wall_s']:7.1f}/s {row['tokens_per_cpu_s']:7.1f}/CPU-s"
        for name, row in rows.items()
    ]
    return [head, *body, *(f"{name}: {value}" for name, value in ratios.items())]


if __name__ == "__main__":
    main()
