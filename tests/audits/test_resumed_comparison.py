"""The comparison of maps after a verdict is kept like the looks: a stopped audit finishes it, and
takes no measure twice.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sightline
from sightline._io.atomic_write import plain
from sightline.audits import measure_pass, one_look
from sightline.audits.look_storage import COMPARED, COMPLETED, FILE, KeptLooks, Position
from sightline.audits.measure_pass import TextPass
from sightline.audits.sequential import _Looking
from sightline.core.results import Measurement, Results
from sightline.measures.default_measures import default_measures
from sightline.models.alterations import alter
from tests.adapters.offering import Offering
from tests.adapters.plain import wrapped

ASKED = ("information", "input_information")
"""Measures with numbers about all texts, from what they learned."""


class StopError(Exception):
    """Ctrl-C, in a test."""


@dataclass(frozen=True)
class Case:
    """A model whose attention must not be shown, so that other maps are compared."""

    model: Any
    data: Any
    whole: Results
    """An audit in one go."""
    taken: tuple[str, ...]
    """The measures of that audit, in order."""

    def audit(self, **more: Any) -> Results:
        return audited(self.model, self.data, **more)


def audited(model: Any, data: Any, **more: Any) -> Results:
    """Audit in several looks, although the texts are few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_look, "FEW_WORDS", 0)
        return sightline.audit(model, data, **{"max_texts": 70, "seed": 0, **more})


def hear(patch: pytest.MonkeyPatch) -> list[str]:
    """Hear of each measure that is taken on a batch of texts."""
    heard, over = list[str](), measure_pass._Run.over

    def counted(run: Any, texts: Any, guarded: Any, *more: Any) -> Any:
        heard.extend(one.name for one in guarded)
        return over(run, texts, guarded, *more)

    patch.setattr(measure_pass._Run, "over", counted)
    return heard


def case_of(wrap: Callable[[Any], Any]) -> Case:
    data = sightline.load("planted:reviews(n=400,sentences=2)")
    trained = sightline.train(data, "mlp(hidden=8)+additive", companions="none", epochs=6)
    model = wrap(alter("random", trained.model, data, 0))
    with pytest.MonkeyPatch.context() as patch:
        taken = hear(patch)
        whole = audited(model, data)
    assert whole.maps
    return Case(model, data, whole, tuple(taken))


@pytest.fixture(scope="module")
def elsewhere() -> Case:
    """A model that runs each changed text by itself: some texts are compared."""
    return case_of(Offering)


@pytest.fixture(scope="module")
def ours() -> Case:
    """A model that was made here: all texts are compared."""
    return case_of(lambda model: model)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return hear(monkeypatch)


def close(one: Any, other: Any, tolerance: float = 1e-9) -> bool:
    """Compare two trees of values; words that are run in other batches move the last digits."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            close(one[key], other[key], tolerance) for key in one
        )
    if isinstance(one, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(close(*pair, tolerance) for pair in pairs)
    return one == (
        pytest.approx(other, tolerance, tolerance / 1e3) if isinstance(one, float) else other
    )


def same(one: Results, other: Results, tolerance: float = 1e-9) -> bool:
    said = [plain(each.to_json()) for each in (one, other)]
    for each in (one["spec"]["sequential"] for one in said):
        each |= {"seconds": 0.0, "needed_seconds": 0.0}
        for look in each["looks"]:
            look["seconds"] = 0.0
    assert close(*said, tolerance)
    assert one.measurements.keys() == other.measurements.keys()
    for name, found in one.measurements.items():
        if isinstance(found, Measurement):
            rest = other.measurements[name]
            assert found.values.keys() == rest.values.keys()
            assert close(
                *(plain({of: asdict(n) for of, n in each.whole.items()}) for each in (found, rest)),
                tolerance,
            )
    return True


def stopped(case: Case, monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
    """Stop an audit when all is measured and nothing is written."""

    def stop(looking: _Looking, why: str) -> None:
        raise StopError

    with monkeypatch.context() as patch:
        patch.setattr(_Looking, "_ended", stop)
        with pytest.raises(StopError):
            case.audit(**given)


def stopped_after(case: Case, file: str, monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
    """Stop an audit when the first measure is kept in a file."""
    real = KeptLooks.save

    def save(kept: KeptLooks, position: Position, texts: TextPass) -> None:
        real(kept, position, texts)
        if kept.file == file:
            raise StopError

    with monkeypatch.context() as patch:
        patch.setattr(KeptLooks, "save", save)
        with pytest.raises(StopError):
            case.audit(**given)


@pytest.mark.parametrize(
    ("whose", "files"), [("elsewhere", {COMPARED, COMPLETED}), ("ours", {COMPLETED})]
)
def test_a_comparison_that_is_finished_is_not_made_again(
    whose: str,
    files: set[str],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    taken: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = request.getfixturevalue(whose)
    stopped(case, monkeypatch, kept_in=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {FILE, *files}
    taken.clear()
    again = case.audit(kept_in=tmp_path)
    assert taken == ["outputs"]  # which texts are planned
    assert same(again, case.whole)


@pytest.mark.parametrize(("whose", "file"), [("elsewhere", COMPARED), ("ours", COMPLETED)])
def test_a_comparison_that_is_stopped_resumes_with_the_next_measure(
    whose: str,
    file: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    taken: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = request.getfixturevalue(whose)
    stopped_after(case, file, monkeypatch, kept_in=tmp_path)
    before = [*taken]
    taken.clear()
    again = case.audit(kept_in=tmp_path)
    assert taken[0] == "outputs"
    assert (*before, *taken[1:]) == case.taken
    assert len(taken) > 1
    assert same(again, case.whole)


def test_what_is_kept_of_a_comparison_counts_its_seconds_once(
    elsewhere: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(elsewhere, monkeypatch, kept_in=tmp_path)
    ends = list[float]()
    for file in (FILE, COMPARED):
        with np.load(tmp_path / file) as stored:
            arrays = {name: stored[name] for name in stored.files}
        text = arrays["summary"].tobytes().decode()
        start = text.index('"seconds": ') + len('"seconds": ')
        end = text.index(",", start)
        ends.append(1000.0 * (1 + len(ends)))
        changed = f"{text[:start]}{ends[-1]}{text[end:]}".encode()
        arrays["summary"] = np.frombuffer(changed, dtype=np.uint8)
        np.savez(tmp_path / file, **arrays)
    seconds = elsewhere.audit(kept_in=tmp_path).spec["sequential"]["seconds"]
    assert 2000.0 <= seconds < 2900.0


@pytest.mark.parametrize("damage", ["torn", "of other inputs"])
def test_a_comparison_that_does_not_fit_is_made_again(
    elsewhere: Case,
    tmp_path: Path,
    taken: list[str],
    monkeypatch: pytest.MonkeyPatch,
    damage: str,
) -> None:
    stopped(elsewhere, monkeypatch, kept_in=tmp_path)
    if damage == "torn":
        (tmp_path / COMPARED).write_bytes((tmp_path / COMPARED).read_bytes()[:-100])
    else:
        other = tmp_path / "other"
        stopped(elsewhere, monkeypatch, kept_in=other, seed=1)
        (other / COMPARED).replace(tmp_path / COMPARED)
    taken.clear()
    again = elsewhere.audit(kept_in=tmp_path)
    assert {"transplant", "erasure"} <= {*taken}
    assert "need" not in taken  # the looks were kept
    assert same(again, elsewhere.whole)


def test_a_measure_that_was_asked_for_by_name_is_not_taken_again(
    ours: Case, tmp_path: Path, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [*default_measures(), *default_measures(chosen=ASKED)[1:]]
    whole = ours.audit(measures=asked)
    assert all(isinstance(whole.measurements[name], Measurement) for name in ASKED)
    stopped(ours, monkeypatch, measures=asked, kept_in=tmp_path)
    taken.clear()
    again = ours.audit(measures=asked, kept_in=tmp_path)
    assert taken == ["outputs"]
    assert same(again, whole)


def test_a_module_in_float32_resumes_with_its_numbers_to_its_rounding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes from elsewhere keeps its precision."""
    data = sightline.load("planted:reviews(n=400,sentences=2)")
    trained = sightline.train(data, "bilstm(hidden=8)+additive", companions="none", epochs=6)
    model = wrapped(trained.model)
    case = Case(model, data, audited(model, data), ())
    stopped_after(case, FILE, monkeypatch, kept_in=tmp_path)
    assert same(case.audit(kept_in=tmp_path), case.whole, 1e-6)
    assert {weight.dtype for weight in model.module.parameters()} == {torch.float32}
