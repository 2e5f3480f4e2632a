"""``hf:NAME_OR_FOLDER``: loads a sequence classifier of transformers without any network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from sightline.adapters.huggingface.attention_source import MEAN, parse_attention_source
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.huggingface.model_folder import (
    check_adapter,
    check_kind,
    check_pad,
    is_causal,
)
from sightline.adapters.huggingface.model_inspection import (
    SAMPLE,
    AskedSource,
    assembled,
    check_fast,
    check_table,
    check_tokenizer,
    embedding_rows,
    longest_text,
    module_and_tokenizer,
    pad_of,
)
from sightline.adapters.huggingface.pretrained_parts import (
    GGUF,
    folder_of,
    read_whole,
    transformers_library,
)
from sightline.adapters.huggingface.subword_alignment import SubwordReader
from sightline.adapters.label_views import SIGMOIDS
from sightline.adapters.validate_outputs import call_user_code
from sightline.config.spec_syntax import HF, place_and_options
from sightline.core.errors import ModelError
from sightline.core.protocols import Link

_BY_PROMPT = (
    "a language model is asked for the class by a prompt: "
    "hf-causal:FOLDER(template=FILE,answers=A|B)"
)


def load_huggingface(spec: str, device: str = "cpu") -> HuggingFace:
    """Load a model and its tokenizer, ``hf:FOLDER(layer=N,head=M)``; the files of a name must be
    cached already.
    """
    place, reading = place_and_options(spec.removeprefix(HF))
    auto, where = transformers_library(), Path(place).expanduser()
    if where.suffix == GGUF:
        change = _BY_PROMPT.replace("FOLDER", place)
        raise ModelError(
            f"{spec}: expected a folder with a classifier, got a GGUF file",
            change=change,
            field="model",
        )
    folder = folder_of(where)
    instead = _BY_PROMPT if is_causal(folder) else ""
    kind = auto.AutoModelForSequenceClassification
    # In half precision, rounding is larger than what an audit measures.
    check_adapter(spec, folder)
    loaded = read_whole(spec, where, kind, instead=instead, dtype=torch.float32)
    check_kind(spec, folder)  # after missing weights, whose error says more
    # It is not trained: without gradients of weights, graphs keep less memory.
    made = transformer(
        loaded.module.to(device).eval().requires_grad_(False),
        loaded.tokenizer,
        name=Path(place).name,
        **parse_attention_source(reading),
    )
    return replace(made, unused=loaded.unused, class_notes=loaded.class_notes)


def transformer(
    model: Any,
    tokenizer: Any = None,
    *,
    reading: str = "weights",
    layer: int | None = None,
    head: int | str = MEAN,
    name: str | None = None,
) -> HuggingFace:
    """Make a sequence classifier of Hugging Face transformers auditable.

    Parameters
    ----------
    model
        A classifier with its ``tokenizer``, or a pipeline, which has both; used as it is, in the
        mode and on the device it is in.
    reading
        ``weights`` as they are, ``values`` (times the length of what they mix), ``evidence`` (times
        their slope), ``rollout`` through all layers; or ``all``: the audit chooses a source on a
        few of its texts, and audits it on the others.
    layer, head
        The layer and head whose weights are shown, counted from 0, in the row that the classifier
        reads. The default is the last layer, and the mean of its heads. The weights that are shown
        can be replaced, so tests that need other weights run.
    name
        What the report calls the model.
    """
    module, tokenizer = module_and_tokenizer(model, tokenizer)
    named = name or type(module).__name__
    if len(blocks := getattr(module.config, "block_sizes", None) or ()) > 1:  # Funnel
        raise ModelError(
            f"{named}: expected layers that all read the tokens of a text, got {len(blocks)} blocks "
            f"of layers (block_sizes={list(blocks)}), of which all but the first read pooled tokens",
            change="audit a classifier whose layers keep every token, or a Funnel of one block",
        )
    if getattr(module.config, "attention_type", None) == "block_sparse":
        raise ModelError(  # before anything runs: a short text would turn it off for good
            f"{named}: expected attention over all tokens, got attention_type='block_sparse'",
            change="set attention_type='original_full'",
        )
    check_fast(named, tokenizer)
    link, labels = _answers(module.config, named)
    if module is not model:
        _check_function(named, model, link)
    check_tokenizer(named, tokenizer)
    ids = call_user_code("its tokenizer", _sample, tokenizer)
    if not ids:
        message = f"{named}: expected tokens of a text, its tokenizer gave none of {SAMPLE!r}"
        raise ModelError(message, change="give the tokenizer that the model was trained with")
    pad, rows = pad_of(module, tokenizer), embedding_rows(named, module)
    check_pad(named, pad, rows)
    check_table(named, tokenizer, rows)
    reader = call_user_code("looking the model over", _reader, module, tokenizer, ids, pad, rows)
    segments = (
        "token_type_ids" in tokenizer.model_input_names
        and getattr(module.config, "type_vocab_size", 0) > 1
    )
    padded = module.config.pad_token_id is not None
    asked = AskedSource(reading, layer, head)
    return assembled(
        module,
        reader,
        ids,
        named,
        labels,
        asked,
        family=type(module).__name__,
        link=link,
        segments=segments,
        padded=padded,
    )


def _answers(config: Any, name: str) -> tuple[Link, tuple[str, ...]]:
    """Read from the configuration whether the logits are of classes or of several labels; a
    regression is an error.
    """
    kind = getattr(config, "problem_type", None)
    several = kind == "multi_label_classification"
    if kind == "regression" or (config.num_labels < 2 and not several):
        message = f"{name}: expected one decision between classes, got {kind or 'a single number'}"
        raise ModelError(message, change="audit a classifier that gives a logit for each class")
    known, numbers = config.id2label, range(config.num_labels)
    if {*known} != {*numbers} or not all(isinstance(one, str) and one for one in known.values()):
        message = f"{name}: expected id2label to name the classes 0 to {len(numbers) - 1}"
        raise ModelError(f"{message}, got {known!r:.120}", change="name each class in config.json")
    names = tuple(known[number] for number in numbers)
    if twice := next((one for one in names if names.count(one) > 1), None):
        message = (
            f"{name}: expected another name for each class, got {twice[:80]!r} for "
            f"{names.count(twice)} of them"
        )
        raise ModelError(message, change="name each class once in id2label")
    return SIGMOIDS if several else "softmax", names


def _check_function(name: str, pipeline: Any, link: Link) -> None:
    """Raise an error for a pipeline that makes other scores of the logits than an audit does."""
    asked = getattr(pipeline, "_postprocess_params", {}).get("function_to_apply")
    wanted = "sigmoid" if link == SIGMOIDS else "softmax"
    function = wanted if asked is None else str(getattr(asked, "value", asked))
    if function != wanted:
        several = (
            "; if each class has a sigmoid of its own, set problem_type to "
            "'multi_label_classification' in the configuration of its model"
        )
        raise ModelError(
            f"{name}: expected a pipeline that makes probabilities of its logits by a {wanted}, got "
            f"function_to_apply={function!r}",
            change="give the pipeline without function_to_apply"
            + (several if function == "sigmoid" else ""),
        )


def _sample(tokenizer: Any) -> list[int]:
    return list(tokenizer(SAMPLE)["input_ids"])


def _reader(module: Any, tokenizer: Any, ids: Sequence[int], pad: int, rows: int) -> SubwordReader:
    longest = longest_text(module, tokenizer, ids, pad)
    return SubwordReader(
        tokenizer, longest, pad, tokenizer.sep_token_id, tokenizer.unk_token_id, rows
    )
