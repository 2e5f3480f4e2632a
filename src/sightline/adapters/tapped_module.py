"""A PyTorch module used as a whole: its attention is found, read and replaced where its softmax is
computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import nn

from sightline.adapters.inspect_module import SAMPLE, look_over
from sightline.adapters.label_views import LabelViews, of_label
from sightline.adapters.length_groups import by_length, in_order
from sightline.adapters.shared_pieces import with_own_tokens
from sightline.adapters.tap.attention_row import AttentionRow, Row
from sightline.adapters.tap.embedding_lookup import embedded
from sightline.adapters.tap.tap import reading
from sightline.adapters.validate_outputs import batch_of, call_user_code, tensor
from sightline.adapters.wrap import Collate, checked_answers, device_of, exact_recurrence
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch, Capability, Link, Origin, Trace
from sightline.numerics.projections import renormalise

Run = Callable[[Batch], object]
"""Runs the module on a batch and gives its logits, or an object with an attribute of that name."""


@dataclass(frozen=True)
class ShownRow:
    """The record of one run: the logits, the row of attention, and all rows of which it is the
    mean, special tokens included.
    """

    logits: Float[torch.Tensor, "B L"]
    row: Float[torch.Tensor, "B T"]
    own: Float[torch.Tensor, "*N B T"]


@dataclass(frozen=True, eq=False)
class TappedModule(LabelViews):
    """A module behind the interface of an audit, used as a whole; make one with `tap`.

    Tokens that belong to no word keep their weight. What is shown and replaced is the share of each
    word in the rest.
    """

    module: nn.Module
    calls: tuple[Collate, Run]
    table: nn.Module
    choice: AttentionRow
    link: Link
    name: str
    labels: tuple[str, ...] | None = None
    one_length: bool = False
    """Whether texts are run one length at a time, without padding."""

    def _all_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        with torch.no_grad(), exact_recurrence(self.module, self.device):
            found = logits_of(call_user_code("run", self.calls[1], batch), batch)
        return tensor(
            "run: logits", found, (len(batch), self.width or len(self.labels or ())), found.device
        )

    @property
    def origin(self) -> Origin:
        """Elsewhere: checks must show that the tap reads and replaces the weights that the module
        uses.
        """
        return "elsewhere"

    @property
    def offers(self) -> frozenset[Capability]:
        """Gradients, and other weights: in one row of one head, or in all rows of the shown mean at
        once.
        """
        return frozenset({"embedding_grad", "decode"})

    @property
    def device(self) -> torch.device:
        """The device of the module."""
        return device_of(self.module)

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn texts into a padded batch on the module's device."""
        return batch_of(self.calls[0], examples, self.device)

    def seen(self, example: Example) -> Example:
        """Leave out words that share their only subword with the word before."""
        return call_user_code("collate", with_own_tokens, self.calls[0], example)

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of a batch."""
        with torch.no_grad():
            vectors = call_user_code("the table of embeddings", self.table, batch.ids)
        return tensor(
            "the table of embeddings", vectors, (*batch.ids.shape, None), batch.ids.device
        )

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the module and read the shown weights; detached, unless embeddings are given."""
        if embeddings is None:
            with torch.no_grad():
                shown = self._run(batch, None)
            start = self.embed(batch)
        else:
            shown, start = self._run(batch, embeddings), embeddings
        special = batch.mask & ~batch.attendable
        elsewhere = (shown.row * special).sum(1) if special.any() else None
        attention = renormalise(shown.row, batch.attendable)
        heads = None if self.choice.one else renormalise(shown.own, batch.attendable)
        return Trace(
            batch,
            start,
            attention,
            shown.logits,
            elsewhere=elsewhere,
            heads=heads,
            in_sight=self.choice.in_sight(shown.own, batch.attendable),
            inside=shown,
        )

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "*N B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Run the module again with other weights on the words; other tokens keep their weight in
        each head.
        """
        if not isinstance(trace.inside, ShownRow):
            message = f"{self.name}: expected a trace of its own to decode, got another model's"
            raise ModelError(message, change="trace the batch again")
        rows = self.choice.replaced(trace.inside.own.detach(), attention, trace.batch.attendable)
        with torch.set_grad_enabled(
            torch.is_grad_enabled() and (rows.requires_grad or trace.embeddings.requires_grad)
        ):
            return self._run(trace.batch, trace.embeddings, rows).logits

    def _run(
        self,
        batch: Batch,
        embeddings: torch.Tensor | None,
        rows: Float[torch.Tensor, "*N B T"] | None = None,
    ) -> ShownRow:
        if not self.one_length:
            return self._run_together(batch, embeddings, rows)
        found, places = list[ShownRow](), list[torch.Tensor]()
        for at, texts in by_length(batch):
            width = texts.ids.shape[1]
            start = None if embeddings is None else embeddings[at, :width]
            given = None if rows is None else rows[..., at, :width]
            found.append(self._run_together(texts, start, given))
            places.append(at)
        wide = [self.choice.widened(one.own, batch.ids.shape[1]) for one in found]
        back = torch.cat(places).argsort()
        return ShownRow(
            in_order([one.logits for one in found], places),
            in_order([one.row for one in found], places, batch.ids.shape[1]),
            torch.cat(wide, dim=-2)[..., back, :],
        )

    def _run_together(
        self,
        batch: Batch,
        embeddings: torch.Tensor | None,
        rows: Float[torch.Tensor, "*N B T"] | None,
    ) -> ShownRow:
        site = self.choice.site
        changes = {} if rows is None else {site: self.choice.put(rows, batch.mask)}
        with (
            exact_recurrence(self.module, self.device),
            embedded([self.table], batch.ids, embeddings),
            reading(self.module, [site], len(batch), changes) as kept,
        ):
            found = logits_of(call_user_code("run", self.calls[1], batch), batch)
        logits = of_label(
            tensor("run: logits", found, (len(batch), self.width), found.device), self.label
        )
        if site not in kept.weights:
            message = f"run: the weights of {str(site)!r} were not made this time"
            raise ModelError(
                message, change="let run call the module itself, whatever is in the batch"
            )
        # A module may remove the weight on padding after the softmax (AllenNLP); if it does not, the
        # checks notice.
        used, mask = kept.weights[site], batch.mask
        own = renormalise(self.choice.rows(used, mask), mask)
        return ShownRow(
            logits, own if self.choice.one else renormalise(self.choice.read(used, mask), mask), own
        )


def logits_of(returned: object, batch: Batch) -> Float[torch.Tensor, "B L"]:
    """Take the logits from a module's output: a tensor, or an object that has them by name."""
    found = (
        returned.get("logits")
        if isinstance(returned, Mapping)
        else getattr(returned, "logits", returned)
    )
    return tensor("run: logits", found, (len(batch), None), batch.ids.device)


def tap(
    module: nn.Module,
    *,
    collate: Collate,
    run: Run | None = None,
    part: str | None = None,
    head: int | None = None,
    row: Row | None = None,
    table: str | None = None,
    link: str = "softmax",
    labels: Sequence[str] | None = None,
    name: str | None = None,
    text: str = SAMPLE,
    one_length: bool = False,
) -> TappedModule:
    """Make a module auditable without splitting it: its attention is found automatically.

    While the module runs, every softmax over the tokens of a text is seen and can be changed. The
    module's own code stays unchanged. Use `wrap` for what the tap cannot see; `wrap` also allows
    more measures for an affine decoder.

    Parameters
    ----------
    module
        The trained module, in evaluation mode.
    collate
        Texts to ``(ids, mask)``, one token for each of ``example.tokens``, True on real
        tokens; or to a `Batch`.
    run
        A batch to logits, ``B L``, or to what has them as ``logits``, by calling the module.
        Without it the module is called as ``module(batch.ids, batch.mask)``.
    part
        The part that makes the weights, if there are several; without it, an error lists them.
    head
        The head that is shown, counted from 0; without it the mean of all heads is shown, and all
        are replaced at once.
    row
        The row that reads the text, if there are several: ``first``, ``last`` (without padding),
        ``all`` (their mean is shown, and all are replaced at once) or a number. The default is
        the row that the logits depend on.
    table
        The part that looks up embeddings, if there are several.
    link
        ``sigmoid`` for one logit of the second of two classes, ``softmax`` for a logit a class,
        ``sigmoids`` for a logit and a sigmoid for each of several labels.
    labels
        The names of the classes, or of the several labels, in the order of the logits; without
        them, the order of the data's labels is assumed.
    text
        Words that the module knows, used to look for its attention.
    one_length
        Run texts of one length at a time, without padding: for a module that ignores the mask.
    """
    known, names = checked_answers(link, labels)

    def whole(batch: Batch) -> Any:
        return module(batch.ids, batch.mask)

    used = run or whole

    def batches(examples: Sequence[Example]) -> Batch:
        return batch_of(collate, examples, device_of(module))

    def logits(batch: Batch) -> torch.Tensor:
        return logits_of(call_user_code("run", used, batch), batch)

    found = look_over(module, batches, logits, text, table)
    choice = found.choose(part, head, row)
    return TappedModule(
        module,
        (collate, used),
        found.table,
        choice,
        known,
        name or type(module).__name__,
        names,
        one_length,
    )
