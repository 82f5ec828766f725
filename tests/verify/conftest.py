from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from posttrain.core.task import Limits, Message, Source, Split, Task, VerifierSpec
from posttrain.sandbox.backends import open_sandbox
from posttrain.sandbox.protocol import Sandbox
from posttrain.verify.judge import Judge

MakeTask = Callable[..., Task]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    opened = open_sandbox("namespace", slots=1)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def judge(sandbox: Sandbox) -> Iterator[Judge]:
    judge = Judge(sandbox)
    yield judge
    judge.close()


@pytest.fixture
def make_task() -> MakeTask:
    def make(**changes: Any) -> Task:
        verifier = {"type": "function", "entry_point": "f", **changes.pop("verifier", {})}
        task = Task(
            id="toy/f",
            domain="code",
            family="toy",
            split=Split.TRAIN,
            prompt=(Message(role="user", content="Write f."),),
            verifier=VerifierSpec(**verifier),
            limits=Limits(wall_s=5, cpu_s=2),
            source=Source(name="toy", license="CC0-1.0"),
        )
        return replace(task, **changes)

    return make
