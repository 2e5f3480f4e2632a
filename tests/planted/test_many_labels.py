"""A model with several labels whose truth is known: one label uses its attention, one does not, and
one is rare.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import typer

import sightline
from sightline._io.checksums import MANIFEST
from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.fail_on import close_gates
from sightline.core.errors import ChangedModelError, ModelError, SpecError, StoreError
from sightline.core.results import Measurement
from sightline.data.dataset import read_set
from tests.planted.many_labels import LABELS, data, functions, wrapped


@cache
def audits() -> sightline.LabelAudits:
    return sightline.audit_labels(wrapped(), data())


@cache
def used_alone() -> sightline.Audit:
    (alone,) = sightline.audit_labels(wrapped(), data(), "used").audits.values()
    return alone


def test_each_label_gets_the_verdict_that_is_true() -> None:
    found = audits()
    assert [*found.audits] == ["used", "unused"]
    assert found.audits["used"].verdict.by_class["used"].level.permits
    assert found.audits["unused"].verdict.by_class["unused"].level == "must not be shown"
    assert found.audits["unused"].verdict.level == "must not be shown"
    assert all(one.metrics["accuracy"].value > 0.9 for one in found.audits.values())


def test_a_label_that_may_be_shown_is_judged_with_wider_intervals_and_says_so() -> None:
    """Two labels are tested and one is found: 1 − .05/2."""
    found = audits()
    assert found.levels == {"used": pytest.approx(0.975), "unused": 0.95}
    wide = {one.code: one for one in found.audits["used"].findings}
    for one in used_alone().findings[:2]:
        other = wide[one.code].score
        assert one.score is not None
        assert other is not None
        assert other.value == one.score.value
        assert other.high - other.low > one.score.high - one.score.low
        assert "97.5 % interval" in other.method
    notes = [one.cards["data"]["notes"][-1] for one in found.audits.values()]
    assert ["97.5 %" in note for note in notes] == [True, False]


def test_a_label_with_too_few_positives_is_named() -> None:
    found = audits()
    assert [*found.left_out] == ["rare"]
    assert found.failed == ()
    assert found.left_out["rare"].startswith(f"too few positives: {found.predicted['rare']} of 160")
    row = found.rows[2]
    assert (row.label, row.verdict, row.predicted) == ("rare", None, found.predicted["rare"])
    assert found.predicted["rare"] < 50 < found.predicted["used"]


def test_a_single_label_door_gives_the_same_numbers() -> None:
    """The owner writes one label as a model of its own, and the view is not part of it."""
    single = wrapped(only=0)
    texts = sightline.data_from(
        [example.text for example in data().test],
        [_has(example.label, "used") for example in data().test],
        splits="all",
    )
    alone = sightline.audit(single, texts)
    viewed = audits().audits["used"]
    assert alone.verdict.level == viewed.verdict.level
    assert alone.findings[0].score is not None
    compared = 0
    for name, one in alone.measurements.items():
        if not isinstance(one, Measurement):
            continue
        other = viewed.measurements[name]
        assert isinstance(other, Measurement)
        for quantity, values in one.values.items():
            if isinstance(values, np.ndarray) and values.dtype.kind == "f":
                np.testing.assert_allclose(values, other.values[quantity], atol=1e-5, rtol=0)
                compared += 1
    assert compared > 30


def _has(number: int, label: str) -> str:
    return label if f'"{label}"' in data().label_names[number] else f"not {label}"


def test_the_logits_of_all_labels_come_from_one_run_and_are_those_of_the_views() -> None:
    model = wrapped()
    batch = model.collate(data().test[:20])
    every = model.label_logits(batch)
    assert every.shape == (20, 3)
    for number, label in enumerate(LABELS):
        view = sightline.label_view(model, label)
        trace = view.trace(batch)
        assert trace.logits.shape == (20, 1)
        torch.testing.assert_close(trace.logits[:, 0], every[:, number])
        torch.testing.assert_close(view.decode(trace, trace.attention), trace.logits)
        assert view.labels == (f"not {label}", label)
        torch.testing.assert_close(view.label_logits(batch), every)
    attention = [sightline.label_view(model, n).trace(batch).attention for n in range(2)]
    assert not torch.allclose(*attention)


def test_labels_are_chosen_by_name_and_stand_in_the_order_of_the_model() -> None:
    found = sightline.audit_labels(wrapped(), data(), ["rare", "unused"], limit=120)
    assert [*found.predicted] == ["unused", "rare"]
    assert found.texts == 120
    assert len(found.audits["unused"].texts) == 120
    with pytest.raises(SpecError, match="labels: expected labels of the model"):
        sightline.audit_labels(wrapped(), data(), ["used", "other"])
    with pytest.raises(SpecError, match="at least one label"):
        sightline.audit_labels(wrapped(), data(), [])
    with pytest.raises(ModelError, match="expected one of its labels"):
        sightline.label_view(wrapped(), "other")
    with pytest.raises(ModelError, match="from 0 to 2"):
        sightline.label_view(wrapped(), 3)


def test_a_label_whose_logits_are_no_numbers_is_named_and_spoils_no_other() -> None:
    found = sightline.audit_labels(wrapped(broken=1), data(), ["used", "unused"])
    assert [*found.audits] == ["used"]
    assert found.left_out["unused"].startswith("no finite output for 160")
    assert found.failed == ()
    ours = found.audits["used"].findings[0].score
    assert ours == used_alone().findings[0].score


def test_a_label_whose_audit_ends_with_an_error_closes_every_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = iter(audits().audits.values())

    def audited(source: object, *given: object, about: dict[str, Any], **options: object) -> Any:
        if about["label"] == "unused":
            raise ChangedModelError("gave another answer", change="make it repeatable")
        return source, next(done)

    monkeypatch.setattr("sightline.api.audit_labels.audit_source", audited)
    found = sightline.audit_labels(wrapped(), data())
    assert [*found.audits] == ["used"]
    assert (found.failed, found.left_out["unused"]) == (("unused",), "gave another answer")
    with pytest.raises(typer.Exit) as caught:
        close_gates(found, ["must-not-be-shown"])
    assert caught.value.exit_code == GATE_CLOSED
    close_gates(found, [])


def test_what_is_saved_is_read_back_and_drawn(tmp_path: Path) -> None:
    found = audits()
    read = sightline.LabelAudits.load(found.save(tmp_path / "saved"))
    assert read.rows == found.rows
    assert read.left_out == found.left_out
    page = found.to_html(tmp_path / "a page.html").read_text(encoding="utf-8")
    assert "a%20page-labels/label-001.html" in page
    assert sorted(one.name for one in (tmp_path / "a page-labels").iterdir()) == [
        "label-001.html",
        "label-002.html",
    ]
    assert read.to_json()["labels"][1]["verdict"] == "must not be shown"
    assert found.table().row_names == (("used",), ("unused",), ("rare",))
    (tmp_path / "saved" / "labels.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StoreError, match="not as it was written"):
        sightline.LabelAudits.load(tmp_path / "saved")
    (tmp_path / "saved" / MANIFEST).unlink()
    with pytest.raises(StoreError, match=MANIFEST):
        sightline.LabelAudits.load(tmp_path / "saved")
    with pytest.raises(StoreError, match="labels"):
        sightline.LabelAudits.load(tmp_path / "nothing")
    with pytest.raises(StoreError, match="does not hold the audits of several labels"):
        found.save(tmp_path / "a page-labels")


def test_a_model_with_several_labels_is_refused_where_one_decision_is_asked_for() -> None:
    with pytest.raises(ModelError, match="audit_labels"):
        sightline.audit(wrapped(), data())
    with pytest.raises(ModelError, match="expected a model with a sigmoid for each"):
        sightline.audit_labels(wrapped(only=0), data())
    with pytest.raises(ModelError, match="expected a different name for each"):
        sightline.wrap(
            torch.nn.Linear(1, 1),
            link="sigmoids",
            **dict.fromkeys(("collate", "embed", "trace"), print),
        )


def test_the_python_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).resolve().parents[2] / "docs" / "many-labels.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    rows = [
        f"{example.text},{';'.join(read_set(data().label_names[example.label]))}"
        for example in data().test
    ]
    Path("notes.csv").write_text("\n".join(["text,codes", *rows]), encoding="utf-8")
    known = {"sightline": sightline, "names": LABELS, **functions()}
    exec(compile(code, "many-labels.md", "exec"), known)
    assert audits().headline in capsys.readouterr().out
    assert known["view"].labels == ("not used", "used")
    assert Path("report-labels", "label-001.html").is_file()


def test_the_tap_reads_and_replaces_the_row_of_a_label() -> None:
    known = functions()
    tapped = sightline.tap(
        known["module"], collate=known["collate"], row=0, link="sigmoids", labels=LABELS
    )
    view, other = sightline.label_view(tapped, "used"), sightline.label_view(wrapped(), "used")
    batch = view.collate(data().test[:12])
    trace, same = view.trace(batch), other.trace(batch)
    torch.testing.assert_close(trace.attention, same.attention)
    torch.testing.assert_close(trace.logits, same.logits)
    turned = trace.attention.flip(1) * batch.mask + 1e-3 * batch.mask
    turned = turned / turned.sum(1, keepdim=True)
    expected = other.decode(same, turned)
    assert (expected - same.logits).abs().max() > 0.1
    given = turned if trace.heads is None else turned.expand_as(trace.own)
    torch.testing.assert_close(view.decode(trace, given), expected)
    torch.testing.assert_close(tapped.label_logits(batch)[:, :1], trace.logits)


def test_labels_of_texts_that_are_run_by_length_are_the_same() -> None:
    known = functions()
    alone = sightline.wrap(**known, link="sigmoids", labels=LABELS, one_length=True)
    batch = alone.collate(data().test[:12])
    torch.testing.assert_close(alone.label_logits(batch), wrapped().label_logits(batch))
    view, other = sightline.label_view(alone, 0), sightline.label_view(wrapped(), 0)
    trace, same = view.trace(batch), other.trace(batch)
    torch.testing.assert_close(trace.attention, same.attention)
    turned = batch.mask / batch.mask.sum(1, keepdim=True)
    torch.testing.assert_close(view.decode(trace, turned), other.decode(same, turned))
    assert not torch.allclose(view.decode(trace, turned), trace.logits)
