import orjson

from posttrain.core.errors import SandboxError, VerifierError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.reward import LayerScore, Reward
from posttrain.core.rollout import AttemptKey, Rollout, StopReason, Turn
from posttrain.core.task import Message, Source, Split, Task, Trust, VerifierSpec
from posttrain.core.verdict import Failure, FailureKind, Finding, Status, Validity, Verdict
from posttrain.rollout.attempt import AttemptSpec, Grade, run_attempt
from posttrain.rollout.results import result_line

TASK = Task(
    id="t/1",
    domain="code",
    family="f",
    split=Split.TRAIN,
    prompt=(Message(role="user", content="write f"),),
    verifier=VerifierSpec(type="function", entry_point="f"),
    difficulty=0.3,
    source=Source(name="test", license="CC0-1.0"),
)


def _run(grade: Grade, text: str = "```python\ndef f(): ...\n```", max_tries: int = 3) -> Rollout:
    turn = Turn(
        prompt_ids=(1,), token_ids=(2,), logprobs=(-0.5,), text=text, stop_reason=StopReason.EOS
    )
    spec = AttemptSpec(
        key=AttemptKey("r", 1, "t/1", 0),
        task=TASK,
        turn=turn,
        policy_version=4,
        temperature=0.8,
        seed=9,
        max_tries=max_tries,
    )
    return run_attempt(spec, grade, _pay)


def _pay(verdict: Verdict, task: Task) -> Reward:
    value = None if verdict.status is Status.ERROR else 1.0
    return Reward(value=value, validity=verdict.validity)


def _passed(task: Task, code: str | None, seed: int) -> Verdict:
    return Verdict(
        task_id=task.id,
        status=Status.PASSED,
        trust=Trust.ISOLATED,
        exec=ExecResult(outcome=Outcome.OK, stdout=b"x" * 10_000),
        code=code,
    )


def test_the_code_in_the_fence_is_judged_and_kept() -> None:
    rollout = _run(_passed)
    assert rollout.verdict.code == "def f(): ...\n"
    assert (rollout.policy_version_first, rollout.policy_version_last) == (4, 4)


def test_an_answer_without_a_fence_is_judged_as_no_code() -> None:
    assert _run(_passed, text="no idea").verdict.code is None


def test_stored_output_is_cut() -> None:
    assert len(_run(_passed).verdict.exec.stdout) == 4096


def test_each_try_has_a_seed_of_its_own() -> None:
    seeds: list[int] = []

    def grade(task: Task, code: str | None, seed: int) -> Verdict:
        seeds.append(seed)
        raise SandboxError("gone")

    rollout = _run(grade)
    assert rollout.tries == len(set(seeds)) == 3
    assert (rollout.reward.value, rollout.verdict.validity) == (None, Validity.INFRA_INVALID)


def test_a_verifiers_own_failure_is_not_called_an_infrastructure_fault() -> None:
    def grade(task: Task, code: str | None, seed: int) -> Verdict:
        raise VerifierError("cannot judge")

    assert _run(grade, max_tries=1).verdict.validity is Validity.VERIFIER_INVALID


def test_a_failed_verdict_is_not_tried_again() -> None:
    calls: list[int] = []

    def grade(task: Task, code: str | None, seed: int) -> Verdict:
        calls.append(seed)
        return Verdict(
            task_id=task.id,
            status=Status.FAILED,
            trust=Trust.ISOLATED,
            exec=ExecResult(outcome=Outcome.SIGNALED, consulted=True),
        )

    assert (_run(grade).tries, len(calls)) == (1, 1)


def test_a_result_line_has_the_published_shape() -> None:
    verdict = Verdict(
        task_id="t/1",
        status=Status.FAILED,
        trust=Trust.ISOLATED,
        failure=Failure(kind=FailureKind.TAMPER, detail="lies"),
        tamper=(Finding(kind="eq", evidence="__eq__ is overridden"),),
        exec=ExecResult(outcome=Outcome.OK, exit_code=0, consulted=True),
    )
    layer = LayerScore(name="correct", score=0.0, weight=1.0, contribution=0.0)
    reward = Reward(value=-1.0, validity=Validity.VALID, layers=(layer,), penalty=-1.0)
    line = result_line(verdict, reward, solution_id="s1")
    assert orjson.loads(orjson.dumps(line)) == {
        "task_id": "t/1",
        "solution_id": "s1",
        "status": "failed",
        "trust": "isolated",
        "reward": -1.0,
        "validity": "valid",
        "layers": [{"name": "correct", "score": 0.0, "weight": 1.0, "contribution": 0.0}],
        "tests": {
            "visible": {"passed": 0, "total": 0},
            "hidden": {"passed": 0, "total": 0},
            "fresh": {"passed": 0, "total": 0},
        },
        "failure": {"kind": "tamper", "detail": "lies"},
        "tamper": [{"kind": "eq", "evidence": "__eq__ is overridden"}],
        "suspicion": [],
        "exec": {
            "outcome": "ok",
            "exit_code": 0,
            "signal": None,
            "cpu_s": 0.0,
            "wall_s": 0.0,
            "peak_memory_bytes": None,
            "truncated": False,
            "limit_hit": None,
            "consulted": True,
            "detail": "",
        },
    }
