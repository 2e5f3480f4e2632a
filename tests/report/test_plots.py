"""Figures by name: what is drawn stands in the table beside it, files are alike byte by byte, texts
of others stay text.
"""

import csv
import math
import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from sightline.audits.audit_result import Audit
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import BUT_ATTENTION, FitSpec, RunSpec
from sightline.core.errors import DataError, MissingExtra
from sightline.core.results import Estimate, Measurement, NotRun, Ragged, Table, TableCell
from sightline.report.figures import matplotlib_output
from sightline.report.figures.figure_registry import FIGURES, write_figure
from sightline.report.figures.information_by_rank import TARGETS
from sightline.report.figures.matplotlib_output import ENDINGS
from sightline.report.figures.plot import WIDTH, Plot
from sightline.report.figures.study_means import means
from sightline.report.figures.transfer_plot import transplant
from sightline.report.sanitize import visible
from sightline.report.transfer_summary import TRANSFER
from sightline.stats.distribution_shapes import bin_counts, bin_of, density, largest, quartiles
from sightline.verdict.number_bounds import ends_of
from tests.report import audits
from tests.snapshots import refused

EVIL = "<script>alert('$x^{')</script>--> \x1b\ud800 漢 $\\frac{"
TAU = np.array([-1.0, 0.05, 0.05, 1.0, np.nan, *np.linspace(-0.9, 0.9, 19)])
MOVED = np.linspace(0, 1, 24)


def made() -> Audit:
    base = audits.compared()
    texts = tuple(
        replace(t, predicted=EVIL if i < 5 else "_fine") for i, t in enumerate(base.texts)
    )
    outputs = base.measurements["outputs"]
    weights = outputs.values["attention"].rows()
    shares = Ragged(
        np.concatenate([row / row.sum() for row in weights]), outputs.values["attention"].lengths
    )
    measured = {
        **base.measurements,
        "outputs": replace(outputs, values={**outputs.values, "attention": shares}),
        "agreement": Measurement(
            "agreement", {"tau.gradient": TAU, "tau.deletion": -TAU, "tau.references": TAU / 2}
        ),
        "permutation": Measurement("permutation", {"median": np.where(MOVED > 0.9, np.nan, MOVED)}),
    }
    return replace(base, texts=texts, measurements=measured)


AUDIT = made()


def counterfactual(audit: Audit, apart: float = 0.0) -> dict[str, Any]:
    """Made-up farthest attention: all of it on the last word; the divergences are in order, that of
    the first unknown.
    """
    own = audit.measurements["outputs"].values["attention"]
    rows = [np.eye(len(row))[-1] for row in own.rows()]
    low = np.where(np.arange(24) == 0, np.nan, np.linspace(0, 0.69, 24))
    return {
        "jsd_low": low,
        "jsd_high": low + apart,
        "farthest": Ragged(np.concatenate(rows), own.lengths),
    }


def with_farthest(apart: float = 0.0, searched: bool = False) -> Audit:
    values = counterfactual(AUDIT, apart)
    stages = np.linspace(0.2, 1, 5)[None] * values["jsd_low"][:, None]
    found = (
        {"searched": Measurement("searched", {"published": 0.9 * stages, "ours": stages[:, 2:]})}
        if searched
        else {}
    )
    more = {"counterfactual": Measurement("counterfactual", values, settings={"epsilon": 0.01})}
    return replace(AUDIT, measurements={**AUDIT.measurements, **more, **found})


FAR = with_farthest(searched=True)
BASE = RunSpec(parse_data("planted:needle"), *build_specs("mlp", epochs=2))


def run(key: str, fit: FitSpec, names: Sequence[str], seed: int) -> Audit:
    """An audit of a run that says how far its model is from companions."""
    random = np.random.default_rng(seed)
    by_text = {
        f"{kind}.{name}": random.random(24) * math.log(2)
        for name in names
        for kind in ("jsd", "tvd")
    }
    by_text[f"jsd.{names[0]}"][3] = np.nan
    spec = replace(BASE, fit=fit)
    values = {
        f"beside.{name}": Estimate(*np.nanquantile(v, (0.5, 0.2, 0.8)), 23, "made up")
        for name, v in by_text.items()
    }
    measured = {"outputs": AUDIT.measurements["outputs"], "beside": Measurement("beside", by_text)}
    return replace(
        AUDIT, spec={"key": key, "run": spec.to_json()}, estimates=values, measurements=measured
    )


def adversary(weight: float, **more: object) -> FitSpec:
    return replace(BASE.fit, adversary="kl", adversary_weight=weight, **more)


RUNS = (
    run("b" * 16, BASE.fit, ("seed(by=1)", "seed(by=2)", "uniform"), 1),
    run("c" * 16, adversary(0.1), ("base",), 2),
    run("d" * 16, adversary(0.01), ("base",), 3),
    run("e" * 16, adversary(0.1, from_base=BUT_ATTENTION, fixed=BUT_ATTENTION), ("base",), 4),
)
MARKED = {
    f"{kind}.{row.name}": np.where(MOVED > 0.9, np.nan, value * MOVED)
    for row in AUDIT.maps
    for kind, value in (("auprc", 0.9), ("auprc_chance", 0.4))
}
SEEN = tuple(
    replace(
        AUDIT,
        spec={"run": replace(BASE, seed=seed).to_json()},
        measurements={**AUDIT.measurements, "rationale": Measurement("rationale", MARKED)},
        maps=tuple(
            replace(row, carried=audits.estimate(0.2 + 0.2 * seed, n=12)) for row in AUDIT.maps
        ),
    )
    for seed in (0, 1)
)
LAMBDAS = (-30.0, -1.0, 0.0, 0.9)


def swept(setting: float, seed: int) -> Audit:
    """An audit of a sparse model, of which τ-b falls as λ grows, and entropy is what it is."""
    random = np.random.default_rng(seed)
    names = ("gradient_through", "deletion", "state_gradient", "state_deletion")
    values = {
        f"tau.{name}": np.clip(
            0.5 - 0.4 * setting / 30 - 0.1 * at + 0.01 * random.random(24), -1, 1
        )
        for at, name in enumerate(names)
    }
    values |= {
        f"entropy.{name}": np.where(np.arange(24) == 2, np.nan, random.random(24)) for name in names
    }
    model, _ = build_specs(f"mlp+additive+sparsegen(lambda={setting})")
    spec = {"run": replace(BASE, model=model, seed=seed).to_json()}
    measured = Measurement(
        "state_agreement", values | {"support": np.full(24, 9 - LAMBDAS.index(setting))}
    )
    return replace(
        AUDIT, spec=spec, measurements={**AUDIT.measurements, "state_agreement": measured}
    )


SWEPT = tuple(swept(setting, seed) for seed in (0, 1) for setting in LAMBDAS[::-1])
PLAIN = Plot("title", ("n = 2.",), lambda figure: figure.subplots().plot([0, 1]), (), (), 2.0)


def beside(seed: int, wrong: tuple[int, ...] = ()) -> Audit:
    """The made-up audit as another model's: other evidence, and other decisions of some texts."""
    evidence = AUDIT.measurements["reach"].values["evidence"]
    other = Ragged(
        np.random.default_rng(seed).normal(size=len(evidence.flat)) * 3, evidence.lengths
    )
    texts = tuple(
        replace(
            t, predicted=({"negative", "positive"} - {t.label}).pop() if i in wrong else t.label
        )
        for i, t in enumerate(AUDIT.texts)
    )
    measured = {**AUDIT.measurements, "reach": Measurement("reach", {"evidence": other})}
    return replace(AUDIT, texts=texts, measurements=measured, spec={"seed": seed})


ALONE = (beside(1, wrong=(0, 3)), beside(2, wrong=(1,)), beside(3))


def ranked(seed: int, tau: float) -> Audit:
    """The made-up audit as one of which it is known what its ranks know."""
    whole = {
        f"paper.tau.{target}": Estimate(tau, tau - 0.1, tau + 0.1, 24, "") for target in TARGETS
    }
    whole |= {f"D.{target}": Estimate(tau / 10, 0.0, tau, 24, "") for target in TARGETS}
    whole["flatness"] = Estimate(2.0 + seed, 2.0, 4.0, 24, "")
    measured = Measurement(
        "information", {}, settings={"critical_tau": None if seed else 0.5}, whole=whole
    )
    run = RunSpec(parse_data("planted:vote"), parse_model("mlp+additive"), seed=seed)
    return replace(
        AUDIT,
        measurements={**AUDIT.measurements, "information": measured},
        spec={"run": run.to_json()},
    )


RANKED = tuple(ranked(seed, tau) for seed, tau in enumerate((0.9, 0.2, -0.4)))
OF = {name: RUNS if figure.several else (FAR,) for name, figure in FIGURES.items()} | {
    "words-alone": ALONE, "plausible": SEEN, "evenness": SWEPT, "sparsity": SWEPT,
    "ranks": RANKED
}  # fmt: skip


def table(path: Path) -> list[dict[str, str]]:
    with path.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers(name: str, *other: Audit) -> list[dict[str, Any]]:
    """Give the table of a figure as it is before it is written."""
    plot = FIGURES[name].draw(other or OF[name], None)
    return [dict(zip(plot.columns, row, strict=True)) for row in plot.rows]


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_stands_alone_runs_nothing_and_is_the_same_twice(
    name: str, tmp_path: Path
) -> None:
    path = write_figure(OF[name], name, tmp_path / f"{name}.svg")
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert table(path)
    assert "\x1b" not in text
    assert not [*root.iter("{http://www.w3.org/2000/svg}script")]
    assert not [
        *root.iter("{http://www.w3.org/2000/svg}text")
    ]  # letters are drawn, so no font is asked for
    assert "href=" not in text.replace('href="#', "")
    assert "dc:date" not in text
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    write_figure(OF[name], name, path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_kind_of_file_opens_and_holds_nothing_of_the_day(ending: str) -> None:
    first, second = (
        matplotlib_output.render_figure(PLAIN, ending),
        matplotlib_output.render_figure(PLAIN, ending),
    )
    assert first == second
    if ending == ".png":
        assert first[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", first[16:24]) == (round(WIDTH * 200), round(PLAIN.height * 200))
        assert b"Software" not in first
    elif ending == ".pdf":
        assert first.startswith(b"%PDF-")
        assert b"/FontFile2" in first  # the letters that are used are in it
        assert not [word for word in (b"CreationDate", b"Producer", b"Creator") if word in first]
    else:
        assert ElementTree.fromstring(first).get("height") == f"{PLAIN.height * 72:g}pt"


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_others_wrote_is_drawn_as_it_stands_and_no_formula(ending: str) -> None:
    plot = Plot(
        "$x^2$ and $\\frac{ \x07 漢", ("$y$",), lambda figure: figure.text(0.5, 0.5, EVIL), (), ()
    )
    found = matplotlib_output.render_figure(plot, ending)
    if ending == ".svg":  # what letters were drawn of stands beside them
        assert "<!-- $x^2$ and $\\frac{ □ □ -->" in found.decode()
        assert "alert('$x^{')" in found.decode()
        assert "⟦U+D800⟧ □ $\\frac{" in found.decode()
        assert b"<script" not in found


def test_no_label_is_cut_off_where_it_is_drawn_larger_than_it_was_laid_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from matplotlib.figure import Figure

    names = ["mlp(hidden=32)+additive+softmax+query on bab…", "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"]
    left = []

    def look(figure: Figure, out: object, **_: object) -> None:
        (axes,) = figure.axes
        for dots in (72, 200):
            figure.set_dpi(dots)
            figure.draw_without_rendering()
            left.extend(one.get_window_extent().x0 / dots for one in axes.get_yticklabels())

    def draw(figure: Figure) -> None:
        figure.subplots().set_yticks(range(len(names)), names, fontsize=6)

    monkeypatch.setattr(Figure, "savefig", look)
    matplotlib_output.render_figure(Plot("long names", ("of models",), draw, (), ()), ".png")
    assert len(left) == 4
    assert min(left) >= 0


def test_settings_of_the_user_change_nothing() -> None:
    import matplotlib as mpl

    usual = matplotlib_output.render_figure(PLAIN, ".svg")
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 30, "text.parse_math": True}):
        assert matplotlib_output.render_figure(PLAIN, ".svg") == usual
        assert mpl.rcParams["font.size"] == 30


def test_without_matplotlib_the_extra_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(matplotlib_output, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"pip install 'sightline-audit\[figures\]'"):
        write_figure((AUDIT,), "transplant", tmp_path / "f.svg")
    assert not [*tmp_path.iterdir()]


def test_an_audit_without_the_numbers_says_what_is_missing(tmp_path: Path) -> None:
    without = replace(
        AUDIT, maps=(), measurements={"agreement": NotRun("agreement", "needs decode")}
    )
    for name, said in (
        ("tau-by-class", r"needs .+ \(agreement\.tau\.gradient\), .* \(agreement: needs decode\)"),
        (
            "permutation-by-weight",
            r"needs .+ \(permutation\.median\), .* \(permutation: it was not asked for\)",
        ),
        ("transplant", "needs several maps"),
        (
            "farthest",
            r"needs .+ \(counterfactual\.jsd_low\), .* \(counterfactual: it was not asked for\)",
        ),
        ("heat-map", r"needs the attention weights shown \(outputs\.attention\)"),
        ("adversaries", "needs runs of adversaries"),
        ("seeds-and-adversaries", "needs the measure `beside`"),
        ("words-alone", r"needs .+ \(reach\.evidence\), .* \(reach: it was not asked for\)"),
        ("plausible", "needs the measures rationale"),
        ("evenness", "needs the measure state_agreement"),
        ("ranks", "needs what ranks know"),
        ("sparsity", "needs runs of one model under sparsegen"),
    ):
        with pytest.raises(DataError, match=said):
            write_figure((without,), name, tmp_path / "f.svg")
    with pytest.raises(DataError, match="needs runs of adversaries"):
        write_figure(RUNS[:1], "adversaries", tmp_path / "f.svg")
    assert not [*tmp_path.iterdir()]


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("name", FIGURES)
def test_the_file_beside_a_figure_holds_its_numbers_in_full(name: str, tmp_path: Path) -> None:
    rows = table(write_figure(OF[name], name, tmp_path / "f.svg"))
    for row, message in zip(rows, numbers(name), strict=True):
        assert [*row] == [*message]
        for read, value in zip(row.values(), message.values(), strict=True):
            if isinstance(value, float):
                assert read == ("" if math.isnan(value) else str(value))
            else:
                assert read == visible(str(value))


def test_each_text_is_in_one_bin_of_its_class_and_undefined_ones_are_counted() -> None:
    rows = numbers("tau-by-class")
    ours = [row for row in rows if row["predicted"] == EVIL]
    assert {(row["tau_from"], row["texts"]) for row in ours if row["texts"]} == {
        (-1.0, 1), (0.0, 2), (0.9, 1), ("undefined", 1)
    }  # fmt: skip
    assert sum(row["texts"] for row in rows) == 24
    edges = [row["tau_from"] for row in ours[:-1]]
    assert edges == [tenth / 10 for tenth in range(-10, 10)]  # 0.4, and no 0.40000000000000013
    assert [row["tau_to"] for row in ours[:-1]] == [*edges[1:], 1.0]


def test_differences_are_of_each_text_and_undefined_ones_are_counted() -> None:
    rows = numbers("tau-differences")
    for name, other in (("leave-one-out", -TAU), ("gradient", TAU)):
        here = [row for row in rows if row["less"] == f"minus τ(attention, {name})"]
        known = (TAU / 2 - other)[~np.isnan(TAU)]
        assert here[-1]["texts"] == int(np.isnan(TAU).sum())
        for row in here[:-1]:
            last = row["difference_to"] == 2.0
            inside = (known >= row["difference_from"]) & (
                (known <= 2.0) if last else (known < row["difference_to"])
            )
            assert row["texts"] == int(inside.sum())


def test_a_violin_is_of_the_texts_of_its_quarter_and_class() -> None:
    rows = numbers("permutation-by-weight")
    weights = [row.max() for row in AUDIT.measurements["outputs"].values["attention"].rows()]
    assert len(rows) == 24
    for i, (row, text) in enumerate(zip(rows, AUDIT.texts, strict=True)):
        assert (row["id"], row["largest_weight"]) == (text.id, weights[i])
        if MOVED[i] > 0.9:  # undefined: in no group
            assert row["group"] == ""
            assert np.isnan(
                [row[name] for name in ("median_change", "weight_from", "group_n", "group_median")]
            ).all()
            continue
        low = math.floor(weights[i] * 4) / 4
        mates = [
            MOVED[j]
            for j in range(24)
            if low <= weights[j] < low + 0.25
            and AUDIT.texts[j].predicted == text.predicted
            and MOVED[j] <= 0.9
        ]
        assert (row["median_change"], row["weight_from"], row["weight_to"]) == (
            MOVED[i],
            low,
            low + 0.25,
        )
        assert row["group_n"] == len(mates)
        assert row["group_median"] == pytest.approx(float(np.median(mates)), abs=1e-12)
        assert row["group_lower_quartile"] == pytest.approx(
            float(np.percentile(mates, 25)), abs=1e-12
        )


def test_many_classes_are_drawn_together() -> None:
    texts = tuple(replace(text, predicted=f"class {i % 4}") for i, text in enumerate(AUDIT.texts))
    rows = numbers("permutation-by-weight", replace(AUDIT, texts=texts))
    assert {row["group"] for row in rows} == {"all 4 classes", ""}


def test_every_map_has_its_intervals() -> None:
    rows = numbers("transplant")
    known = {(row["what"], row["map"]) for row in rows}
    assert len(known) == len(rows) == 3 * len(audits.MAPS) - 2
    assert next(row for row in rows if row["map"] == "attention")["value"] == 0.012


def test_maps_say_the_level_of_their_intervals_and_which_texts_they_are_on() -> None:
    (note,) = transplant(AUDIT).notes
    assert "95 % intervals" in note
    assert "half that did not choose" in note
    wide = tuple(
        replace(
            one,
            carried=replace(one.carried, method="by hand, 98.33 % interval"),
            deleted=None,
            replaced=None,
        )
        for one in AUDIT.maps
    )
    looks = {"sequential": {"compared": {"texts": 12, "of": 24}}}
    (note,) = transplant(replace(AUDIT, maps=wide, spec=looks)).notes
    assert "98.33 % intervals" in note
    assert "half" not in note


def test_a_mean_without_an_interval_has_no_line() -> None:
    cells = ((TableCell(0.812, sd=0.01, n=50),), (TableCell(0.7, n=50),))
    bare = Table("means", ("accuracy",), cells, (("one",), ("other",)), ("model",))
    plot = means(bare)
    assert all(math.isnan(end) for row in plot.rows for end in row[3:5])
    assert "95 %" not in plot.notes[0]
    plot.draw(Figure())
    known = means(replace(bare, rows=((TableCell(0.8, 0.7, 0.9, n=50),), cells[1])))
    assert "95 %" in known.notes[0]


def row_labels(plot: Plot) -> list[str]:
    figure = Figure()
    plot.draw(figure)
    return [tick.get_text() for tick in figure.axes[0].get_yticklabels()]


def test_rows_of_means_are_named_apart() -> None:
    data = ("planted:needle(n=640,length=10)", "planted:vote(n=640)")
    models = [f"bilstm(hidden=16)+additive+{end}" for end in ("softmax", "entmax(alpha=1.3)")]
    rows = tuple((one, model) for one in data for model in models)
    cells = tuple((TableCell(0.5 + i / 10, 0.4, 0.9, 80, (0, 1, 2)),) for i in range(4))
    table = Table("entmax", ("accuracy",), cells, rows, ("data", "model"))
    labels = row_labels(means(table))
    assert [tuple(one.split("\n")) for one in labels] == [*rows]
    assert "3 seeds" in means(table).notes[0]
    assert means(table).height > 0.9 + 0.45 + 4 * 2 * 0.13

    shared = means(replace(table, rows=cells[:2], row_names=rows[:2]))
    assert row_labels(shared) == models
    assert f"All rows: {data[0]}." in shared.notes[0]

    long = (f"{'a' * 400}{'b' * 200}", f"{'a' * 401}{'b' * 199}")
    twins = replace(table, rows=cells[:2], row_names=((long[0], ""), (long[1], "")))
    assert len({*row_labels(means(twins))}) == 2
    assert max(map(len, "\n".join(row_labels(means(twins))).split("\n"))) < 60


@pytest.mark.parametrize(("seeds", "says"), [((0,), "1 seed a row"), ((), "n: texts.")])
def test_means_say_how_many_seeds_they_have(seeds: tuple[int, ...], says: str) -> None:
    table = Table("t", ("accuracy",), ((TableCell(0.5, n=9, seeds=seeds),),), (("a",),), ("model",))
    assert says in means(table).notes[0]


def test_adversaries_stand_beside_their_base_in_the_order_of_lambda() -> None:
    rows = numbers("adversaries")
    assert len({row["base"] for row in rows}) == 1
    assert [(row["companion"], row["run"][:1], row["trained"]) for row in rows] == [
        ("seed(by=1)", "", ""), ("seed(by=2)", "", ""), ("uniform", "", ""),
        ("", "e", "attention alone, from scratch"), ("", "d", "whole, from scratch"), ("", "c", "whole, from scratch"),
    ]  # fmt: skip
    assert [row["lambda"] for row in rows[3:]] == [0.1, 0.01, 0.1]
    for row, audit, name in ((rows[4], RUNS[2], "base"), (rows[1], RUNS[0], "seed(by=2)")):
        for kind in ("jsd", "tvd"):
            one = audit.estimates[f"beside.{kind}.{name}"]
            lines = [row[f"{kind}{end}"] for end in ("", "_low", "_high", "_n")]
            assert lines == [one.value, one.low, one.high, 23]


def test_adversaries_of_two_bases_are_two_families() -> None:
    from matplotlib.figure import Figure

    other = replace(
        RUNS[1], spec={"key": "f" * 16, "run": replace(BASE, seed=1, fit=adversary(0.1)).to_json()}
    )
    rows = numbers("adversaries", *RUNS, other)
    assert len({row["base"] for row in rows}) == 2
    assert [row["base_is"][-6:] for row in rows if row["run"].startswith("f")] == ["seed 1"]
    figure = Figure()
    FIGURES["adversaries"].draw([*RUNS, other], None).draw(figure)
    first, second = figure.axes
    assert first.get_ylim() == second.get_ylim()  # their answers are compared by eye


def words_of(text: str | None = None, of: Sequence[Audit] = ALONE) -> list[dict[str, Any]]:
    plot = FIGURES["words-alone"].draw(of, text)
    return [dict(zip(plot.columns, row, strict=True)) for row in plot.rows]


def test_a_line_is_the_probability_of_the_label_by_each_word_alone() -> None:
    """Of two classes, what speaks for the other one speaks against the label."""
    rows = words_of(ALONE[0].texts[3].id)
    size = len(ALONE[0].texts[3].tokens)
    assert [row["model"][-6:] for row in rows] == [
        f"seed {seed}" for seed in (1, 2, 3) for _ in range(size)
    ]
    for place, audit in enumerate(ALONE):
        ours = rows[place * size : (place + 1) * size]
        evidence = audit.measurements["reach"].values["evidence"].rows()[3]
        chances = [1 / (1 + math.exp(-one)) for one in evidence]
        own = float(audit.measurements["outputs"].values["probability"][3])
        wrong = place == 0
        assert [row["word"] for row in ours] == [*audit.texts[3].tokens]
        assert [row["probability"] for row in ours] == pytest.approx(
            [1 - c if wrong else c for c in chances]
        )
        assert [row["whole_text"] for row in ours] == pytest.approx(
            [1 - own if wrong else own] * size
        )
        assert {row["predicted"] == row["label"] for row in ours} == {not wrong}


def test_without_a_name_it_is_a_text_in_the_middle_of_those_that_all_decide_rightly() -> None:
    chosen = words_of()[0]["id"]
    evidence = ALONE[0].measurements["reach"].values["evidence"].rows()
    right = {
        t.id: (1 / (1 + np.exp(-e))).mean()
        for i, (t, e) in enumerate(zip(ALONE[0].texts, evidence, strict=True))
        if i not in (0, 1, 3)
    }
    assert right[chosen] == np.quantile([*right.values()], 0.5, method="lower")


def test_of_three_classes_a_model_that_decides_otherwise_is_not_drawn_and_named() -> None:
    third = tuple(
        replace(t, label="third" if i == 7 else t.label) for i, t in enumerate(ALONE[0].texts)
    )
    audits = [
        replace(
            one,
            texts=tuple(replace(t, label=o.label) for t, o in zip(one.texts, third, strict=True)),
        )
        for one in ALONE
    ]
    plot = FIGURES["words-alone"].draw(audits, third[0].id)
    assert "which predicts another class" in plot.notes[0]
    rows = [dict(zip(plot.columns, row, strict=True)) for row in plot.rows]
    assert {row["model"][-6:] for row in rows if math.isnan(row["probability"])} == {"seed 1"}


def test_audits_of_other_texts_are_not_drawn_together() -> None:
    other = replace(
        ALONE[1], texts=tuple(replace(t, tokens=("x", *t.tokens[1:])) for t in ALONE[1].texts)
    )
    with refused(DataError):
        words_of(of=(ALONE[0], other))
    away = replace(ALONE[1], texts=tuple(replace(t, id=f"other {t.id}") for t in ALONE[1].texts))
    with refused(DataError):
        words_of(of=(ALONE[0], away))
    with pytest.raises(DataError, match="has no text with the id"):
        words_of(away.texts[0].id, of=(ALONE[0], away))


def test_every_text_of_every_seed_and_adversary_is_there() -> None:
    rows = numbers("seeds-and-adversaries")
    assert len(rows) == 6 * 24
    weights = [row.max() for row in AUDIT.measurements["outputs"].values["attention"].rows()]
    ours = [row for row in rows if row["run"].startswith("d")]
    values = RUNS[2].measurements["beside"].values["jsd.base"]
    assert [row["id"] for row in ours] == [text.id for text in AUDIT.texts]
    assert [row["jsd"] for row in ours] == pytest.approx(values.tolist(), nan_ok=True, abs=0)
    assert [row["largest_weight_of_base"] for row in ours] == weights
    assert {row["who_n"] for row in ours} == {23}
    assert ours[0]["who_median"] == pytest.approx(float(np.nanmedian(values)), abs=1e-12)


def test_maps_of_one_model_are_averaged_over_its_seeds_and_stand_where_both_numbers_put_them() -> (
    None
):
    rows = numbers("plausible")
    assert [row["map"] for row in rows] == [row.name for row in AUDIT.maps]
    expected = np.mean(0.5 * MOVED[MOVED <= 0.9])
    for row in rows:
        assert (row["audits"], row["model"]) == (2, "mlp+additive+softmax on planted:needle")
        assert row["auprc_above_chance"] == pytest.approx(expected)
        assert row["auprc_above_chance_n"] == (MOVED <= 0.9).sum()
        assert (row["carried"], row["carried_n"]) == (pytest.approx(0.3), 12)
    one = numbers("plausible", SEEN[1])[0]
    assert (one["audits"], one["carried"], one["carried_low"]) == (1, 0.4, pytest.approx(0.36))
    alone = numbers("plausible", replace(SEEN[0], spec={}), SEEN[1])
    assert [row["model"] for row in alone] == [
        *["audit 1"] * len(AUDIT.maps),
        *["mlp+additive+softmax on planted:needle"] * len(AUDIT.maps),
    ]


def test_no_map_is_said_to_carry_more_than_all_words_do() -> None:
    assert ends_of(TRANSFER) == (-np.inf, 1.0)
    said = " ".join(FIGURES["plausible"].draw(SEEN, None).notes)
    assert "signed" in said
    assert "more than" not in said


def test_agreement_along_lambda_is_over_seeds_with_its_support_and_says_how_it_goes() -> None:
    rows = numbers("sparsity")
    ours = [row for row in rows if row["importance"] == "deletion"]
    assert [row["lambda"] for row in ours] == [*LAMBDAS]
    assert {row["model"] for row in rows} == {"mlp+additive+sparsegen on planted:needle"}
    assert [row["support"] for row in ours] == [9, 8, 7, 6]
    for row in ours:
        each = [
            np.mean(
                swept(row["lambda"], seed).measurements["state_agreement"].values["tau.deletion"]
            )
            for seed in (0, 1)
        ]
        assert row["tau"] == pytest.approx(np.mean(each))
        assert (row["seeds"], row["tau_n"]) == (2, 24)
    assert ours[0]["tau_with_lambda"] < -0.6
    with pytest.raises(DataError, match="needs runs of one model"):
        FIGURES["sparsity"].draw(SWEPT[:1], None)


def test_every_audit_has_its_ranks() -> None:
    rows = numbers("ranks", *RANKED)
    assert [row["tau"] for row in rows if row["target"] == "label"] == [0.9, 0.2, -0.4]
    assert [row["D_high"] for row in rows if row["target"] == "output"] == [0.9, 0.2, -0.4]
    assert {row["model"] for row in rows} == {"mlp+additive+softmax on planted:vote"}
    assert [(row["seed"], row["flatness"]) for row in rows[::3]] == [
        ("0", 2.0),
        ("1", 3.0),
        ("2", 4.0),
    ]
    assert [math.isnan(row["critical_tau"]) for row in rows[::3]] == [False, True, True]


@pytest.mark.parametrize("flatness", [(4.0, 17.0), (1.2, 1e5)])
def test_no_tick_is_written_as_a_formula(flatness: tuple[float, float]) -> None:
    """Formulas are not drawn, so that a dollar sign of a user is one."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    def wide(audit: Audit, value: float) -> Audit:
        measured = audit.measurements["information"]
        whole = {**measured.whole, "flatness": replace(measured.whole["flatness"], value=value)}
        found = {**audit.measurements, "information": replace(measured, whole=whole)}
        return replace(audit, measurements=found)

    figure = Figure()
    audits = [wide(one, value) for one, value in zip(RANKED, flatness, strict=False)]
    FIGURES["ranks"].draw(audits, None).draw(figure)
    figure.draw_without_rendering()
    words = [text.get_text() for text in figure.findobj(Text)]
    assert len({one for one in words if one.replace(".", "").isdigit()}) > 3
    assert not [one for one in words if "math" in one]


def test_a_control_model_is_named_by_how_far_its_seed_is_from_the_base() -> None:
    from sightline.report.figures.adversary_families import control_title

    named = [control_title(name) for name in ("seed(by=2)", "seeds", "uniform")]
    assert named == ["seed + 2", "mean of seeds", "uniform"]


def test_every_text_has_its_entropy_and_undefined_ones_are_counted() -> None:
    rows = numbers("evenness", *SWEPT[:2])
    assert len(rows) == 2 * 2 * 24
    first = [
        row for row in rows if row["importance"] == "deletion" and "lambda=0.9" in row["audit"]
    ]
    expected = SWEPT[0].measurements["state_agreement"].values["entropy.deletion"]
    np.testing.assert_array_equal([row["entropy"] for row in first], expected)
    assert {row["group_n"] for row in first} == {23}
    assert first[0]["group_median"] == pytest.approx(np.nanmedian(expected))
    assert "Undefined: 4 of 96 numbers" in FIGURES["evenness"].draw(SWEPT[:2], None).notes[0]


def test_the_bars_of_the_farthest_attention_are_shares_of_their_class() -> None:
    rows = numbers("farthest")
    jsd = FAR.measurements["counterfactual"].values["jsd_low"]
    ours = [row for row in rows if (row["predicted"], row["what"]) == ("_fine", "exact")]
    assert len(ours) == 41
    assert ours[0]["jsd_from"] == 0
    assert ours[39]["jsd_to"] == 0.7
    assert [row["texts"] for row in ours[:40]] == np.histogram(jsd[5:], 40, (0, 0.7))[0].tolist()
    assert [row["share"] for row in ours[:40]] == pytest.approx(
        [row["texts"] / 19 for row in ours[:40]], abs=1e-12
    )
    unknown = {
        (row["predicted"], row["what"]): row["texts"]
        for row in rows
        if row["jsd_from"] == "undefined"
    }
    searches = ("found by the published search", "found by our search")
    assert unknown == {
        (name, what): int(name == EVIL) for name in (EVIL, "_fine") for what in ("exact", *searches)
    }


def test_a_divergence_that_is_known_between_two_sides_is_drawn_as_both() -> None:
    rows = numbers("farthest", with_farthest(apart=0.01))
    assert {row["what"] for row in rows} == {"at least", "at most"}
    for name in ("farthest", "heat-map"):
        assert "the same output (total variation up to 0.01)" in " ".join(
            FIGURES[name].draw((FAR,), None).notes
        )
    plot = FIGURES["farthest"].draw((with_farthest(apart=0.01),), None)
    assert "for 23 texts only two bounds are known" in " ".join(plot.notes)


def test_what_only_a_search_found_is_said_to_be_found() -> None:
    measured = {name: one for name, one in FAR.measurements.items() if name != "counterfactual"}
    plot = FIGURES["farthest"].draw((replace(FAR, measurements=measured),), None)
    assert "found for the same output: there may be larger ones" in " ".join(plot.notes)
    assert {row[1] for row in plot.rows} == {"found by the published search", "found by our search"}


def test_the_farthest_attention_stands_by_the_largest_weight_with_what_was_found() -> None:
    rows = numbers("farthest-by-weight")
    values, searched = (
        FAR.measurements["counterfactual"].values,
        FAR.measurements["searched"].values,
    )
    assert [row["jsd"] for row in rows] == pytest.approx(
        values["jsd_low"].tolist(), nan_ok=True, abs=0
    )
    found = [row["jsd_found_by_the_published_search"] for row in rows]
    assert found == pytest.approx(searched["published"][:, -1].tolist(), nan_ok=True, abs=0)
    assert rows[0]["group"] == ""


def test_a_heat_map_is_of_the_text_in_the_middle_or_the_one_that_is_asked_for() -> None:
    rows = numbers("heat-map")
    assert {row["id"] for row in rows} == {
        FAR.texts[12].id
    }  # of 23 known, the twelfth; the first text is unknown
    assert [row["word"] for row in rows] == [*FAR.texts[12].tokens]
    assert [row["attention"] for row in rows] == FAR.measurements["outputs"].values[
        "attention"
    ].rows()[12].tolist()
    assert [row["farthest"] for row in rows] == [0] * (len(rows) - 1) + [1]
    plot = FIGURES["heat-map"].draw((FAR,), "t0003")
    assert {row[0] for row in plot.rows} == {"t0003"}
    with refused(DataError):
        FIGURES["heat-map"].draw((FAR,), "nobody")


def test_a_heat_map_of_hostile_words_is_drawn(tmp_path: Path) -> None:
    base = audits.hostile()
    own = base.measurements["outputs"].values["attention"]
    values = {
        "jsd_low": np.zeros(len(base.texts)),
        "jsd_high": np.ones(len(base.texts)),
        "farthest": own,
    }
    measured = {
        "outputs": base.measurements["outputs"],
        "counterfactual": Measurement("counterfactual", values),
    }
    for place, text in enumerate(base.texts):
        path = tmp_path / f"{place}.svg"
        write_figure((replace(base, measurements=measured),), "heat-map", path, text.id)
        root = ElementTree.parse(path).getroot()
        assert not [*root.iter("{http://www.w3.org/2000/svg}script")]
        assert len(table(path)) == len(text.tokens)


# ---------------------------------------------------------------- shapes


def test_bins_hold_every_number_once_and_texts_without_words_have_no_largest() -> None:
    assert bin_counts(np.array([-1, 0, 0.5, 1, np.nan]), np.array([-1.0, 0, 1])).tolist() == [1, 3]
    found = largest(Ragged(np.array([1.0, 3, 2, np.nan]), np.array([2, 0, 1, 1])))
    assert found[[0, 2]].tolist() == [3, 2]
    assert np.isnan(found[[1, 3]]).all()


def test_the_bin_of_a_number_is_that_in_which_it_is_counted() -> None:
    edges = np.array([0.0, 0.25, 0.5, 1.0])
    values = np.array([0.0, 0.1, 0.25, 0.49, 0.5, 1.0, -0.1, 1.1, np.nan])
    found = bin_of(values, edges)
    assert found.tolist() == [0, 0, 1, 1, 2, 2, -1, -1, -1]
    assert (
        np.bincount(found[found >= 0], minlength=3).tolist() == bin_counts(values, edges).tolist()
    )


def test_a_density_is_that_of_gaussian_kernels_and_adds_up_to_one() -> None:
    values = np.array([0.1, 0.4, 0.45, 0.9])
    at = np.linspace(-4, 5, 20001)
    found = density(values, at)
    assert found.sum() * (at[1] - at[0]) == pytest.approx(1, abs=1e-6)
    width = np.std(values, ddof=1) * 4 ** (-1 / 5)
    literal = (
        sum(
            math.exp(-(((0.3 - v) / width) ** 2) / 2) / math.sqrt(2 * math.pi) / width
            for v in values
        )
        / 4
    )
    assert density(values, np.array([0.3]))[0] == pytest.approx(literal, abs=1e-12)


def test_quartiles_lie_between_numbers() -> None:
    assert quartiles(np.array([4.0, 1, 3, 2])) == (1.75, 2.5, 3.25)


def test_classes_that_are_not_drawn_are_counted_and_their_texts_are_not() -> None:
    """The 24 texts have 15 classes, of which 12 are drawn, with 21 texts."""
    texts = tuple(replace(t, predicted=f"c{i % 15:02d}") for i, t in enumerate(FAR.texts))
    for name in ("tau-by-class", "farthest"):
        (drawn,) = (
            note
            for note in FIGURES[name].draw([replace(FAR, texts=texts)], None).notes
            if note.startswith("n = ")
        )
        assert re.findall("[0-9]+", drawn) == ["20", "1", "3"]
        few = FIGURES[name].draw([FAR], None).notes
        assert [re.findall("[0-9]+", note) for note in few if note.startswith("n = ")] == [
            ["23", "1"]
        ]
