"""``sightline check-model``: prove that a model can be audited, before it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from sightline.api.data import read_source
from sightline.api.model_source import ELSEWHERE, saved_folder
from sightline.cli import flags
from sightline.cli.aside import printed_aside
from sightline.cli.output import emit, note_unsealed, say
from sightline.errors import SpecError
from sightline.report.visible import one_line
from sightline.spec.label_map import read_label_map
from sightline.spec.values import DataSpec

if TYPE_CHECKING:
    from sightline.adapters.conformance import Proof
    from sightline.example import Example
    from sightline.types import Auditable

FAILED = 2


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
    """Prove on a few texts that a model does what an audit relies on, and say what to change where it does not.

    Exits with 2 where a proof fails; nothing is written.
    """
    from sightline.adapters.conformance import check  # noqa: PLC0415  (torch)
    from sightline.adapters.sight import seen_of  # noqa: PLC0415  (torch)

    source = None
    if data is not None:
        source = read_source(data, text=text, label=label, split=split, query=query, max_tokens=max_tokens)
    if label_map and source is None:
        raise SpecError("maps labels of data; name them with --data, too", field="label_map")
    with printed_aside():
        found = read_model(model)
        examples, labels = read_texts(found, source, seed, read_label_map(label_map) if label_map else {})
        proofs = check(found, seen_of(found, examples), labels)
    show(found, proofs, as_json)
    if any(proof.outcome == "failed" for proof in proofs):
        raise typer.Exit(FAILED)


def read_model(model: str) -> Auditable:
    """Build or read a model."""
    if model.startswith(ELSEWHERE):
        from sightline.adapters.elsewhere import load_elsewhere  # noqa: PLC0415  (torch)
        from sightline.experiments.device import pick_device  # noqa: PLC0415  (torch)

        return load_elsewhere(model, pick_device("auto"))
    folder = saved_folder(model)
    if folder is None:
        raise SpecError(
            f"{model}: expected py:package.module:factory, hf:FOLDER or the folder of a saved model, got a spec, which "
            "every built-in model passes; name yours"
        )
    from sightline.models.checkpoint import load_classifier  # noqa: PLC0415  (torch)

    note_unsealed(folder)
    return load_classifier(folder)[0]


def read_texts(
    model: Auditable, source: DataSpec | None, seed: int, label_map: Mapping[str, str] | None = None
) -> tuple[tuple[Example, ...], tuple[str, ...] | None]:
    """Read the test texts of the data, or those of training where they are alone; make some where there are no data."""
    from sightline.adapters.factory import texts_known_to, texts_without_data  # noqa: PLC0415  (torch)
    from sightline.adapters.labels import numbered_for_model  # noqa: PLC0415  (torch)
    from sightline.data.loading import load  # noqa: PLC0415  (as late as it is needed)
    from sightline.models.classifier import AttentionClassifier  # noqa: PLC0415  (torch)

    if source is None:
        if not isinstance(model, AttentionClassifier):
            return texts_known_to(model), model.labels
        return texts_without_data(model.vocabulary.words, queries=model.reads_queries), model.labels
    dataset = numbered_for_model(load(source, seed, training=False, seen=frozenset()), model, label_map)
    return dataset.test or dataset.train, dataset.label_names


def show(model: Auditable, proofs: tuple[Proof, ...], as_json: bool) -> None:
    """Print every proof, and what comes of them."""
    failed = [proof for proof in proofs if proof.outcome == "failed"]
    if as_json:
        told = {"model": model.name, "passed": not failed, "offers": sorted(model.offers)}
        return emit(told | {"proofs": [proof.to_json() for proof in proofs]})
    passed = sum(proof.outcome == "passed" for proof in proofs)
    ending = f"{model.name}: " + (f"{len(failed)} of {len(proofs)} proofs fail" if failed else "can be audited")
    return say([*(one_line(str(proof)) for proof in proofs), "", one_line(f"{ending}; {passed} passed")])
