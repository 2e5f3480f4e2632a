"""What each layer is needed for stands on the page where layers were replaced, and nowhere else."""

from dataclasses import replace

from sightline.core.results import Measurement
from sightline.report.html.audit_page import render
from sightline.report.layer_table import TITLE, LayerRow, layer_rows
from tests.report.audits import audit, estimate
from tests.report.pages import Page

NUMBERS = {
    f"layers.{kind}_changed.{layer}": estimate(value, n=40)
    for layer, value in (("0", 0.5), ("1", 0.1), ("all", 0.6))
    for kind in ("uniform", "constant")
}
LAYERED = replace(
    audit(),
    estimates={**audit().estimates, **NUMBERS, "layers.constant_changed.1": estimate(0.2, n=40)},
    measurements={**audit().measurements, "layers": Measurement("layers", {})},
)


def test_a_row_for_each_layer_and_one_for_all() -> None:
    rows = layer_rows(LAYERED)
    assert [row.name for row in rows] == ["layer 0", "layer 1", "all layers"]
    assert rows[1] == LayerRow(
        "layer 1", "0.100 [0.060,\xa00.140]", "0.200 [0.160,\xa00.240]", "40"
    )
    assert layer_rows(audit()) == []


def test_the_page_shows_them_where_there_are_any() -> None:
    html = render(LAYERED)
    assert not Page(html).torn
    assert TITLE in html
    assert "Hassid, M." in html
    assert TITLE not in render(audit())
