"""``sightline check-model``: check that a model can be audited, before the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sightline.api.check import check_model as proved
from sightline.api.check import model_folder
from sightline.api.data_source import read_label_map
from sightline.cli import flags
from sightline.cli.exit_codes import WRONG_INPUT
from sightline.cli.flag_groups import ModelTexts, grouped
from sightline.cli.output import emit, note_unsealed, say
from sightline.cli.stdout_guard import printed_aside
from sightline.report.sanitize import one_line

if TYPE_CHECKING:
    from sightline.api.check import Auditable, Proof


@grouped
def check_model(
    model: flags.TrainedModel,
    texts: ModelTexts,
    seed: flags.Seed = 0,
    as_json: flags.Json = False,
) -> None:
    """Check on a few texts that a model does what an audit relies on, and say what to change if
    not.

    Texts are read as an audit with the same flags reads them; without --data, a few English texts
    are used. Exits with 2 if a check fails; nothing is written.
    """
    source = texts.any_source
    label_map = read_label_map(texts.label_map) if texts.label_map else None
    with printed_aside():
        note_unsealed(model_folder(model))
        found, proofs = proved(model, source, seed, label_map, typed=texts.description)
    show(found, proofs, as_json)
    if any(proof.outcome == "failed" for proof in proofs):
        raise typer.Exit(WRONG_INPUT)


def show(model: Auditable, proofs: tuple[Proof, ...], as_json: bool) -> None:
    """Print every compatibility check and the conclusion."""
    failed = [proof for proof in proofs if proof.outcome == "failed"]
    if as_json:
        summary = {"model": model.name, "passed": not failed, "offers": sorted(model.offers)}
        return emit(summary | {"proofs": [proof.to_json() for proof in proofs]})
    passed = sum(proof.outcome == "passed" for proof in proofs)
    ending = f"{model.name}: " + (
        f"{len(failed)} of {len(proofs)} checks failed" if failed else "can be audited"
    )
    return say(
        [*(one_line(str(proof)) for proof in proofs), "", one_line(f"{ending}; {passed} passed")]
    )
