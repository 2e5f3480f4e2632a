"""An audit in a few lines to paste elsewhere: what was audited, the verdict, the numbers, and how
to repeat it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sightline.core.audited_map import ATTENTION
from sightline.core.results import Finding, Results
from sightline.report import advice, audited_map_notes, transfer_summary
from sightline.report.accuracy_sentences import TITLE as MODEL
from sightline.report.accuracy_sentences import accuracy_notes, learning
from sightline.report.alternative_maps import MapFamily, families
from sightline.report.attention_source_notes import QUESTION as WHICH_READING
from sightline.report.attention_source_notes import said_of_source
from sightline.report.caption import caption
from sightline.report.caption import title as caption_title
from sightline.report.data_notes import TITLE, noted
from sightline.report.methods_paragraph import methods, works
from sightline.report.number_format import plainly, texts
from sightline.report.provenance import card_name, command
from sightline.report.sentences import caveats, caveats_title, headline, opened

if TYPE_CHECKING:
    from sightline.report.multi_seed_summary import SeedRow
    from sightline.verdict.seed_summary import SeedSummary

HEAD = ("test", "result", "score")


@dataclass(frozen=True)
class Card:
    """A card: a title, facts by name, sentences under titles, one row a test, the methods and their
    references.
    """

    title: str
    facts: Mapping[str, str]
    lists: Mapping[str, tuple[str, ...]]
    rows: tuple[tuple[str, ...], ...] = ()
    command: str = ""
    methods: str = ""
    works: tuple[str, ...] = ()


def card(audit: Results, seeds: SeedSummary | None = None) -> Card:
    """Make the card of an audit, without any of its texts. With ``seeds``, the summary over all
    seeds comes first.
    """
    said, those = _of_seeds(seeds)
    blocked, may_be_shown = advice.first_of_all(audit), advice.shown_maps_advice(audit)
    moved = (
        () if blocked else tuple(_carried(family) for family in families(audit.maps, audit.verdict))
    )
    learned = (
        ()
        if audit.learned is None
        else (*learning(audit.learned, audit.verdict.reasons), *accuracy_notes(audit.learned))
    )
    to_paste = tuple(caption(audit))
    held = tuple(one for one in caveats(audit.verdict) if one not in to_paste)
    lists = {
        **those,
        caption_title(audit): to_paste,
        "Which map may be shown": () if blocked else (*may_be_shown, *moved),
        caveats_title(audit.verdict): held,
        MODEL: tuple(learned),
        WHICH_READING: tuple(filter(None, [said_of_source(audit)])),
        "Which map is this?": tuple(audited_map_notes.noted(audit)),
        TITLE: tuple(noted(audit)),
    }
    return Card(
        title=f"{_kind(audit)}: {_name(audit, 'model')}",
        facts={name: value for name, value in (said | _facts(audit)).items() if value},
        lists={name: sentences for name, sentences in lists.items() if sentences},
        rows=tuple(_row(one) for one in audit.findings if one.bears),
        command=command(audit.spec),
        methods=methods(audit, 1 if seeds is None else len(seeds.seeds)),
        works=tuple(works(audit)),
    )


def _kind(audit: Results) -> str:
    noun = audit.verdict.of_map
    return "Attention audit" if noun == ATTENTION else f"Audit of {noun}"


def _of_seeds(seeds: SeedSummary | None) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Give the summary over all seeds as a fact, and a list of the seeds and of means over them."""
    if seeds is None:
        return {}, {}
    from sightline.report.multi_seed_summary import TITLE, ends, notes, rows, summary_sentence  # noqa: PLC0415  (scipy, for several seeds alone)

    means = (_mean(row) for row in rows(seeds) if row.mean)
    return {TITLE: summary_sentence(seeds)}, {TITLE: (*ends(seeds), *notes(seeds), *means)}


def _mean(row: SeedRow) -> str:
    named = f"{opened(row.claim)} ({row.name})" if row.claim else opened(row.name)
    return f"{named}: {'; '.join(filter(None, (row.mean, row.answers)))}"


def _facts(audit: Results) -> dict[str, str]:
    versions = audit.environment.get("versions")
    return {
        "Verdict": opened(headline(audit.verdict)),
        transfer_summary.TITLE: " ".join(transfer_summary.transfer_sentences(audit)),
        "Data": f"{_name(audit, 'data')}, {texts(len(audit.texts))}",
        "Seed": str(audit.spec.get("seed", "")),
        "Date": _date(audit.spec),
        "Run": "" if "command" in audit.spec else str(audit.spec.get("key", "")),
        "Made by": f"sightline {versions.get('sightline', '')}"
        if isinstance(versions, Mapping)
        else "",
    }


def _date(spec: Mapping[str, Any]) -> str:
    """Say when the audit was made, or when it was kept in a store, because a store has no dates."""
    kept = spec.get("kept")
    return str(spec.get("date") or (f"kept in a store on {kept}" if kept else ""))


def _name(audit: Results, part: str) -> str:
    return card_name(audit, part) or str(audit.spec.get(part) or "unnamed")


def _carried(family: MapFamily) -> str:
    parts = (
        f"{opened(family.title)}: {family.answer}.",
        family.best,
        family.compared_with_attention,
    )
    return " ".join(filter(None, parts))


def _row(finding: Finding) -> tuple[str, str, str]:
    score = "—" if finding.score is None else plainly(finding.score)
    return finding.title, finding.result, score
