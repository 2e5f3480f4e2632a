"""``sightline check-model``: prove that a model can be audited, before it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sightline.api.check import check_model as proved
from sightline.api.check import model_folder
from sightline.api.data_source import read_label_map, read_source
from sightline.cli import flags
from sightline.cli.exit_codes import WRONG_INPUT
from sightline.cli.output import emit, note_unsealed, say
from sightline.cli.stdout_guard import printed_aside
from sightline.core.errors import SpecError
from sightline.report.sanitize import one_line

if TYPE_CHECKING:
    from sightline.api.check import Auditable, Proof


def check_model(
    model: flags.TrainedModel,
    data: flags.DataOrTexts = None,
    text: flags.Text = "text",
    label: flags.Label = "label",
    split: flags.Split = "split",
    query: flags.Query = "",
    label_map: flags.LabelMap = None,
    max_tokens: flags.MaxTokens = 512,
    seed: flags.Seed = 0,
    as_json: flags.Json = False,
) -> None:
    """Prove on a few texts that a model does what an audit relies on, and say what to change where
    it does not.

    Exits with 2 where a proof fails; nothing is written.
    """
    columns = {"text": text, "label": label, "split": split, "query": query}
    source = None if data is None else read_source(data, **columns, max_tokens=max_tokens)
    if label_map and source is None:
        raise SpecError("maps labels of data; name them with --data, too", field="label_map")
    with printed_aside():
        note_unsealed(model_folder(model))
        found, proofs = proved(
            model, source, seed, read_label_map(label_map) if label_map else None
        )
    show(found, proofs, as_json)
    if any(proof.outcome == "failed" for proof in proofs):
        raise typer.Exit(WRONG_INPUT)


def show(model: Auditable, proofs: tuple[Proof, ...], as_json: bool) -> None:
    """Print every proof, and what comes of them."""
    failed = [proof for proof in proofs if proof.outcome == "failed"]
    if as_json:
        summary = {"model": model.name, "passed": not failed, "offers": sorted(model.offers)}
        return emit(summary | {"proofs": [proof.to_json() for proof in proofs]})
    passed = sum(proof.outcome == "passed" for proof in proofs)
    ending = f"{model.name}: " + (
        f"{len(failed)} of {len(proofs)} proofs fail" if failed else "can be audited"
    )
    return say(
        [*(one_line(str(proof)) for proof in proofs), "", one_line(f"{ending}; {passed} passed")]
    )
