"""Looks for the attention of a classifier: its layers, their heads, and the row that its head
reads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int

from sightline.adapters.huggingface.attention_source import AttentionSource, Kind, QueryRow
from sightline.adapters.huggingface.forward_pass import run, without_padding
from sightline.adapters.tap.decisive_rows import rows_read
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Run, calls_of, find
from sightline.adapters.validate_outputs import probe_errors
from sightline.core.errors import ModelError

LENGTHS = (7, 11)
"""The lengths of the made-up texts on which attention is looked for: two, because another axis may
match one of them."""
_OWN_INPUT = re.compile(r"decoder.*self|decoder.*layer\.0\.SelfAttention")
"""The decoder self-attention of an encoder-decoder model. It reads the text shifted by one token,
so its weights are not weights of the text."""


_UNREADABLE = (
    "if another kernel computes its attention (flash, flex), load it with "
    "attn_implementation='eager'; a softmax over attention sinks, blocks or hashes as well as "
    "tokens, or none at all, cannot be read"
)
"""What to do about a model without attention over exactly the tokens of a text."""


@dataclass(frozen=True)
class Architecture:
    """The sites of attention over the text, layer by layer, the heads of each, and the row that the
    classifier reads.

    ``skipped`` is the token that the last row never belongs to, if the classifier finds the end of a
    text by its padding token. ``valued`` says whether the values that the weights mix are visible.
    ``stacked`` says whether each layer reads only the layer before it. ``text`` is the made-up text.
    """

    sites: tuple[Site, ...]
    heads: tuple[int, ...]
    row: QueryRow
    skipped: int | None
    valued: bool
    stacked: bool
    text: Int[torch.Tensor, "B T"]

    @property
    def readings(self) -> tuple[AttentionSource, ...]:
        """Every attention source that needs no learning: each head, all heads of each layer, and
        all layers.
        """
        layers = range(len(self.sites))
        kinds: tuple[Kind, ...] = ("weights", "values", "evidence")
        heads = [
            AttentionSource(layer, head) for layer in layers for head in range(self.heads[layer])
        ]
        together = [
            AttentionSource(layer, None, kind)
            for kind in kinds
            if kind != "values" or self.valued
            for layer in layers
        ]
        return (*heads, *together, *([AttentionSource(kind="rollout")] if self.stacked else []))


def architecture_of(module: Any, ids: Sequence[int], pad: int, family: str) -> Architecture:
    """Inspect a module on made-up texts of real token ids; ``family`` is its name in errors."""
    device = module.device
    rows = [
        probe_ids(ids, count, length, device) for count, length in zip((2, 3), LENGTHS, strict=True)
    ]
    runs = [_run_of(module, text, family) for text in rows]
    every = find(module, runs)
    sites = tuple(
        site
        for site in every
        if not (module.config.is_encoder_decoder and _OWN_INPUT.search(site.part))
    )
    if not sites:
        message = f"{family}: no attention over the tokens of a text was found in it"
        raise ModelError(message, change=_UNREADABLE)
    text = rows[0]
    _check_one_softmax(module, runs[0], sites, family)
    with torch.no_grad():
        kept = run(module, text, torch.ones_like(text, dtype=torch.bool), sites=sites).kept
    heads = tuple(kept.weights[site].shape[1] for site in sites)
    long = [kept.lengths[site].shape[1:] if site in kept.lengths else () for site in sites]
    valued = long == [(count, LENGTHS[0]) for count in heads]
    stacked = not module.config.is_encoder_decoder and len(sites) == getattr(
        module.config, "num_hidden_layers", 0
    )
    row = _row(module, text, sites[-1])
    skipped = pad if row == "last" and _skips(module, text, sites[-1], pad) else None
    return Architecture(sites, heads, row, skipped, valued, stacked, text)


def _check_one_softmax(module: Any, run: Run, sites: Sequence[Site], family: str) -> None:
    """Raise an error for a layer that mixes several softmaxes, as DiffLlama's does.

    Each would be shown as a layer of its own, and replacing one would change part of a layer. A
    part that is called for each layer (ALBERT) has one softmax a call, and one part that computes
    every layer has as many as there are layers.
    """
    softmaxes = Counter(_layer_of(module, site) for site in sites)
    layers = getattr(module.config, "num_hidden_layers", None)
    if len(softmaxes) == len(sites) or (len(softmaxes) == 1 and len(sites) == layers):
        return
    calls = calls_of(module, softmaxes, run)
    several = next((part for part in softmaxes if softmaxes[part] > calls[part]), None)
    if several is None:
        return
    raise ModelError(
        f"{family}: expected one softmax over the tokens in each layer of attention, got "
        f"{softmaxes[several]} softmaxes for {calls[several]} "
        f"call{'' if calls[several] == 1 else 's'} of {several or 'the model'} ({len(sites)} in "
        f"all, for {'an unknown number of' if layers is None else layers} layers)",
        change="audit a model with one softmax a layer: no weights of a single softmax are the "
        "attention of such a layer",
    )


def _layer_of(module: Any, site: Site) -> str:
    """Name the part that makes the weights; for an ``nn.Softmax``, the part that calls it."""
    alone = isinstance(module.get_submodule(site.part), torch.nn.Softmax)
    return site.part.rpartition(".")[0] if alone else site.part


def probe_ids(
    ids: Sequence[int], count: int, length: int, device: torch.device
) -> Int[torch.Tensor, "B T"]:
    """Make texts of a given length that begin and end as real texts do."""
    inner = list(ids[1:-1]) or list(ids)
    rows = [
        [ids[0], *(inner[(i + j) % len(inner)] for j in range(length - 2)), ids[-1]]
        for i in range(count)
    ]
    return torch.tensor(rows, device=device)


def _run_of(module: Any, text: torch.Tensor, family: str) -> Run:
    def call() -> torch.Tensor:
        with probe_errors(family, text.shape[1]):
            return logits_of(module, text)

    return Run(call, *text.shape)


def logits_of(module: Any, text: Int[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B L"]:
    """The logits of texts of one length."""
    with without_padding(module):
        found: torch.Tensor = module(input_ids=text, attention_mask=torch.ones_like(text)).logits
    return found


def _skips(module: Any, text: torch.Tensor, site: Site, pad: int) -> bool:
    """Test whether a text that ends in the padding token is read at the token before."""
    ended = text.clone()
    ended[:, -1] = pad
    # A family that reads the token which ends a text refuses texts that end in another one.
    with suppress(LookupError, RuntimeError, ValueError):
        places = rows_read(module, site, len(ended), lambda: logits_of(module, ended))
        return places == (text.shape[1] - 2,)
    return False


def _row(module: Any, text: torch.Tensor, site: Site) -> QueryRow:
    """Find the rows of the last weights that the logits depend on."""
    places = rows_read(module, site, len(text), lambda: logits_of(module, text))
    if not places:
        message = "the logits do not depend on the attention of the last layer"
        raise ModelError(
            message, change="a model that answers the same whatever it reads has nothing to show"
        )
    last = text.shape[1] - 1
    if places == (0,):
        return "first"
    if places == (last,):
        return "last"
    if len(places) == 1:  # the mean of all rows would be the map of another model
        message = (
            "expected a classifier that reads the first token of a text, the last one or all, got "
            f"one that reads token {places[0] + 1} of {last + 1}"
        )
        raise ModelError(
            message,
            change="if its tokenizer ends each text with the padding token, so that the model reads "
            "the one before, give it another padding token (pad_token_id in config.json)",
        )
    return "all"
