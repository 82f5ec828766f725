import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from posttrain.core.errors import PolicyError
from posttrain.policy.local import LocalPolicy
from posttrain.policy.local_model import read_weights
from posttrain.policy.local_pool import PooledPolicy, deal
from posttrain.policy.protocol import SampleRequest, SamplingParams

PARAMS = SamplingParams(temperature=0.8, max_tokens=16)


@pytest.fixture(scope="module")
def pool(tiny_dir: Path) -> Iterator[PooledPolicy]:
    policy = PooledPolicy(tiny_dir, dtype="float32", workers=2)
    yield policy
    policy.close()


def worker_pids() -> set[int]:
    children = psutil.Process().children()
    return {child.pid for child in children if "local_worker" in " ".join(child.cmdline())}


def wait_until_gone(pids: set[int]) -> None:
    deadline = time.monotonic() + 30.0
    while any(map(psutil.pid_exists, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)


def test_a_pool_draws_scores_and_reloads_as_one_process_does(
    pool: PooledPolicy, tiny: LocalPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    turns = dict(pool.sample(requests, PARAMS))
    assert turns == dict(tiny.sample(requests, PARAMS))
    pairs = [(turn.prompt_ids, turn.token_ids) for turn in turns.values()]
    for ours, theirs in zip(pool.score(pairs), tiny.score(pairs), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)
    changed = {name: 1.2 * tensor for name, tensor in read_weights(tiny_dir).items()}
    pool.load_weights(changed, 4)
    tiny.load_weights(changed, 4)
    assert pool.version == 4
    assert dict(pool.sample(requests, PARAMS)) == dict(tiny.sample(requests, PARAMS)) != turns
    pool.load_weights(read_weights(tiny_dir), 0)


def test_an_abandoned_sample_leaves_the_pool_usable(
    pool: PooledPolicy, requests: list[SampleRequest]
) -> None:
    turns = pool.sample(requests, PARAMS)
    next(turns)
    turns.close()
    assert len(dict(pool.sample(requests, PARAMS))) == len(requests)


def test_a_pool_at_work_refuses_other_weights(
    pool: PooledPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    turns = pool.sample(requests, PARAMS)
    next(turns)
    with pytest.raises(PolicyError, match="exhaust or close"):
        pool.load_weights(read_weights(tiny_dir), 9)
    turns.close()


def test_incomplete_weights_are_refused_before_any_worker_sees_them(
    pool: PooledPolicy, tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    before = dict(pool.sample(requests, PARAMS))
    weights = {name: 2.0 * tensor for name, tensor in read_weights(tiny_dir).items()}
    del weights["model.norm.weight"]
    with pytest.raises(PolicyError, match=r"model\.norm\.weight"):
        pool.load_weights(weights, 1)
    assert dict(pool.sample(requests, PARAMS)) == before


@pytest.mark.slow
def test_a_killed_worker_is_an_error_and_ends_the_others(
    tiny_dir: Path, requests: list[SampleRequest]
) -> None:
    others = worker_pids()
    pool = PooledPolicy(tiny_dir, dtype="float32", workers=2)
    mine = worker_pids() - others
    os.kill(min(mine), signal.SIGKILL)
    with pytest.raises(PolicyError, match="died with status -9"):
        list(pool.sample(requests, PARAMS))
    assert not any(map(psutil.pid_exists, mine))
    with pytest.raises(PolicyError, match="closed"):
        list(pool.sample(requests, PARAMS))
    pool.close()


def test_workers_die_with_a_killed_parent(tiny_dir: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; "
        "from posttrain.policy.local_pool import PooledPolicy; "
        "pool = PooledPolicy(Path(sys.argv[1]), workers=1); "
        "print(pool._processes[0].pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(tiny_dir)], stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert psutil.pid_exists(worker)
        parent.kill()
    wait_until_gone({worker})
    assert not psutil.pid_exists(worker)


def test_few_prompts_are_dealt_by_whole_lanes_and_many_by_prompt() -> None:
    one = [SampleRequest(prompt_ids=(1,), seed=k) for k in range(10)]
    assert deal(one, 2) == [[0, 1, 2, 3, 8, 9], [4, 5, 6, 7]]
    many = [SampleRequest(prompt_ids=(k % 4,), seed=k) for k in range(8)]
    assert deal(many, 2) == [[0, 4, 2, 6], [1, 5, 3, 7]]
