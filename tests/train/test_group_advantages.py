import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posttrain.train.advantage import (
    AdvantageSpec,
    AttemptValue,
    Baseline,
    GroupKind,
    Scale,
    group_advantages,
    group_kind,
)

UNCLIPPED = AdvantageSpec(clip=None)
FAILED = AttemptValue(value=0.0)
PASSED = AttemptValue(value=1.0, passed=True)
UNJUDGED = AttemptValue(value=None)
CHEAT = AttemptValue(value=-1.0, tampered=True, penalty=-1.0)


@given(
    values=st.lists(st.one_of(st.none(), st.floats(-2, 2)), max_size=12),
    baseline=st.sampled_from(Baseline),
    scale=st.sampled_from(Scale),
)
def test_advantages_of_a_group_sum_to_zero(
    values: list[float | None], baseline: Baseline, scale: Scale
) -> None:
    spec = AdvantageSpec(baseline=baseline, scale=scale, clip=None)
    found = group_advantages([AttemptValue(value=value) for value in values], spec)
    assert [a is None for a in found] == [value is None for value in values]
    assert math.fsum(a for a in found if a is not None) == pytest.approx(0, abs=1e-9)


def test_unjudged_attempt_moves_no_baseline() -> None:
    with_gap = group_advantages([PASSED, UNJUDGED, FAILED], UNCLIPPED)
    assert with_gap == [0.5, None, -0.5]


def test_tampering_leaves_its_siblings_as_an_ordinary_failure_would() -> None:
    with_cheat = group_advantages([PASSED, FAILED, FAILED, CHEAT], UNCLIPPED)
    with_failure = group_advantages([PASSED, FAILED, FAILED, FAILED], UNCLIPPED)
    assert with_cheat[:3] == with_failure[:3]
    assert with_cheat[3] == pytest.approx(-0.25 - 1.0)


def test_penalty_is_not_divided_by_the_deviation() -> None:
    found = group_advantages([PASSED, CHEAT], AdvantageSpec(scale=Scale.STD, epsilon=0, clip=None))
    assert found[1] == pytest.approx(-0.5 / math.sqrt(0.5) - 1.0)


def test_style_differences_in_a_solved_group_are_not_blown_up() -> None:
    spec = AdvantageSpec(scale=Scale.STD, epsilon=0)
    solved = [AttemptValue(value=value, passed=True) for value in (1.4, 1.4, 1.4, 1.38)]
    assert group_advantages(solved, spec)[3] == pytest.approx(-0.015 / 0.25)


def test_equal_rewards_give_exactly_zero() -> None:
    assert group_advantages([AttemptValue(value=0.1)] * 3, UNCLIPPED) == [0.0] * 3


def test_advantage_is_clipped_with_its_penalty() -> None:
    assert group_advantages([PASSED, CHEAT], AdvantageSpec(clip=1.0)) == [0.5, -1.0]


def test_single_attempt_gets_zero() -> None:
    spec = AdvantageSpec(baseline=Baseline.LEAVE_ONE_OUT)
    assert group_advantages([PASSED, UNJUDGED], spec) == [0.0, None]


@pytest.mark.parametrize(
    ("attempts", "kind"),
    [
        ([PASSED, FAILED, UNJUDGED], GroupKind.MIXED),
        ([PASSED, UNJUDGED], GroupKind.SOLVED),
        ([FAILED, AttemptValue(value=0.3), CHEAT], GroupKind.UNSOLVED),
        ([UNJUDGED], GroupKind.LOST),
        ([], GroupKind.LOST),
    ],
)
def test_kind_of_a_group_follows_verdicts_not_rewards(
    attempts: list[AttemptValue], kind: GroupKind
) -> None:
    assert group_kind(attempts) is kind
    assert kind.has_signal == (kind is GroupKind.MIXED)


def test_negative_floor_is_refused() -> None:
    with pytest.raises(ValueError, match="scale_floor -1"):
        AdvantageSpec(scale_floor=-1.0)
