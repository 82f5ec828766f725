from xml.etree import ElementTree

from posttrain.observe.chart import Series, bar_chart, line_chart


def test_a_chart_is_well_formed_and_escapes_its_labels() -> None:
    figure = line_chart("a < b", [Series(label="<script>", xs=[0, 1, 2], ys=[0.1, None, 0.3])])
    root = ElementTree.fromstring(figure)
    assert root.tag == "figure" and "<script>" not in figure


def test_a_missing_value_is_a_gap_and_not_a_zero() -> None:
    figure = line_chart("t", [Series(label="s", xs=[0, 1, 2, 3], ys=[5.0, 5.0, None, 5.0])])
    assert figure.count("<polyline") == 2


def test_a_chart_without_points_says_so() -> None:
    assert "no data" in line_chart("t", [Series(label="s", xs=[0], ys=[None])])
    assert "no data" in bar_chart("t", [])


def test_a_single_point_is_drawn_as_a_marker() -> None:
    assert "<circle" in line_chart("t", [Series(label="s", xs=[3], ys=[1.0])])


def test_bars_are_relative_to_the_largest() -> None:
    assert "width:50.0%" in bar_chart("t", [("a", 4), ("b", 2)])
