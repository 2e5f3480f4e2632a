"""``hf-causal:FOLDER(template=FILE,answers=A|B)``: a language model that is asked for the class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import eq
from pathlib import Path
from typing import Any

import torch

from sightline.adapters.huggingface.answer_tokens import answer_tokens
from sightline.adapters.huggingface.attention_source import MEAN, parse_attention_source
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.huggingface.calibration import calibrate, read_calibration_texts
from sightline.adapters.huggingface.model_folder import check_causal, check_pad
from sightline.adapters.huggingface.model_inspection import (
    SAME,
    SAMPLE,
    AskedSource,
    assembled,
    check_fast,
    check_table,
    check_tokenizer,
    claimed_length,
    embedding_rows,
    full_name,
    longest_text,
    module_and_tokenizer,
    pad_of,
)
from sightline.adapters.huggingface.pretrained_parts import (
    GGUF,
    LoadedModel,
    folder_of,
    read_gguf,
    read_whole,
    transformers_library,
)
from sightline.adapters.huggingface.prompt_files import (
    SLOT,
    PromptTemplate,
    check_answers,
    digest,
    labelled,
    parse_template,
    read_prompt_options,
    read_template,
)
from sightline.adapters.huggingface.prompt_reader import PromptReader
from sightline.adapters.huggingface.prompted_model import PromptedModel
from sightline.adapters.validate_outputs import call_user_code, probe_errors
from sightline.config.spec_syntax import HF_CAUSAL, place_and_options
from sightline.core.errors import ModelError, SpecError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise


def load_causal(spec: str, device: str = "cpu") -> HuggingFace:
    """Load a language model, its tokenizer, the template of a prompt and its answers."""
    place, options = place_and_options(spec.removeprefix(HF_CAUSAL))
    asked, source = read_prompt_options(spec, options)
    template = read_template(asked.template)
    check_answers(asked.answers)
    texts = () if asked.calibrate is None else read_calibration_texts(asked.calibrate)
    loaded = _read(spec, Path(place).expanduser())
    named = f"{Path(place).name} with {asked.template.name}"
    parts = _parts(named, loaded.tokenizer, template, chat=asked.chat)
    prompt = _prompt(template, asked.answers, texts, parts if asked.chat else None)
    made = prompted(
        loaded.module.to(device).eval(),
        loaded.tokenizer,
        template=template,
        answers=asked.answers,
        chat=asked.chat,
        calibrate_on=texts,
        name=f"{named}, {prompt}",
        **parse_attention_source(source),
    )
    return replace(made, unused=loaded.unused, class_notes=loaded.class_notes)


def _read(spec: str, place: Path) -> LoadedModel:
    """Read a language model and its tokenizer, from a folder or from a GGUF file."""
    if place.suffix == GGUF:
        return read_gguf(spec, place)
    auto = transformers_library()
    check_causal(spec, place, folder_of(place))
    # Most are saved in half precision, whose rounding is larger than what an audit measures.
    return read_whole(
        spec,
        place,
        auto.AutoModelForCausalLM,
        instead="save the whole language model, its output layer too",
        dtype=torch.float32,
    )


def prompted(
    model: Any,
    tokenizer: Any = None,
    *,
    template: str,
    answers: Mapping[Any, str] | Sequence[str],
    chat: bool = False,
    calibrate_on: Sequence[str] = (),
    reading: str = "weights",
    layer: int | None = None,
    head: int | str = MEAN,
    name: str | None = None,
) -> HuggingFace:
    """Make a causal language model an auditable classifier: a prompt asks for the class.

    The logits of the classes are the logits of their answers' tokens after the prompt. The words of
    a text are audited. The model sees the words of the template, which are never deleted or shown.

    Parameters
    ----------
    model
        A causal language model with its ``tokenizer``, or a pipeline, which has both; used as it
        is, in the mode and on the device it is in.
    template
        The prompt, with ``{text}`` once, where the text goes.
    answers
        The answer of each label, or the answers alone. Each must be one token of the tokenizer.
    chat
        Whether the chat template of the tokenizer is put around the prompt, as a message of the
        user.
    calibrate_on
        Texts without labels on which no answer should be preferred on average: a constant is added
        to the logit of each answer. None of them may be audited. ``["N/A"]`` is allowed.
    reading, layer, head
        The attention that is shown, as in `transformer`, in the row of the last token, which gives
        the answer.
    name
        What the report calls the model.
    """
    if isinstance(calibrate_on, str):
        message = "expected a list of texts, got one text; put it in a list"
        raise SpecError(message, field="calibrate_on")
    module, tokenizer = module_and_tokenizer(model, tokenizer)
    by_label = labelled(answers)
    check_answers(by_label)
    parts = _parts(name or type(module).__name__, tokenizer, template, chat=chat)
    prompt = _prompt(template, by_label, calibrate_on, parts if chat else None)
    named = name or f"{type(module).__name__}, {prompt}"
    check_fast(named, tokenizer)
    check_tokenizer(named, tokenizer)
    pad = pad_of(module, tokenizer)
    rows = embedding_rows(named, module)
    check_pad(named, pad, rows)
    check_table(named, tokenizer, rows)
    reader = PromptReader(
        tokenizer,
        None,
        pad,
        unknown=tokenizer.unk_token_id,
        rows=rows,
        template=parts,
        special=not chat,
    )
    ids = call_user_code("its tokenizer", _sample, named, reader)
    tokens = [one.token for one in answer_tokens(named, reader, by_label)]
    # Before it runs: its memory grows with the square of the prompt's length.
    _check_room(named, reader, claimed_length(module, tokenizer))
    answering = PromptedModel(module, tokens)
    with probe_errors(full_name(named, type(module).__name__), 2 * len(ids)):
        _check_same(named, module, answering, ids, tokens)
    answering.keep_prefix(_prefix(reader, ids), ids)
    bounded = _bounded(named, reader, answering, ids)
    made = assembled(
        answering,
        bounded,
        ids,
        named,
        tuple(by_label),
        AskedSource(reading, layer, head),
        family=type(module).__name__,
    )
    _check_in_sight(made)
    if calibrate_on:
        call_user_code("calibrating", calibrate, made, calibrate_on)
    return made


def _parts(name: str, tokenizer: Any, template: str, *, chat: bool) -> PromptTemplate:
    """Give what the model reads before and after a text."""
    parts = parse_template(template)
    if not chat:
        return parts
    return call_user_code("its chat template", _in_chat, name, tokenizer, template)


def _prompt(
    template: str,
    answers: Mapping[str, str],
    calibrate_on: Sequence[str],
    chat: PromptTemplate | None,
) -> str:
    """Name a prompt by its code and the number of texts it is calibrated on."""
    n = len(calibrate_on)
    more = f", calibrated on {n} text{'' if n == 1 else 's'}" if n else ""
    return f"prompt {digest(template, answers, calibrate_on, chat=chat)}{more}"


def _in_chat(name: str, tokenizer: Any, template: str) -> PromptTemplate:
    """Put the chat template around a prompt, with thinking switched off if the template has that
    setting.
    """
    if not getattr(tokenizer, "chat_template", None):
        raise ModelError(
            f"{name}: chat=true needs a chat template, which its tokenizer has not",
            change="leave chat out, and write the whole prompt into the template",
            field="model",
        )
    message = [{"role": "user", "content": template}]
    written = tokenizer.apply_chat_template(
        message, tokenize=False, add_generation_prompt=True, enable_thinking=False
    )
    return parse_template(written, f"{name}: its chat template")


def _sample(name: str, reader: PromptReader) -> list[int]:
    """Tokenise a prompt with a sample text; its last token must belong to the template."""
    ids, places = reader.tokenise(SAMPLE)
    start = len(reader.template.before) + len(SAMPLE)
    if not ids or places[-1][1] <= start:
        last = reader.tokenizer.decode(ids[-1:])
        raise ModelError(
            f"{name}: expected a prompt that ends in a token of the template behind {SLOT}, got "
            f"{last!r} at its end",
            change="end the template in words such as 'Sentiment:', and let the tokenizer add no "
            "special token behind them",
            field="model",
        )
    return list(ids)


def _check_same(
    name: str, whole: Any, answering: PromptedModel, ids: list[int], tokens: list[int]
) -> None:
    """Compare the answers' logits with the logits of the whole model, with text after the prompt: a
    causal model ignores it.
    """
    text = torch.tensor([[*ids, *ids]], device=answering.device)
    prompt = text[:, : len(ids)]
    with torch.no_grad():
        wanted = whole(input_ids=text, attention_mask=torch.ones_like(text)).logits
        found = answering(prompt, torch.ones_like(prompt)).logits[0]
    apart = (wanted[0, len(ids) - 1, tokens] - found).abs().max()
    if not bool(apart <= SAME * found.abs().max().clamp(min=1)):
        raise ModelError(
            f"{name}: expected a causal language model, got one whose logits behind a prompt "
            f"change with what follows, or with its other answers (by {float(apart):.2g})",
            change="use another model, or a classifier with hf:",
        )


def _check_in_sight(model: HuggingFace) -> None:
    """Raise an error for a layer whose window does not reach the words: all its weight is on the
    template.
    """
    if model.reading.kind != "weights":
        return
    example = Example("sample", 0, SAMPLE, tokenise(SAMPLE)[0], None, label=0)
    trace = model.trace(model.collate([example]))
    if trace.elsewhere is not None and bool((trace.elsewhere == 1).all()):
        raise ModelError(
            f"{model.name}: expected weights on the words of a text, {model.reading.description} "
            "has all on the template: its window ends there",
            change="choose another layer, or write less behind the slot",
            field="model",
        )


def _prefix(reader: PromptReader, ids: Sequence[int]) -> list[int]:
    """The tokens with which a prompt begins, whatever its text is."""
    others = (reader.tokenise(text)[0] for text in ("", "Such a day!", "1 of 2"))
    same = [all(equal) for equal in zip(*(map(eq, ids, other) for other in others), strict=False)]
    return list(ids[: same.index(False) if False in same else 0])


def _bounded(
    name: str, reader: PromptReader, answering: PromptedModel, ids: list[int]
) -> PromptReader:
    """Limit the length of prompts to the model's length, which must leave room for a text."""
    longest = call_user_code(
        "looking the model over", longest_text, answering, reader.tokenizer, ids, 0
    )
    _check_room(name, reader, longest)
    return replace(reader, longest=longest)


def _check_room(name: str, reader: PromptReader, longest: int | None) -> None:
    template = len(reader.tokenise("")[0])
    if longest is not None and template >= longest:
        raise ModelError(
            f"{name}: expected a template that leaves room for a text, got {template} tokens "
            f"where the model takes {longest}",
            change="shorten the template",
            field="model",
        )
