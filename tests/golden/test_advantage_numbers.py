"""Advantages of two small groups as other trainers print them.

Computed by running TRL 1.16 and verl 0.9.1 on these rewards; OpenRLHF's by hand from its formula.
"""

import pytest

from posttrain.train.advantage import (
    AdvantageSpec,
    AttemptValue,
    Baseline,
    Scale,
    group_advantages,
)

FIRST = (1.0, 0.0, 0.0, 1.0)
SECOND = (0.5, 0.0, 0.0, 0.0)


def std(ddof: int, epsilon: float) -> AdvantageSpec:
    return AdvantageSpec(scale=Scale.STD, scale_floor=0.0, ddof=ddof, epsilon=epsilon)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("spec", "first", "second"),
    [
        pytest.param(AdvantageSpec(), (0.5, -0.5), (0.375, -0.125), id="dr-grpo-and-trl-none"),
        pytest.param(std(1, 1e-4), (0.86588, -0.86588), (1.4994, -0.4998), id="trl-group"),
        pytest.param(std(1, 1e-6), (0.86602, -0.86602), (1.49999, -0.5), id="verl-grpo"),
        pytest.param(std(1, 1e-9), (0.86603, -0.86603), (1.5, -0.5), id="openrlhf-group-norm"),
        pytest.param(std(0, 1e-8), (1.0, -1.0), (1.73205, -0.57735), id="trl-async"),
        pytest.param(
            AdvantageSpec(baseline=Baseline.LEAVE_ONE_OUT),
            (0.66667, -0.66667),
            (0.5, -0.16667),
            id="rloo",
        ),
    ],
)
def test_advantages_equal_the_printed_ones(
    spec: AdvantageSpec, first: tuple[float, float], second: tuple[float, float]
) -> None:
    for rewards, (best, rest) in ((FIRST, first), (SECOND, second)):
        found = group_advantages([AttemptValue(value=reward) for reward in rewards], spec)
        expected = [best if reward > 0 else rest for reward in rewards]
        assert found == pytest.approx(expected, abs=5.001e-6, rel=0)
