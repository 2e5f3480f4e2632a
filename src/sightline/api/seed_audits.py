"""The audits of one command, from one seed or several, with their summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.audits.audit_storage import save_results
from sightline.audits.label_storage import folders_of, holds_labels
from sightline.core.results import Results
from sightline.experiments.multi_seed import load_several, members, save_several, seeds_in
from sightline.report.sentences import headline

if TYPE_CHECKING:
    from sightline.audits.label_audits import LabelAudits
    from sightline.verdict.seed_summary import SeedSummary


@dataclass(frozen=True)
class Audits:
    """Audits by seed; the first is shown in full."""

    by_seed: Mapping[int, Results]
    together: bool = False
    """Whether the summary over seeds is shown; it needs several seeds."""

    @property
    def first(self) -> Results:
        """The audit that is shown in full."""
        return next(iter(self.by_seed.values()))

    @cached_property
    def across(self) -> SeedSummary | None:
        """The summary over seeds, computed once; None for a single audit."""
        from sightline.verdict.seed_summary import summarise_seeds  # noqa: PLC0415  (scipy)

        return summarise_seeds(self.by_seed) if self.together else None

    @property
    def headline(self) -> str:
        """The verdict in a sentence, over all seeds if there are several."""
        from sightline.report.multi_seed_summary import summary_sentence  # noqa: PLC0415  (the statistics that it is made of)

        return (
            headline(self.first.verdict) if self.across is None else summary_sentence(self.across)
        )

    def redacted(self, *, texts: bool = True, ids: bool = True) -> Audits:
        """Give the audits as they are shown without texts or ids."""
        from sightline.report.redact import redacted  # noqa: PLC0415  (as late as it is needed)

        if texts and ids:
            return self  # with its summary
        shown = {seed: redacted(one, texts=texts, ids=ids) for seed, one in self.by_seed.items()}
        return replace(self, by_seed=shown)

    def save(self, folder: Path) -> None:
        """Write the audits to a folder, all of them or nothing."""
        if self.together:
            save_several(self.by_seed, folder)
        else:
            save_results(self.first, folder)

    def to_html(self, out: Path, *, texts: bool = True, ids: bool = True, title: str = "") -> None:
        """Write the report of the first seed, with the summary over seeds."""
        from sightline.report.html.audit_page import write_page  # noqa: PLC0415  (jinja2)

        write_page(self.first, out, texts=texts, ids=ids, seeds=self.across, title=title)

    def card(self, ending: str) -> str:
        """Return the card as text, ``.md`` or ``.html``."""
        from sightline.report.card import card  # noqa: PLC0415  (as late as it is needed)
        from sightline.report.card_text import CARDS  # noqa: PLC0415  (as late as it is needed)

        return CARDS[ending](card(self.first, self.across))

    def hub_card(self) -> str:
        """Return the card as a section of a Hugging Face model card, with its metadata block."""
        from sightline.report.text.hub_card import hub_card  # noqa: PLC0415  (as late as it is needed)

        return hub_card(self.first, self.across)

    def to_json(self) -> dict[str, Any]:
        """Return the first audit as plain JSON values, with the summary over seeds."""
        found = self.first.to_json()
        if self.across is None:
            return found
        head = f"{self.headline}; seed {self.across.seeds[0]}: {headline(self.first.verdict)}"
        return found | {"headline": head, "seeds": self.across.to_json()}


def load_audits(folder: Path) -> tuple[Audits | LabelAudits, list[Path]]:
    """Read a saved audit, or those of several seeds or labels, and return their folders too."""
    if holds_labels(folder):
        from sightline.audits.label_audits import LabelAudits  # noqa: PLC0415  (jinja2)

        found = LabelAudits.load(folder)
        return found, [folder / place for place in folders_of(found.audits).values()]
    from sightline.experiments.audit_lookup import read_place  # noqa: PLC0415  (as late as it is needed)

    if seeds_in(folder):
        return Audits(load_several(folder), together=True), members(folder)
    return Audits({0: read_place(folder)}), [folder]
