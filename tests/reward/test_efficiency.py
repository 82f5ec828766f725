import pytest

from posttrain.reward.efficiency import efficiency_score


@pytest.mark.parametrize(
    ("cpu_s", "reference_cpu_s", "expected"),
    [
        ([0.5, 0.6, 0.41], 0.1, 1.0),
        ([0.5, 0.6, 0.4], 0.1, 0.0),
        ([0.5, 0.6], 0.1, 0.0),
        ([9.0, 9.0, 9.0], None, 0.0),
        ([9.0, 9.0, 9.0], 0.0, 0.0),
    ],
)
def test_only_code_that_was_slow_in_every_run_is_charged(cpu_s, reference_cpu_s, expected):
    assert efficiency_score(cpu_s, reference_cpu_s) == expected
