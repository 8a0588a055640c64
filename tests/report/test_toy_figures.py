"""The figures of the toy study."""

from dataclasses import replace

from endd.report.toy_figures import bands_figure, plane_figure, sweep_figure
from endd.studies.result import Result


def test_bands_have_a_column_a_model(toy_result: Result) -> None:
    figure = bands_figure(toy_result)
    assert [axes.get_title() for axes in figure.axes[:3]] == [
        "Ensemble of 3",
        "Distribution-distilled",
        "Mixture-distilled",
    ]
    labels = [axes.get_legend_handles_labels()[1] for axes in figure.axes[:3]]
    assert {"aleatoric", "epistemic"} <= {*labels[0]}
    assert {"aleatoric", "epistemic"} <= {*labels[1]}
    # a mixture student has no split
    assert "total" in labels[2]
    assert "epistemic" not in labels[2]
    assert {"oracle", "by total uncertainty"} == {*figure.axes[3].get_legend_handles_labels()[1]}


def test_the_plane_shows_every_member(toy_result: Result) -> None:
    figure = plane_figure(toy_result)
    assert [axes.get_title().split(",")[0] for axes in figure.axes] == ["x = 0", "x = 4"]
    for axes in figure.axes:
        assert len(axes.collections[0].get_offsets()) == 3
        assert len(axes.patches) == 3


def test_the_sweep_has_a_point_a_weight(toy_result: Result) -> None:
    figure = sweep_figure(toy_result)
    assert len(figure.axes) == 4
    assert [float(tick) for tick in figure.axes[0].get_xticks()] == [0, 0.5]


def test_a_single_seed_can_be_drawn(toy_result: Result) -> None:
    curves = {name: array[:1] if array.shape[:1] == (2,) else array for name, array in toy_result.curves.items()}
    curves |= {name: toy_result.curves[name] for name in ("places", "mixture_z", "true_z", "distilled_loc")}
    bands_figure(replace(toy_result, curves=curves, records=[r for r in toy_result.records if r.seed == 0]))
