"""A model that passes its checks and then goes wrong: the audit ends with its name, and gives no
number of it.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.compatibility import check
from sightline.audits.audit_result import Audit
from sightline.audits.look_storage import FILE, KeptLooks
from sightline.audits.measure_pass import TextPass
from sightline.core.errors import ChangedModelError, ModelError
from sightline.core.protocols import Batch, Trace
from sightline.core.results import CANNOT_TELL
from tests.adapters.test_wrap import dataset
from tests.texts import untrained

OURS = untrained("bilstm(hidden=6)")
Change = Callable[[Trace, int], Trace]


class Changing:
    """A model that is honest for so many calls of trace, and then changes what it gives."""

    name, link, labels, origin = "Changing", "sigmoid", None, "elsewhere"
    offers = frozenset({"decode", "embedding_grad"})
    collate, embed, decode = OURS.collate, OURS.embed, OURS.decode

    def __init__(self, change: Change, honest: int) -> None:
        self.change, self.honest, self.calls = change, honest, 0

    def trace(self, batch: Batch, embeddings: torch.Tensor | None = None) -> Trace:
        self.calls += 1
        found = OURS.trace(batch, embeddings)
        return found if self.calls <= self.honest else self.change(found, self.calls)


def calls_of_checks() -> int:
    model = Changing(lambda trace, call: trace, 10**9)
    check(model, dataset().test, dataset().label_names)
    return model.calls


def audited(change: Change, more: int = 0) -> Audit:
    model = Changing(change, calls_of_checks() + more)
    return sightline.audit(model, dataset(), batch_size=4, full=True)


def bent(trace: Trace, **changes: torch.Tensor) -> Trace:
    """Change a trace as only code without the checks of these tests could."""
    found = copy(trace)
    for name, value in changes.items():
        object.__setattr__(found, name, value)
    return found


def flipped(trace: Trace, call: int) -> Trace:
    return replace(trace, logits=trace.logits * (-1) ** call)


def nothing(trace: Trace, call: int) -> Trace:
    return replace(trace, logits=trace.logits * torch.nan)


def alternately(trace: Trace, call: int) -> Trace:
    return nothing(trace, call) if call % 2 else trace


def raising(trace: Trace, call: int) -> Trace:
    raise KeyError("no such head")


def leaving(trace: Trace, call: int) -> Trace:
    raise SystemExit(3)


WRONG: dict[str, tuple[Change, str]] = {
    "attention that sums to five": (
        lambda trace, call: replace(trace, attention=5 * trace.attention),
        "sum to 5 over its words",
    ),
    "attention on padding": (
        lambda trace, call: replace(trace, attention=torch.full_like(trace.attention, 0.1)),
        "after its checks",
    ),
    "another number of logits": (
        lambda trace, call: bent(trace, logits=trace.logits.repeat(1, 3)),
        "expected logits of 2 classes, as in its checks, got 3",
    ),
    "fewer texts": (
        lambda trace, call: bent(trace, logits=trace.logits[1:]),
        "trace: logits: expected",
    ),
    "logits of another sign every other call": (
        flipped,
        "it changed during the audit, or is not deterministic",
    ),
    "no number every other call": (
        alternately,
        "it changed during the audit, or is not deterministic",
    ),
    "an error": (
        raising,
        r"Changing: trace raised KeyError: 'no such head' \(test_changing.py:\d+\)",
    ),
    "leaving": (leaving, r"Changing: trace raised SystemExit: 3 \(test_changing.py:\d+\)"),
}


@pytest.mark.parametrize("more", [0, 1, 10])
@pytest.mark.parametrize("name", WRONG)
def test_a_model_that_goes_wrong_after_its_checks_is_refused_by_name(name: str, more: int) -> None:
    change, message = WRONG[name]
    with pytest.raises(ModelError, match=message) as caught:
        audited(change, more)
    assert "Changing" in str(caught.value)


def looks(
    change: Change, after: str, monkeypatch: pytest.MonkeyPatch, kept_in: Path | None = None
) -> Audit:
    """Audit by looks a model that changes after the predictions, or after its last new trace."""
    model = Changing(change, 10**9)
    taken, ended = (getattr(TextPass, name) for name in ("advance", "ask_again"))

    def advance(self: TextPass, names: object, *rest: object) -> None:
        taken(self, names, *rest)
        if after == "predictions":
            model.honest = 0

    def ask_again(self: TextPass) -> None:
        model.honest = 0
        ended(self)

    monkeypatch.setattr(TextPass, "advance", advance)
    monkeypatch.setattr(TextPass, "ask_again", ask_again)
    return sightline.audit(model, dataset(), batch_size=2, kept_in=kept_in)


def from_the_second_batch_on(trace: Trace, call: int) -> Trace:
    """Change the answers of the two longest texts only; the first batch has the others."""
    late = trace.batch.mask.shape[1] > 6
    return replace(trace, logits=trace.logits + float(late))


@pytest.mark.parametrize("after", ["predictions", "the last new trace"])
def test_a_model_that_changes_between_kept_traces_is_refused(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert looks(lambda trace, call: trace, after, monkeypatch).measurements["outputs"]
    with pytest.raises(ModelError, match="it changed during the audit"):
        looks(from_the_second_batch_on, after, monkeypatch)


def test_looks_of_a_model_that_changed_are_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, save = list[bool](), KeptLooks.save

    def heard(self: KeptLooks, *rest: object) -> None:
        save(self, *rest)  # type: ignore[arg-type]
        saved.append((tmp_path / "kept" / FILE).exists())

    monkeypatch.setattr(KeptLooks, "save", heard)
    with pytest.raises(ChangedModelError):
        looks(from_the_second_batch_on, "the last new trace", monkeypatch, tmp_path / "kept")
    assert any(saved)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_stays_what_it_is_is_audited() -> None:
    assert audited(lambda trace, call: trace).measurements["outputs"]


def test_ctrl_c_within_a_model_is_no_fault_of_it() -> None:
    def interrupted(trace: Trace, call: int) -> Trace:
        raise KeyboardInterrupt

    for more in (0, 5):
        with pytest.raises(KeyboardInterrupt):
            audited(interrupted, more)


def test_texts_without_a_finite_output_are_counted_in_the_verdict() -> None:
    """One text, always the same one, has no output."""

    def broken(trace: Trace, call: int) -> Trace:
        odd = trace.batch.index == dataset().test[3].index
        return replace(trace, logits=trace.logits.masked_fill(odd[:, None], torch.nan))

    found = audited(broken)
    n = len(dataset().test)
    assert found.verdict.level == CANNOT_TELL
    assert f"on 1 of {n} texts" in str(found.verdict.reasons[0])
    finite = np.asarray(found.measurements["outputs"].values["finite"])  # type: ignore[union-attr]
    assert (~finite).sum() == 1
