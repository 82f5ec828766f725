import pytest

from posttrain.curriculum.phase import Phase, PhaseState, advance_phase
from posttrain.reward.layers import RewardSpec

BY_RATE = (Phase(name="easy", max_difficulty=0.4), Phase(name="all", unlock_pass_rate=0.5))
BY_BOTH = (BY_RATE[0], Phase(name="all", unlock_pass_rate=0.5, unlock_step=10))


def walk(phases, rates, *, begin=0):
    state, indices = PhaseState(), []
    for step, rate in enumerate(rates, begin):
        state = advance_phase(
            state, phases, step, lambda _, rate=rate: rate, patience=2, relock_gap=0.15
        )
        indices.append(state.index)
    return indices


def test_a_phase_opens_once_the_rate_held_twice_in_a_row():
    assert walk(BY_RATE, [0.6, 0.4, 0.6, 0.6, 0.6]) == [0, 0, 0, 1, 1]


def test_a_small_fall_below_the_rate_keeps_the_phase_open():
    assert walk(BY_RATE, [0.6, 0.6, 0.4, 0.36, 0.4]) == [0, 1, 1, 1, 1]


def test_a_deep_and_lasting_fall_closes_it_again():
    assert walk(BY_RATE, [0.6, 0.6, 0.3, 0.4, 0.3, 0.3]) == [0, 1, 1, 1, 1, 0]


def test_a_phase_opens_at_its_step_at_the_latest_and_stays_open():
    assert walk(BY_BOTH, [0.1] * 5, begin=8) == [0, 0, 1, 1, 1]


def test_nothing_moves_while_too_little_was_measured():
    assert walk(BY_RATE, [None] * 5) == [0] * 5


def test_the_rate_that_opens_a_phase_is_measured_on_the_phase_before():
    asked = []

    def rate_under(max_difficulty):
        asked.append(max_difficulty)
        return 0.6

    advance_phase(PhaseState(), BY_RATE, 0, rate_under, patience=1, relock_gap=0.1)
    assert asked == [0.4]


def test_several_phases_due_at_once_are_skipped():
    phases = tuple(Phase(name=str(i), unlock_step=i) for i in range(4))
    assert walk(phases, [None], begin=2) == [2]


def test_weights_name_every_layer():
    phase = Phase(name="easy", reward=RewardSpec(partial=0.5))
    assert phase.weights == {"correct": 1.0, "partial": 0.5, "process": 0.1, "efficiency": 0.05}


def test_a_difficulty_outside_the_scale_is_refused():
    with pytest.raises(ValueError, match=r"max_difficulty is 1\.5"):
        Phase(name="odd", max_difficulty=1.5)
