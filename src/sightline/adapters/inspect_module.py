"""Looks for the attention over the words of any module, and for the part that looks up embeddings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice

import torch
from torch import nn

from sightline.adapters.tap.attention_row import AttentionRow, Row
from sightline.adapters.tap.decisive_rows import rows_read
from sightline.adapters.tap.embedding_lookup import embedded, tables
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Run, find, reading
from sightline.adapters.wrap import exact_recurrence
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.core.tokeniser import tokenise

SAMPLE = "the film was good and the people in it were very good"
_SIZES = ((2, 7), (3, 11))
"""The numbers of texts and words on which attention is looked for. Two runs, because another axis
may match one length by chance."""


@dataclass(frozen=True)
class TapSites:
    """The sites of attention over the text, the number of heads and rows of each, and the part that
    looks up embeddings.

    ``rows`` is None if there is a row for each token; ``read`` are the rows that the logits depend
    on.
    """

    heads: Mapping[Site, int]
    rows: Mapping[Site, int | None]
    read: Row
    table: nn.Module

    def choose(self, part: str | None, head: int | None, row: Row | None) -> AttentionRow:
        """Choose one site, head and row; an error lists what there is."""
        site = self._site(part)
        heads, rows = self.heads[site], self.rows[site]
        if head is not None and (isinstance(head, bool) or not 0 <= head < heads):
            message = f"head={head}: expected 0 to {heads - 1}, of {_named(site)}"
            raise ModelError(
                message, change="heads are counted from 0; without one their mean is shown"
            )
        return AttentionRow(
            site, 0 if heads == 1 else head, self._row(site, row, rows), by_token=rows is None
        )

    def _site(self, part: str | None) -> Site:
        there = ", ".join(_named(site) for site in self.heads)
        if part is None:
            if len(self.heads) > 1:
                message = f"there are {len(self.heads)} parts with attention over the text: {there}"
                raise ModelError(
                    message, change=f"choose one, such as part={str(list(self.heads)[-1])!r}"
                )
            return next(iter(self.heads))
        found = next((site for site in self.heads if str(site) == part), None)
        if found is None:
            raise ModelError(
                f"part={part!r}: expected a part with attention over the text",
                change=f"there is {there}",
            )
        return found

    def _row(self, site: Site, row: Row | None, rows: int | None) -> Row:
        if row is None:
            return self.read if rows is None else 0 if rows == 1 else "all"
        ends = ("first", "last", "all") if rows is None else ("all",)
        number = (
            isinstance(row, int)
            and not isinstance(row, bool)
            and row >= 0
            and (rows is None or row < rows)
        )
        if row not in ends and not number:
            known = "a number from 0" if rows is None else f"a number from 0 to {rows - 1}"
            message = f"row={row!r}: expected {', '.join(ends)} or {known}, got something else"
            raise ModelError(
                message,
                change=f"{_named(site)} has {'a row for each token' if rows is None else rows}",
            )
        return row


def look_over(
    module: nn.Module,
    collate: Callable[[Sequence[Example]], Batch],
    logits: Callable[[Batch], torch.Tensor],
    text: str,
    table: str | None,
) -> TapSites:
    """Run a module on texts of two lengths, without padding, and find the softmaxes over tokens."""
    batches = [collate(_texts(text, count, length)) for count, length in _SIZES]
    with exact_recurrence(module, batches[0].ids.device):
        runs = [Run(partial(logits, batch), *batch.ids.shape) for batch in batches]
        sites = find(module, runs)
        if not sites:
            message = (
                f"{type(module).__name__}: no softmax over the tokens of a text was found in it"
            )
            raise ModelError(
                message,
                change="let run call the module itself; weights made otherwise: sightline.wrap",
            )
        part = _table(module, batches[0], logits, table)
        seen = []
        for batch in batches:
            with torch.no_grad(), reading(module, sites, len(batch)) as kept:
                logits(batch)
            seen.append({site: kept.weights[site].shape[1:3] for site in sites})
        rows = {
            site: seen[0][site][1] if seen[0][site][1] == seen[1][site][1] else None
            for site in sites
        }
        read = _read(
            module, batches[0], logits, part, [site for site in sites if rows[site] is None]
        )
    return TapSites({site: seen[0][site][0] for site in sites}, rows, read, part)


def _texts(text: str, count: int, length: int) -> list[Example]:
    """Repeat one text, so that there is no padding however the tokenizer cuts its words."""
    words = " ".join(islice(cycle(tokenise(text)[0]), length))
    return [Example(f"{i}", i, words, *tokenise(words), label=0) for i in range(count)]


def _table(
    module: nn.Module, batch: Batch, logits: Callable[[Batch], torch.Tensor], table: str | None
) -> nn.Module:
    """Find the part that looks up embeddings, or take the one that is named."""
    found = tables(module, batch.ids, partial(logits, batch))
    if table is None and len(found) == 1:
        return next(iter(found.values()))
    if table in found:
        return found[table]
    there = ", ".join(map(repr, found)) or "none"
    message = (
        "expected one part that is asked for batch.ids alone and gives their embeddings, got "
        f"{there}"
    )
    raise ModelError(
        message, change="name one (table=), or audit the module through sightline.wrap"
    )


def _read(
    module: nn.Module,
    batch: Batch,
    logits: Callable[[Batch], torch.Tensor],
    table: nn.Module,
    sites: Sequence[Site],
) -> Row:
    """Find the row of the last token-by-token weights that the logits depend on: the gradient of
    every other row is zero.

    Made-up words may all be unknown to the module and get equal embeddings, so embeddings are drawn
    at random.
    """
    if not sites:
        return "all"
    with torch.no_grad():
        own = table(batch.ids)
    drawn = torch.randn(own.shape, generator=torch.Generator().manual_seed(0)).to(own)
    with embedded([table], batch.ids, drawn):
        places = rows_read(module, sites[-1], len(batch), partial(logits, batch))
    if not places:
        message = f"the logits do not depend on the attention of {_named(sites[-1])}"
        raise ModelError(
            message, change="a module that answers the same whatever it reads has nothing to show"
        )
    if places == (0,):
        return "first"
    return "last" if places == (batch.ids.shape[1] - 1,) else "all"


def _named(site: Site) -> str:
    return repr(str(site))
