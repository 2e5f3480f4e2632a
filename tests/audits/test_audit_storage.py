"""A saved audit comes back as it was, and a write is whole or not at all."""

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline._io.atomic_write import plain, write_whole
from sightline._io.checksums import MANIFEST, seal
from sightline.audits.audit_result import Audit
from sightline.audits.audit_storage import load_results, read_arrays, save_results
from sightline.audits.look_storage import KeptLooks, Position
from sightline.audits.run import audit
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.core.errors import SpecError, StoreError
from sightline.core.results import (
    Bracket,
    Estimate,
    Failed,
    Measurement,
    NotRun,
    Ragged,
    Reason,
    Results,
)
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import build
from sightline.report.html.audit_page import render
from sightline.report.text.audit_summary import lines
from tests.edits import edited, found, put
from tests.report.audits import audit as make_audit


def same(first: Audit, second: Audit) -> None:
    """Compare two audits, arrays included."""
    assert json.dumps(plain(Results.to_json(first))) == json.dumps(plain(Results.to_json(second)))
    assert first.texts == second.texts
    assert first.verdict == second.verdict
    assert first.measurements.keys() == second.measurements.keys()
    for name, outcome in first.measurements.items():
        other = second.measurements[name]
        assert type(other) is type(outcome)
        if not isinstance(outcome, Measurement):
            assert other == outcome
            continue
        assert (other.undefined, other.whole) == (outcome.undefined, outcome.whole)
        for quantity, value in outcome.values.items():
            pairs = [(value, other.values[quantity])]
            if isinstance(value, Ragged):
                pairs = [(value.flat, pairs[0][1].flat), (value.lengths, pairs[0][1].lengths)]
            if isinstance(value, Bracket):
                pairs = [(value.low, pairs[0][1].low), (value.high, pairs[0][1].high)]
            assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs), (
                quantity
            )


def test_an_audit_round_trips(tmp_path: Path) -> None:
    made = make_audit()
    assert any(isinstance(m, Measurement) for m in made.measurements.values())
    same(made, load_results(save_results(made, tmp_path / "audit")))


def test_outcomes_that_are_not_measurements_round_trip(tmp_path: Path) -> None:
    made = make_audit()
    extra = {
        "retrained": NotRun("retrained", "needs x"),
        "broken": Failed("broken", "ValueError: y"),
    }
    kept = {name: m for name, m in made.measurements.items() if isinstance(m, Measurement)}
    made = Audit(**{**made.__dict__, "measurements": {**kept, **extra}})
    same(made, Audit.load(made.save(tmp_path / "audit")))


def test_brackets_and_numbers_of_the_whole_split_round_trip(tmp_path: Path) -> None:
    n = len(make_audit().texts)
    sides = Bracket(np.linspace(0, 1, n), np.r_[np.linspace(0.1, 1.1, n - 1), np.nan])
    kept = Measurement(
        "dispersion", {"size": sides}, whole={"nmi": Estimate(0.3, 0.2, math.nan, 2, "jackknife")}
    )
    audit = Audit(**{**make_audit().__dict__, "measurements": {"dispersion": kept}})
    again = Audit.load(audit.save(tmp_path / "audit"))
    assert math.isnan(again.measurements["dispersion"].whole["nmi"].high)
    kept = Measurement(
        "dispersion", {"size": sides}, whole={"nmi": Estimate(0.3, 0.2, 0.4, 2, "jackknife")}
    )
    audit = Audit(**{**make_audit().__dict__, "measurements": {"dispersion": kept}})
    same(audit, Audit.load(audit.save(tmp_path / "again")))


def test_what_a_model_does_not_allow_round_trips(tmp_path: Path) -> None:
    n = len(make_audit().texts)
    kept = Measurement("marks", {"words": np.ones(n)}, missing={"without": "needs decode"})
    audit = Audit(**{**make_audit().__dict__, "measurements": {"marks": kept}})
    again = Audit.load(audit.save(tmp_path / "audit"))
    assert again.measurements["marks"].missing == {"without": "needs decode"}
    assert json.loads((tmp_path / "audit" / "audit.json").read_text())["missing"] == {
        "marks.without": "needs decode"
    }
    same(audit, again)


def test_saving_again_replaces_and_refuses_a_strange_folder(tmp_path: Path) -> None:
    made = make_audit()
    save_results(made, tmp_path / "audit")
    save_results(made, tmp_path / "audit")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match="exists and is not a saved audit"):
        save_results(made, tmp_path / "other")
    assert (tmp_path / "other" / "thesis.tex").read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit", "other"]


def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")

    def interrupted(aside: Path) -> None:
        aside.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(target, interrupted)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def corrupt(whole: bytes) -> bytes:
    """Change bytes in the middle."""
    middle = len(whole) // 2
    return (
        whole[:middle] + bytes(b ^ 0xFF for b in whole[middle : middle + 60]) + whole[middle + 60 :]
    )


@pytest.mark.parametrize(
    ("damage", "content"),
    [
        ("audit.json", lambda whole: whole[:40]),
        ("audit.json", lambda whole: b"[]"),
        ("audit.json", lambda whole: b'{"schema": 4}'),
        ("texts.jsonl", lambda whole: b"{"),
        ("texts.jsonl", lambda whole: b'{"id": 1}'),
        ("arrays.npz", lambda whole: b""),
        ("arrays.npz", lambda whole: whole[:40]),
        ("arrays.npz", corrupt),
    ],
)
def test_a_torn_folder_is_an_error_that_names_it(
    tmp_path: Path, damage: str, content: Callable
) -> None:
    folder = save_results(make_audit(), tmp_path / "audit")
    put(folder / damage, content((folder / damage).read_bytes()))
    with pytest.raises(StoreError, match=f"{damage}:.* expected"):
        load_results(folder)


def test_an_audit_without_checksums_is_refused(tmp_path: Path) -> None:
    folder = save_results(make_audit(), tmp_path / "audit")
    (folder / MANIFEST).unlink()
    with pytest.raises(StoreError, match=rf"audit: has no {MANIFEST}.*; make the audit again"):
        load_results(folder)
    (folder / "audit.json").write_text("edited")
    with pytest.raises(StoreError, match=MANIFEST):
        load_results(folder)


@pytest.mark.parametrize("schema", [3, 99])
def test_another_schema_is_refused(tmp_path: Path, schema: int) -> None:
    folder = save_results(make_audit(), tmp_path / "audit")
    summary = json.loads((folder / "audit.json").read_text())
    put(folder / "audit.json", json.dumps(summary | {"schema": schema}))
    with pytest.raises(
        StoreError,
        match=rf"audit.json: schema {schema}, this version reads 4; make the audit again",
    ):
        load_results(folder)


@pytest.mark.parametrize(
    ("within", "name"),
    [
        (("verdict_detail",), "close"),
        (("verdict_detail",), "of_map"),
        (("findings", 0), "needed"),
        (("findings", 0), "comparison"),
        (("learned",), "cut_of"),
        (("learned",), "words_unseen"),
    ],
)
def test_an_audit_that_lacks_a_field_is_refused(
    real: Results, tmp_path: Path, within: tuple, name: str
) -> None:
    folder = save_results(real, tmp_path / "audit")
    summary = json.loads((folder / "audit.json").read_text())
    del found(summary, within)[name]
    put(folder / "audit.json", json.dumps(summary))
    with pytest.raises(StoreError, match=f"missing field '{name}'.*; make the audit again"):
        load_results(folder)


def test_an_audit_from_before_a_later_field_is_read(real: Results, tmp_path: Path) -> None:
    reason = Reason("too few texts (3)", too_few=3, clustered=True)
    made = replace(real, verdict=replace(real.verdict, reasons=(reason,)))
    folder = save_results(made, tmp_path / "audit")
    assert load_results(folder).verdict.reasons == (reason,)
    summary = json.loads((folder / "audit.json").read_text())
    for name in ("too_few", "clustered"):
        del summary["verdict_detail"]["reasons"][0][name]
    put(folder / "audit.json", json.dumps(summary))
    assert load_results(folder).verdict.reasons == (Reason(reason.words),)


def test_json_is_strict() -> None:
    value = plain(
        {"a": [math.nan, math.inf, np.float64(0.5), np.int64(3), np.bool_(True)], 1: (None, "x")}
    )
    assert (
        json.dumps(value, allow_nan=False) == '{"a": [null, null, 0.5, 3, true], "1": [null, "x"]}'
    )


def outcome(folder: Path) -> str:
    """Load an audit and show it everywhere, or say how it was refused."""
    try:
        found = load_results(folder)
    except StoreError as error:
        return "refused" if str(folder) in str(error) else f"refused without the file: {error}"
    assert render(found)
    assert lines(found)
    json.dumps(plain(found.to_json()), allow_nan=False)
    return "fine"


@pytest.fixture(scope="module")
def real() -> Results:
    """An audit of a model that knows nothing, with every measure that it allows."""
    data = load(parse_data("planted:needle(n=24,length=4)"), 0)
    model = parse_model("mlp(hidden=4)", embedding=4)
    return audit(build(model, Vocabulary.fit(data.train), data.label_names, 0), data)


def test_no_edit_of_the_summary_is_our_bug(real: Results, tmp_path: Path) -> None:
    folder = save_results(real, tmp_path / "audit")
    counted = Counter()
    for _, changed in edited(json.loads((folder / "audit.json").read_text()), 30):
        put(folder / "audit.json", json.dumps(changed))
        counted[outcome(folder)] += 1
    assert counted.keys() == {"refused", "fine"}
    assert counted["refused"] > 15
    assert counted["fine"] > 2


def test_no_edit_of_a_text_is_our_bug(real: Results, tmp_path: Path) -> None:
    folder = save_results(real, tmp_path / "audit")
    first, *rest = (folder / "texts.jsonl").read_text().splitlines()
    made = [json.dumps(changed) for _, changed in edited(json.loads(first), 40)]
    texts = ["\n".join([text, *rest]) for text in made]
    texts += [
        "\n".join([*rest, first]),
        "\n".join(rest),
        "\n".join([first, first, *rest]),
        first[:40],
        "",
    ]
    counted = Counter()
    for text in texts:
        put(folder / "texts.jsonl", text)
        counted[outcome(folder)] += 1
    assert counted.keys() == {"refused", "fine"}
    assert counted["refused"] > 20


NUMBERS = "agreement/tau.gradient"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda found: found.pop(NUMBERS), f"missing array {NUMBERS}, which audit.json names"),
        (
            lambda found: found.pop("outputs/attention/lengths"),
            "missing array outputs/attention/lengths",
        ),
        (
            lambda found: found.update(zebra=np.zeros(3)),
            "unknown array zebra; audit.json does not name it",
        ),
        (
            lambda found: found.update({NUMBERS: np.array(["a"] * 6)}),
            f"{NUMBERS}: expected numbers, got <U1",
        ),
        (
            lambda found: found.update({NUMBERS: np.zeros(7)}),
            rf"{NUMBERS}: expected the shape \(6,\), .* got \(7,\)",
        ),
        (
            lambda found: found.update({"outputs/attention/flat": np.zeros(3)}),
            "lengths that add up to the 3 values",
        ),
        (
            lambda found: found.update({"outputs/attention/lengths": np.array([-1, 1])}),
            "lengths that add up",
        ),
        (
            lambda found: found.update({"outputs/attention/lengths": np.zeros(6)}),
            "lengths that add up",
        ),
        (
            lambda found: found.update({NUMBERS: np.array([object()] * 6)}),
            "arrays.npz: expected arrays of numbers",
        ),
    ],
)
def test_arrays_are_those_that_the_summary_speaks_of(
    real: Results, tmp_path: Path, edit, said: str
) -> None:
    folder = save_results(real, tmp_path / "audit")
    with np.load(folder / "arrays.npz") as stored:
        found = {name: stored[name] for name in stored.files}
    edit(found)
    np.savez(folder / "arrays.npz", **found)
    seal(folder)
    with pytest.raises(StoreError, match=said):
        load_results(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("audit.json", '"low": 0.', '"low": "x", "was": 0.', r"audit.json: \w+.*: unknown field 'was'"),
        ("audit.json", '"row": ', '"row": 0.5, "was": ', r"audit.json: verdict: unknown field 'was'"),
        ("texts.jsonl", '"offsets": [[0', '"offsets": [["a"', (r"texts.jsonl:1: offsets\[0\]\[0\]: expected a " r"whole number, got 'a'")),
        ("texts.jsonl", '"offsets": [[0', '"offsets": [[99', r"texts.jsonl:1: offsets\[0\]: expected a place in a text of \d+ characters, got 99 to"),
        ("texts.jsonl", '"tokens": [', '"tokens": ["more", ', (r"texts.jsonl:1: offsets and rationale: expected " r"one for each of \d tokens")),
    ],
)  # fmt: skip
def test_what_was_edited_is_named_by_its_field(
    real: Results, tmp_path: Path, file, old, new, said
) -> None:
    folder = save_results(real, tmp_path / "audit")
    text = (folder / file).read_text()
    assert old in text
    put(folder / file, text.replace(old, new, 1))
    with pytest.raises(StoreError, match=said):
        load_results(folder)


def test_texts_that_are_not_those_of_the_arrays_are_refused(real: Results, tmp_path: Path) -> None:
    folder = save_results(real, tmp_path / "audit")
    whole = (folder / "texts.jsonl").read_text().splitlines(keepends=True)
    put(folder / "texts.jsonl", "".join(whole[1:]))
    with pytest.raises(StoreError, match="expected a row for each of 5 texts, as"):
        load_results(folder)


def test_a_folder_that_holds_audits_names_them(tmp_path: Path) -> None:
    for name in ("b", "a"):
        save_results(make_audit(), tmp_path / "demo" / name)
    with pytest.raises(StoreError, match=r"but holds .*demo/a, .*demo/b$"):
        load_results(tmp_path / "demo")
    with pytest.raises(StoreError, match=r"no audit\.json$"):
        load_results(tmp_path)


@pytest.mark.parametrize(
    ("place", "bits"),
    [(6, 0x01), (6, 0x20), (8, 0x63)],  # encrypted, patched, and an unknown compression
)
def test_damage_of_an_archive_that_zipfile_does_not_support_is_our_own_error(
    tmp_path: Path, place: int, bits: int
) -> None:
    file = tmp_path / "looks.npz"
    np.savez(file, finite=np.ones(3))
    content = bytearray(file.read_bytes())
    for head, ahead in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        content[content.index(head) + place + ahead] |= bits
    file.write_bytes(bytes(content))
    with pytest.raises(SpecError):
        read_arrays(file)


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_looks_with_a_wrong_byte_anywhere_begin_again(tmp_path: Path, write) -> None:
    file = tmp_path / "looks.npz"
    write(file, summary=np.arange(9, dtype=np.uint8), finite=np.ones(3))
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert KeptLooks(tmp_path, "key").restore(None, {}) == Position()  # type: ignore[arg-type]
