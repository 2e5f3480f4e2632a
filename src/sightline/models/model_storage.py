"""Save and load a trained classifier: weights in safetensors, everything else in JSON, no
executable code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn
from torch.overrides import TorchFunctionMode

from sightline._io.atomic_write import is_free, plain, put_back, write_whole
from sightline._io.checksums import MANIFEST, check_unchanged, seal
from sightline._io.home_folder import from_home
from sightline.config.json_reader import parse_json, read_as
from sightline.config.specs import ModelSpec, plain_values
from sightline.core.errors import ModelError, SightlineError, SpecError
from sightline.core.later_fields import LATER
from sightline.core.protocols import Auditable
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import AttentionClassifier, build
from sightline.models.external_attention import BorrowedAttention
from sightline.models.lend_attention import borrow_attention

FORMAT = 1
FILES = ("model.json", "model.safetensors", MANIFEST)
"""The files of a saved model; the first one identifies it."""
CONTROLS = "controls"
"""The entry of the record that names the control models, so that a missing one is noticed: each has
checksums of its own, and a test that needs it would be left out in silence."""
CONTROLS_FOLDER = "companions"
"""The folder inside a saved model with its control models, each saved in the same form."""


@dataclass(frozen=True)
class ModelCard:
    """The content of ``model.json``; ``training`` is the record of the training.

    ``lender`` is the card of the model that it borrows attention from; the weights of both are in
    one file.
    """

    format: int
    spec: ModelSpec
    labels: tuple[str, ...]
    vocabulary: tuple[str, ...]
    seed: int
    training: Mapping[str, Any]
    lender: ModelCard | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        if len(set(self.labels)) != len(self.labels) or len(self.labels) < 2:
            raise ValueError(
                f"labels: expected two or more, each once, got {', '.join(self.labels) or 'none'}"
            )


def weights_digest(model: Auditable) -> str:
    """Hash the weights: of a model built here in float64, so that a trained, saved or loaded one
    has the same result on any device; of a module from elsewhere its parameters as they are.

    Empty for a model without weights, such as a function from texts to probabilities.
    """
    module = model if isinstance(model, nn.Module) else getattr(model, "module", None)
    if not isinstance(module, nn.Module):
        return ""
    built_here = model.origin == "here"
    # Code from elsewhere may count its own runs in a buffer, which would make it another model.
    weights = module.state_dict() if built_here else dict(module.named_parameters())
    if not weights:
        return ""
    digest = hashlib.sha256()
    for name, tensor in sorted(weights.items()):
        digest.update(f"{name} {tuple(tensor.shape)}\n".encode())
        digest.update(_bytes_of(tensor.to("cpu", torch.float64) if built_here else tensor))
    return digest.hexdigest()[:16]


def _bytes_of(tensor: torch.Tensor) -> Any:
    """Give the bytes of a tensor, even of a type that NumPy does not have."""
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()


def save_classifier(
    model: AttentionClassifier,
    folder: str | Path,
    record: Mapping[str, Any] | None = None,
    companions: Mapping[str, AttentionClassifier] | None = None,
) -> Path:
    """Write a classifier with its control models to a folder, whole or not at all; ``record``
    describes its training.
    """
    final = from_home(folder)
    if not (is_free(final) or (final / "model.json").exists()):
        raise ModelError(f"{final}: exists and is not a saved model; name a new folder")

    about = {key: value for key, value in (record or {}).items() if key != CONTROLS}
    if companions:
        about[CONTROLS] = sorted(companions)

    def write(aside: Path) -> None:
        write_classifier(model, aside, about)
        seal(aside)
        for name, companion in (companions or {}).items():
            write_classifier(companion, aside / CONTROLS_FOLDER / name, {})
            seal(aside / CONTROLS_FOLDER / name)

    return write_whole(final, write, own_files(final, companions or {}))


def own_files(folder: Path, companions: Iterable[str] = ()) -> set[str]:
    """List the files of a saved model, including the given control models and those already in the
    folder.
    """
    names = (*companions_in(folder), *companions)
    return {*FILES, *(f"{CONTROLS_FOLDER}/{name}/{file}" for name in names for file in FILES)}


def companions_in(folder: Path) -> tuple[str, ...]:
    """List the control models saved with a model."""
    return tuple(
        sorted(card.parent.name for card in (folder / CONTROLS_FOLDER).glob(f"*/{FILES[0]}"))
    )


def write_classifier(model: AttentionClassifier, folder: Path, record: Mapping[str, Any]) -> None:
    """Write a classifier into a folder that does not exist yet."""
    folder.mkdir(parents=True)
    card = plain_values(_card_of(model, record))
    (folder / "model.json").write_text(
        json.dumps(plain(card), ensure_ascii=False),
        encoding="utf-8",
        errors="backslashreplace",  # a name of a file that is not UTF-8, as JSON escapes it
    )
    tensors = {
        name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()
    }
    # `save_file` is not used: on a full disk it raises no OSError, which would look like a failure
    # of the model.
    (folder / "model.safetensors").write_bytes(save(tensors))


def load_classifier(folder: str | Path) -> tuple[AttentionClassifier, dict[str, Any]]:
    """Read a classifier written by `save_classifier`, and the record of its training."""
    path = Path(folder)
    put_back(path)
    if (path / FILES[0]).exists():  # else it is no saved model, which is what the reader says
        check_unchanged(path, ModelError, "train the model again")
    return read_classifier(path)


def read_classifier(path: Path) -> tuple[AttentionClassifier, dict[str, Any]]:
    """Read a saved classifier after its checksums were verified."""
    card = _read_card(path / "model.json")
    try:
        # Built without memory or random weights, so a size that contradicts the file is noticed
        # before it costs anything.
        with torch.device("meta"), _Undrawn():
            model = _built(card)
    except (SightlineError, RuntimeError, OverflowError) as error:
        raise ModelError(f"{path / 'model.json'}: no such model can be built: {error}") from error
    model.load_state_dict(
        _read_weights(path / "model.safetensors", model.state_dict()), assign=True
    )
    return model.eval(), dict(card.training)


def _card_of(model: AttentionClassifier, record: Mapping[str, Any]) -> ModelCard:
    lender = model.source.lender if isinstance(model.source, BorrowedAttention) else None
    lender_card = _card_of(lender, {}) if isinstance(lender, AttentionClassifier) else None
    return ModelCard(
        FORMAT,
        model.spec,
        model.label_names,
        model.vocabulary.words,
        model.seed,
        record,
        lender_card,
    )


def _built(card: ModelCard) -> AttentionClassifier:
    """Build the model of a card, and its lender if any."""
    model = build(card.spec, Vocabulary(card.vocabulary), card.labels, card.seed)
    if card.lender is not None:
        borrow_attention(model, _built(card.lender))
    return model


class _Undrawn(TorchFunctionMode):
    """Skip random initialisation: on tensors without memory it makes torch load its compiler, which
    takes 80 MB and seconds.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Leave a tensor uninitialised."""
        given = kwargs or {}
        return given["tensor"] if func is nn.init.normal_ else func(*args, **given)


def _read_card(file: Path) -> ModelCard:
    try:
        found = parse_json(file.read_text(encoding="utf-8"), "model")
        if isinstance(found, dict) and found.get("format", FORMAT) != FORMAT:
            raise SpecError(
                f"format {found['format']!r}, this version reads {FORMAT}; train the model again"
            )
        card: ModelCard = read_as(ModelCard, found, "model")
    except (
        OSError,
        UnicodeDecodeError,
        SpecError,
        RecursionError,
    ) as error:  # an endless chain of lenders
        raise ModelError(f"{file}: expected what `sightline train` wrote: {error}") from error
    return card


def _read_weights(file: Path, wanted: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Read tensors with exactly these names, shapes and types and finite values."""
    try:
        found = load(file.read_bytes())
    except (OSError, SafetensorError) as error:
        raise ModelError(
            f"{file}: expected the weights that `sightline train` wrote: {error}"
        ) from error
    if odd := sorted(found.keys() ^ wanted.keys()):
        raise ModelError(
            f"{file}: {'unknown' if odd[0] in found else 'missing'} weights {odd[0]}; train "
            "the model again"
        )
    for name, tensor in sorted(found.items()):
        expected, got = _kind(wanted[name]), _kind(tensor)
        if expected != got:
            raise ModelError(f"{file}: {name}: expected {expected}, as model.json says, got {got}")
        if not tensor.isfinite().all():
            raise ModelError(f"{file}: {name}: expected finite numbers; train the model again")
    return found


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} of shape {tuple(tensor.shape)}"
