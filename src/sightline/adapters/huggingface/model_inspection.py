"""Inspects a model of transformers and its tokenizer, and assembles them for an audit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from sightline._io.limits import LENGTHENED
from sightline.adapters.huggingface.architecture_probe import (
    LENGTHS,
    Architecture,
    architecture_of,
    probe_ids,
)
from sightline.adapters.huggingface.attention_source import (
    ALL,
    MEAN,
    AttentionSource,
    choose_attention_source,
)
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.huggingface.model_folder import check_normalizer
from sightline.adapters.huggingface.prompted_model import PromptedModel
from sightline.adapters.huggingface.subword_alignment import SubwordReader
from sightline.adapters.validate_outputs import call_user_code, probe_errors
from sightline.core.errors import ModelError
from sightline.core.protocols import Link

SAMPLE = "the film was good , and the people in it were very good"
_FAR = 100_000
"""A tokenizer without a maximum length gives a number larger than this."""
_TRIED = 4096
"""Maximum lengths up to this are tried out."""
PADDING = 3
"""How many padding tokens are tried behind a text."""
SAME = 1e-4
"""Logits that differ by less, relative to the largest, are equal up to rounding."""


@dataclass(frozen=True)
class AskedSource:
    """A requested attention source, before the model is inspected."""

    reading: str = "weights"
    layer: int | None = None
    head: int | str = MEAN


def assembled(
    module: Any,
    reader: SubwordReader,
    ids: Sequence[int],
    name: str,
    labels: tuple[str, ...],
    asked: AskedSource,
    *,
    family: str,
    link: Link = "softmax",
    segments: bool = False,
    padded: bool = True,
) -> HuggingFace:
    """Inspect a module on the tokens of a sample text, and choose the attention that is shown.

    ``family`` is the kind of model in errors. ``padded`` says whether texts of several lengths may
    be padded at all; a run checks that padding changes nothing.
    """
    full = full_name(name, family)
    with probe_errors(full, LENGTHS[0]):
        found = architecture_of(module, ids, reader.pad, full)
    with probe_errors(full, len(ids) + PADDING):
        together = padded and _padding_is_inert(module, ids, reader.pad)
    chosen = _chosen(name, found, asked)
    choosing = asked.reading == ALL
    return HuggingFace(
        module, reader, found, name, segments, together, chosen, labels, link, choosing
    )


def full_name(name: str, family: str) -> str:
    """Name a model in errors, with its kind unless the name has it."""
    return f"{name}: {family}" if name and family not in name else family


def _chosen(name: str, found: Architecture, asked: AskedSource) -> AttentionSource:
    chosen = choose_attention_source(
        len(found.sites),
        min(found.heads),
        reading="weights" if asked.reading == ALL else asked.reading,
        layer=asked.layer,
        head=asked.head,
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


def check_fast(name: str, tokenizer: Any) -> None:
    """Raise an error for a tokenizer without the positions of its tokens in a text."""
    if not getattr(tokenizer, "is_fast", False):
        message = f"{name}: its tokenizer does not say where its tokens stand in the text"
        raise ModelError(
            message,
            change="use the fast tokenizer of its family; if there is none, audit another model",
            field="model",
        )


CLASSIFICATION = "text-classification"
"""The task of transformers whose pipelines answer with the classes of their model."""


def module_and_tokenizer(model: Any, tokenizer: Any) -> tuple[Any, Any]:
    """Take a model and its tokenizer, or both from a pipeline; anything else is an error."""
    module: Any = model if tokenizer is not None else getattr(model, "model", model)
    tokenizer = tokenizer if tokenizer is not None else getattr(model, "tokenizer", None)
    known = isinstance(module, torch.nn.Module) and getattr(module, "config", None) is not None
    if not known:
        message = (
            "expected a model of transformers and its tokenizer, or a pipeline, got "
            f"{type(model).__name__}"
        )
        raise ModelError(message, change="sightline.wrap takes any other module")
    task = getattr(model, "task", "") or CLASSIFICATION  # made by its class, it has none
    if task != CLASSIFICATION:  # its answers are not the classes of its model
        message = f"expected a pipeline for {CLASSIFICATION}, got one for {task}"
        raise ModelError(message, change="give its model and tokenizer, if these classify texts")
    return module, tokenizer


def check_tokenizer(name: str, tokenizer: Any) -> None:
    """Raise an error for a tokenizer that knows no word, or whose normalizer lengthens texts
    without limit.
    """
    special = {*tokenizer.get_added_vocab(), *tokenizer.all_special_tokens}
    if not any(piece not in special for piece in tokenizer.get_vocab()):
        message = (
            f"{name}: expected a tokenizer with tokens for words, got one with {len(special)} "
            "special tokens alone"
        )
        raise ModelError(
            message, change="save the tokenizer that the model was trained with next to it"
        )
    normalizer = getattr(getattr(tokenizer, "backend_tokenizer", None), "normalizer", None)
    if normalizer is not None:
        check_normalizer(name, _written(normalizer))
        longer = call_user_code("its normalizer", normalizer.normalize_str, SAMPLE)
        if len(longer) > LENGTHENED.now * len(SAMPLE):
            raise ModelError(
                f"{name}: {LENGTHENED.passed(len(longer) // len(SAMPLE))}", field="model"
            )


def embedding_rows(name: str, module: Any) -> int:
    """Count the rows of the table of embeddings; a model without one is an error.

    Deleting words and taking gradients need one embedding for each token, in one tensor.
    """
    table = _table(module)
    if table is not None:
        first = torch.zeros(1, 1, dtype=torch.long, device=table.weight.device)
        with torch.no_grad():
            found = call_user_code("its table of embeddings", table, first)
        if isinstance(found, torch.Tensor) and found.ndim == 3:
            return len(table.weight)
    raise ModelError(
        f"{name}: expected a model that looks up one embedding for each token, got "
        f"{type(module).__name__}, whose get_input_embeddings() gives no such table",
        change="audit another model, or describe this one in a module for sightline.wrap",
        field="model",
    )


def _table(module: Any) -> Any:
    """The table of embeddings if it is a module with one row of weights for each token."""
    try:
        table = module.get_input_embeddings()
    except (NotImplementedError, AttributeError):  # how transformers says that it finds none
        return None
    weight = getattr(table, "weight", None)
    rows = isinstance(weight, torch.Tensor) and weight.ndim == 2
    return table if rows and isinstance(table, torch.nn.Module) else None


def check_table(name: str, tokenizer: Any, rows: int) -> None:
    """Raise an error for a tokenizer with words that have no embedding: it belongs to another model.

    Tokens that were added to it may have none, as a padding token that nobody trains with; only a
    text that holds one is refused.
    """
    added = tokenizer.get_added_vocab()
    numbers = [(number, one) for one, number in tokenizer.get_vocab().items() if one not in added]
    last, piece = max(numbers, default=(0, ""))
    if last >= rows:
        raise ModelError(
            f"{name}: expected tokens from 0 to {rows - 1}, the rows of the model's embeddings, got "
            f"a tokenizer with more ({piece!r} is {last})",
            change="give the tokenizer that the model was trained with, or train the model after "
            "resize_token_embeddings(len(tokenizer))",
            field="model",
        )


def _written(normalizer: Any) -> Any:
    """Read the steps of a normalizer; a normalizer written in Python does not describe its steps."""
    with suppress(Exception):
        return json.loads(normalizer.__getstate__())
    return None


def pad_of(module: Any, tokenizer: Any) -> int:
    """Choose the padding token."""
    pads = (module.config.pad_token_id, tokenizer.pad_token_id, 0)
    return next(number for number in pads if number is not None)


def claimed_length(module: Any, tokenizer: Any) -> int | None:
    """The number of tokens that model and tokenizer claim to accept; None if neither has a limit."""
    limits = [getattr(module.config, "max_position_embeddings", None), tokenizer.model_max_length]
    known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < _FAR]
    return min(known, default=None)


def longest_text(module: Any, tokenizer: Any, ids: Sequence[int], pad: int) -> int | None:
    """The number of tokens that the model accepts: in some families, positions count from after the
    padding token's number.
    """
    # Not tried out where its parts say it: a position too many breaks the process on CUDA.
    limits = [claimed_length(module, tokenizer), *_positions(module)]
    claimed = min((limit for limit in limits if limit is not None), default=None)
    if claimed is None or claimed > _TRIED:
        return claimed
    text = probe_ids(ids, 1, claimed, module.device)
    with probe_errors(_own_name(module), claimed):
        try:
            with torch.no_grad():
                module(input_ids=text, attention_mask=torch.ones_like(text))
        except (IndexError, RuntimeError):
            return claimed - pad - 1
    return claimed


def _own_name(module: Any) -> str:
    """Name a module by the folder it was loaded from, if any, and by its kind."""
    folder = Path(getattr(module.config, "name_or_path", None) or "").name
    kind = module.model if isinstance(module, PromptedModel) else module
    return full_name(folder, type(kind).__name__)


def _positions(module: Any) -> list[int]:
    """The positions of each table of them that leaves out a padding token, and all before it."""
    return [
        table.num_embeddings - table.padding_idx - 1
        for name, table in module.named_modules()
        if isinstance(table, torch.nn.Embedding)
        and table.padding_idx is not None
        and "position" in name.rpartition(".")[2]
    ]


def _padding_is_inert(module: Any, ids: Sequence[int], pad: int) -> bool:
    """Test whether padding at the right changes a text's logits; some families always read the last
    place.
    """
    text = torch.tensor([list(ids)], device=module.device)
    there = torch.ones_like(text)
    padded, mask = (
        torch.nn.functional.pad(text, (0, PADDING), value=pad),
        torch.nn.functional.pad(there, (0, PADDING)),
    )
    with torch.no_grad(), suppress(ValueError, RuntimeError):
        one = module(input_ids=text, attention_mask=there).logits
        other = module(input_ids=padded, attention_mask=mask).logits
        return bool((one - other).abs().max() <= SAME * one.abs().max().clamp(min=1))
    return False
