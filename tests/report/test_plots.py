"""Figures by name: what is drawn is what stands in the table beside it, and texts of others stay text."""

import csv
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline.audits import Audit
from sightline.errors import DataError
from sightline.report.plots.named import FIGURES, write_figure
from sightline.results import Measurement, NotApplicable, Ragged
from sightline.statistics.shapes import counted, largest
from tests.report import audits

EVIL = "<script>alert(1)</script>\x1b"
TAU = np.array([-1.0, 0.05, 0.05, 1.0, np.nan, *np.linspace(-0.9, 0.9, 19)])
MOVED = np.linspace(0, 1, 24)


def made() -> Audit:
    base = audits.compared()
    texts = tuple(replace(t, predicted=EVIL if i < 5 else "fine") for i, t in enumerate(base.texts))
    measured = {
        **base.measurements,
        "agreement": Measurement("agreement", {"tau.gradient": TAU}),
        "permutation": Measurement("permutation", {"median": np.where(MOVED > 0.9, np.nan, MOVED)}),
    }
    return replace(base, texts=texts, measurements=measured)


AUDIT = made()


def written(name: str, folder: Path) -> tuple[ElementTree.Element, list[dict[str, str]]]:
    path = write_figure(AUDIT, name, folder / f"{name}.svg")
    with path.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return ElementTree.fromstring(path.read_text(encoding="utf-8")), list(csv.DictReader(file))


def drawn(root: ElementTree.Element, tag: str, kind: str) -> list[ElementTree.Element]:
    return [one for one in root.iter(f"{{http://www.w3.org/2000/svg}}{tag}") if kind in one.get("class", "").split()]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_stands_alone_and_runs_nothing(name: str, tmp_path: Path) -> None:
    root, rows = written(name, tmp_path)
    text = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
    assert rows
    assert "var(" not in text
    assert "\x1b" not in text
    assert not [*root.iter("{http://www.w3.org/2000/svg}script")]
    assert text.count("http") == 1  # the name of the format


def test_each_text_is_in_one_bin_of_its_class_and_undefined_ones_are_counted(tmp_path: Path) -> None:
    root, rows = written("tau-by-class", tmp_path)
    ours = [row for row in rows if row["predicted"] == EVIL]
    assert {(row["tau_from"], row["texts"]) for row in ours if row["texts"] != "0"} == {
        ("-1.0", "1"), ("0.0", "2"), (ours[-2]["tau_from"], "1"), ("undefined", "1")
    }  # fmt: skip
    assert sum(int(row["texts"]) for row in rows) == 24
    edges = [row["tau_from"] for row in ours[:-1]]
    assert edges == [str(tenth / 10) for tenth in range(-10, 10)]  # 0.4, and no 0.40000000000000013
    assert [row["tau_to"] for row in ours[:-1]] == [*edges[1:], "1.0"]
    tallest = [float(box.get("height", "")) for box in drawn(root, "rect", "box")][:20]
    assert tallest.index(max(tallest)) == 10  # [0, 0.1)
    assert max(tallest) == 70


def test_a_dot_lies_where_its_text_is(tmp_path: Path) -> None:
    root, rows = written("permutation-by-weight", tmp_path)
    known = [row for row in rows if row["median_change"]]
    dots = drawn(root, "circle", "dot")
    assert len(rows) == 24
    assert len(dots) == len(known) == 21
    attention = AUDIT.measurements["outputs"].values["attention"]
    assert float(rows[3]["largest_weight"]) == attention.rows()[3].max()
    higher = sorted(range(21), key=lambda i: float(known[i]["median_change"]))
    assert [float(dots[i].get("cy", "")) for i in higher] == sorted(
        (float(d.get("cy", "")) for d in dots), reverse=True
    )


def test_every_map_has_its_intervals(tmp_path: Path) -> None:
    root, rows = written("transplant", tmp_path)
    known = {(row["what"], row["map"]) for row in rows}
    assert len(known) == len(rows) == len(drawn(root, "circle", "dot")) == 3 * len(audits.MAPS) - 2
    assert float(next(row for row in rows if row["map"] == "attention")["value"]) == 0.012


def test_an_audit_without_the_numbers_says_what_is_missing(tmp_path: Path) -> None:
    without = replace(AUDIT, maps=(), measurements={"agreement": NotApplicable("agreement", "needs decode")})
    for name, said in (
        ("tau-by-class", r"needs agreement\.tau\.gradient, .* \(agreement: needs decode\)"),
        ("permutation-by-weight", r"\(outputs: it was not asked for\)"),
        ("transplant", "maps side by side"),
    ):
        with pytest.raises(DataError, match=said):
            write_figure(without, name, tmp_path / "f.svg")
    assert not [*tmp_path.iterdir()]


def test_bins_hold_every_number_once_and_texts_without_words_have_no_largest() -> None:
    assert counted(np.array([-1, 0, 0.5, 1, np.nan]), np.array([-1.0, 0, 1])).tolist() == [1, 3]
    found = largest(Ragged(np.array([1.0, 3, 2, np.nan]), np.array([2, 0, 1, 1])))
    assert found[[0, 2]].tolist() == [3, 2]
    assert np.isnan(found[[1, 3]]).all()
