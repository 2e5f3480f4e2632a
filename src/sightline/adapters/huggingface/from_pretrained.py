"""``hf:NAME_OR_FOLDER``: a sequence classifier that transformers can load, without any network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from sightline._io.limits import LENGTHENED
from sightline.adapters.huggingface.architecture_probe import Architecture, anatomy, made_up
from sightline.adapters.huggingface.attention_source import (
    ALL,
    MEAN,
    AttentionSource,
    choose_attention_source,
    parse_attention_source,
)
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.huggingface.model_folder import (
    CONFIG,
    check_folder,
    check_normalizer,
    check_pad,
    check_tokenizer_files,
)
from sightline.adapters.huggingface.subword_alignment import SubwordReader
from sightline.adapters.label_views import SIGMOIDS
from sightline.adapters.validate_outputs import called, is_fault
from sightline.config.spec_syntax import place_and_options
from sightline.core.errors import MissingExtra, ModelError
from sightline.core.installation import install_line
from sightline.core.protocols import Link

PREFIX = "hf:"
_WANTED = "a folder that save_pretrained wrote for the model and for its tokenizer"
_NOWHERE = "there is no such folder, and what transformers has kept of that name is not whole"
_TELLING: Mapping[str, Any] = {"output_loading_info": True, "ignore_mismatched_sizes": True}
"""Asks transformers which weights it did not find; of another shape it would say so in a printed
report alone."""
_NAMED = 4
"""Weights that an error names."""
_SAMPLE = "the film was good , and the people in it were very good"
_FAR = 100_000
"""A tokenizer that knows no greatest length says a number that no text has."""
_TRIED = 4096
"""Greatest lengths up to here are tried out."""
SAME = 1e-4
"""Logits that differ by less, relative to the largest, are the same but for rounding."""


def load_huggingface(spec: str, device: str = "cpu") -> HuggingFace:
    """Read a model and its tokenizer, ``hf:FOLDER(layer=N,head=M)``; files of a name must be here
    already.
    """
    place, reading = place_and_options(spec.removeprefix(PREFIX))
    auto, where = _transformers(), Path(place).expanduser()
    check_folder(spec, _folder_of(where))
    module, found = _loaded(spec, where, auto.AutoModelForSequenceClassification, **_TELLING)
    _refuse_drawn(spec, module, found)
    _refuse_broken(spec, module)
    tokenizer = _loaded(spec, where, auto.AutoTokenizer)
    check_tokenizer_files(spec, _folder_of(where), tokenizer)
    return transformer(
        module.to(device).eval(),
        tokenizer,
        name=Path(place).name,
        **parse_attention_source(reading),
    )


def _loaded(spec: str, place: Path, kind: Any, **options: Any) -> Any:
    """Read one part; transformers raises whatever its own libraries do where a file is broken."""
    if place.is_file():
        raise ModelError(
            f"{spec}: expected {_WANTED}, got a file",
            change="name the folder it lies in",
            field="model",
        )
    try:
        return kind.from_pretrained(
            str(place), local_files_only=True, trust_remote_code=False, **options
        )
    except MemoryError:
        raise
    except BaseException as error:
        if not is_fault(error):
            raise
        message = f"{spec}: expected {_WANTED}: {_describe(error) if place.is_dir() else _NOWHERE}"
        raise ModelError(message, change="nothing is downloaded", field="model") from error


def _folder_of(place: Path) -> Path:
    """Give the folder with the files: the place itself, or where transformers keeps those of a
    name.
    """
    if place.is_dir():
        return place
    from transformers.utils import cached_file  # noqa: PLC0415  (an extra)

    with suppress(Exception):  # what is not there is said when it is read
        return Path(cached_file(str(place), CONFIG, local_files_only=True)).parent
    return place


def _refuse_broken(spec: str, module: Any) -> None:
    """Refuse weights that are no numbers, by name: every answer of the model would be none."""
    broken = [
        name
        for name, weights in module.named_parameters()
        if not bool(torch.isfinite(weights).all())
    ]
    if broken:
        message = f"{spec}: {len(broken)} of its weights hold NaN or infinity, first {broken[0]}"
        raise ModelError(
            message,
            change="train the model again; no answer can be computed from these",
            field="model",
        )


def _describe(error: BaseException) -> str:
    if isinstance(error, UnpicklingError):  # torch would advise to load it all the same
        return "its weights are torn, or pickled with more than numbers, which is never run"
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _refuse_drawn(spec: str, module: Any, found: Mapping[str, Any]) -> None:
    """Refuse a model of which the folder lacks weights: transformers draws them, and another audit
    gets others.
    """
    drawn = sorted({*found["missing_keys"], *(name for name, *_ in found["mismatched_keys"])})
    if drawn:
        named = ", ".join(drawn[:_NAMED]) + (" …" if len(drawn) > _NAMED else "")
        message = (
            f"{spec}: {len(drawn)} of {len(module.state_dict())} weights are not in that folder, "
            "or of another shape"
        )
        raise ModelError(
            f"{message}, and would be drawn at random: {named}",
            change="save the classifier after its training; a pretrained model has none yet",
            field="model",
        )


def _transformers() -> Any:
    try:
        import transformers  # noqa: PLC0415  (an extra)
        from transformers.utils import logging  # noqa: PLC0415  (an extra)
    except ImportError as error:
        message = "models of Hugging Face are read by transformers, which is not installed"
        raise MissingExtra(f"{message}; install it: {install_line('hf')}") from error
    logging.disable_progress_bar()  # what is read is a folder, and standard error is ours
    logging.set_verbosity_error()  # what is missing there is an error here, and is told as one
    return transformers


def transformer(
    model: Any,
    tokenizer: Any = None,
    *,
    reading: str = "weights",
    layer: int | None = None,
    head: int | str = MEAN,
    name: str | None = None,
) -> HuggingFace:
    """Make a sequence classifier of Hugging Face transformers something that can be audited, and
    looked at.

    Parameters
    ----------
    model
        A classifier with its ``tokenizer``, or a pipeline, which has both; used as it is, in the
        mode and on the device it is in.
    reading
        ``weights`` as they are, ``values`` (times the length of what they mix), ``evidence`` (times
        their slope), ``rollout`` through all layers; or ``all``: an audit chooses, on half of its
        texts, and tells of the other half.
    layer, head
        Which weights are shown, counted from 0, in the row that the classifier reads: of the last
        layer where none is named, the mean of its heads. Of one head weights can be replaced as
        well, so that every question can be asked.
    name
        What the report calls the model.
    """
    module: Any = model if tokenizer is not None else getattr(model, "model", model)
    tokenizer = tokenizer if tokenizer is not None else getattr(model, "tokenizer", None)
    named = name or type(module).__name__
    known = isinstance(module, torch.nn.Module) and getattr(module, "config", None) is not None
    if not known:
        message = (
            "expected a model of transformers and its tokenizer, or a pipeline, got "
            f"{type(model).__name__}"
        )
        raise ModelError(message, change="sightline.wrap takes any other module")
    if not getattr(tokenizer, "is_fast", False):
        message = f"{named}: its tokenizer does not say where its pieces stand in the text"
        raise ModelError(
            message,
            change="use the fast tokenizer (AutoTokenizer.from_pretrained(..., use_fast=True))",
        )
    link, labels = _answers(module.config, named)
    _check_tokenizer(named, tokenizer)
    ids = called("its tokenizer", _sample, tokenizer)
    if not ids:
        message = f"{named}: expected pieces of a text, its tokenizer gave none of {_SAMPLE!r}"
        raise ModelError(message, change="give the tokenizer that the model was trained with")
    reader = called("looking the model over", _reader, module, tokenizer, ids, named)
    found = called("looking the model over", anatomy, module, ids)
    chosen = _chosen(named, found, "weights" if reading == ALL else reading, layer, head)
    segments = (
        "token_type_ids" in tokenizer.model_input_names
        and getattr(module.config, "type_vocab_size", 0) > 1
    )
    padded = module.config.pad_token_id is not None
    together = padded and called(
        "looking the model over", _padding_is_inert, module, ids, reader.pad
    )
    return HuggingFace(
        module, reader, found, named, segments, together, chosen, labels, link, reading == ALL
    )


def _chosen(
    name: str, found: Architecture, reading: str, layer: int | None, head: int | str
) -> AttentionSource:
    chosen = choose_attention_source(
        len(found.sites), min(found.heads), reading=reading, layer=layer, head=head
    )
    if chosen.kind == "rollout" and not found.stacked:
        message = (
            f"{name}: rollout runs from layer to layer, and here some layer reads something else"
        )
        raise ModelError(message, change="choose another reading")
    if chosen.kind == "values" and not found.valued:
        message = f"{name}: the values that its weights mix are not seen"
        raise ModelError(message, change="choose another reading")
    return chosen


def _answers(config: Any, name: str) -> tuple[Link, tuple[str, ...]]:
    """Read what the logits are of: classes, or several labels at once; numbers are no decision."""
    kind = getattr(config, "problem_type", None)
    several = kind == "multi_label_classification"
    if kind == "regression" or (config.num_labels < 2 and not several):
        message = f"{name}: expected one decision between classes, got {kind or 'a single number'}"
        raise ModelError(message, change="audit a classifier that gives a logit for each class")
    names = tuple(
        str(config.id2label.get(number, f"class {number}")) for number in range(config.num_labels)
    )
    if twice := next((one for one in names if names.count(one) > 1), None):
        message = (
            f"{name}: expected another name for each class, got {twice[:80]!r} for "
            f"{names.count(twice)} of them"
        )
        raise ModelError(message, change="name each class once in id2label")
    return SIGMOIDS if several else "softmax", names


def _check_tokenizer(name: str, tokenizer: Any) -> None:
    """Refuse a tokenizer that knows no word, or whose normalizer lengthens texts without end."""
    special = {*tokenizer.get_added_vocab(), *tokenizer.all_special_tokens}
    if not any(piece not in special for piece in tokenizer.get_vocab()):
        message = (
            f"{name}: expected a tokenizer with pieces of words, got one with {len(special)} "
            "special tokens alone"
        )
        raise ModelError(
            message, change="save the tokenizer that the model was trained with beside it"
        )
    normalizer = getattr(getattr(tokenizer, "backend_tokenizer", None), "normalizer", None)
    if normalizer is not None:
        check_normalizer(name, _written(normalizer))
        longer = called("its normalizer", normalizer.normalize_str, _SAMPLE)
        if len(longer) > LENGTHENED.now * len(_SAMPLE):
            raise ModelError(
                f"{name}: {LENGTHENED.passed(len(longer) // len(_SAMPLE))}", field="model"
            )


def _written(normalizer: Any) -> Any:
    """Read the steps of a normalizer; one that is written in Python says nothing of itself."""
    with suppress(Exception):
        return json.loads(normalizer.__getstate__())
    return None


def _sample(tokenizer: Any) -> list[int]:
    return list(tokenizer(_SAMPLE)["input_ids"])


def _reader(module: Any, tokenizer: Any, ids: Sequence[int], name: str) -> SubwordReader:
    pads = (module.config.pad_token_id, tokenizer.pad_token_id, 0)
    pad = next(number for number in pads if number is not None)
    check_pad(name, pad, len(module.get_input_embeddings().weight))
    longest = _longest(module, tokenizer, ids, pad)
    return SubwordReader(tokenizer, longest, pad, tokenizer.sep_token_id, tokenizer.unk_token_id)


def _longest(module: Any, tokenizer: Any, ids: Sequence[int], pad: int) -> int | None:
    """Say how many pieces the model takes: in some families positions count from behind the
    padding's number.
    """
    limits = [getattr(module.config, "max_position_embeddings", None), tokenizer.model_max_length]
    known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < _FAR]
    if not known or min(known) > _TRIED:
        return min(known, default=None)
    text = made_up(ids, 1, min(known), module.device)
    try:
        with torch.no_grad():
            module(input_ids=text, attention_mask=torch.ones_like(text))
    except (IndexError, RuntimeError):
        return min(known) - pad - 1
    return min(known)


def _padding_is_inert(module: Any, ids: Sequence[int], pad: int) -> bool:
    """Try whether a text gives the same padded at the right; some families read the last place
    whatever is there.
    """
    text = torch.tensor([list(ids)], device=module.device)
    there = torch.ones_like(text)
    padded, mask = (
        torch.nn.functional.pad(text, (0, 3), value=pad),
        torch.nn.functional.pad(there, (0, 3)),
    )
    with torch.no_grad(), suppress(ValueError, RuntimeError):
        one = module(input_ids=text, attention_mask=there).logits
        other = module(input_ids=padded, attention_mask=mask).logits
        return bool((one - other).abs().max() <= SAME * one.abs().max().clamp(min=1))
    return False
