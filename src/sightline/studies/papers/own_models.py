"""A paper's table or figure for saved audits: what it reads of its own models, read of any model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sightline.audits.audit_result import Audit
from sightline.config.measure_needs import missing_from
from sightline.config.measure_registry import BY_NAME
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import DataSpec
from sightline.core.error_excerpts import list_names
from sightline.core.errors import DataError, SpecError
from sightline.core.results import Measurement, Table, TableCell
from sightline.core.word_lists import join_words
from sightline.measures.agreement import NOT_REPORTED
from sightline.report.number_format import texts
from sightline.report.provenance import card_name
from sightline.studies.aggregate import AggregateLine, NumbersByName, RunName
from sightline.studies.papers.corpus_statistics import MOST
from sightline.studies.papers.paper_index import paper_table_named
from sightline.studies.papers.published_comparison import number_cell
from sightline.studies.papers.published_values import (
    PAPERS,
    PrintedValue,
    later_values_in,
    named_places,
    printed_values_in,
)
from sightline.studies.run_numbers import why_not_measured
from sightline.studies.study_corpora import PLACES
from sightline.studies.study_definition import Params, Study

AXES = ("data", "quantity", "model")
COLUMNS = ("number", "chance level", "seeds")
PRINTED, LATER = "as printed", "the authors’ later run"
OF_A_RUN = ("seed", "date", "kept", "command", "key", "training_key", "trainings", "sequential")
"""Entries of an audit's settings in which audits of several seeds may differ."""
HOW = (
    "number: of the texts of one audit, with its 95 % interval; of audits of one model trained under "
    "several seeds the mean, with Student’s t interval over the seeds, n: texts of the seed with "
    "the fewest; ±: standard deviation over the texts, of several seeds the mean of theirs, and of a "
    "printed number the one that is printed"
)
RANGE = "range of"
"""Part of how a number was made that has a range where others have an interval."""
Row = tuple[tuple[str, str, str], tuple[TableCell, ...]]
"""The names of a row, and its cells."""


@dataclass(frozen=True)
class OwnAudit:
    """An audit, and what messages call it."""

    place: str
    audit: Audit

    @property
    def data(self) -> str:
        """The name of its data: a corpus of the papers as they call it, other data as its card."""
        source = str(self.audit.cards.get("data", {}).get("source", ""))
        try:
            corpus = _CORPORA.get(_kind(parse_data(source)))
        except SpecError:  # texts that were passed in have a name of their own
            corpus = None
        return corpus or card_name(self.audit, "data") or "data"

    @property
    def model(self) -> str:
        """The name of its model."""
        return card_name(self.audit, "model") or "model"

    @property
    def weights(self) -> str:
        """What tells the weights of its model from others; empty where that is not known."""
        return str(self.audit.cards.get("model", {}).get("weights", ""))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a mean over seeds must not mix."""
        spec = {name: one for name, one in self.audit.spec.items() if name not in OF_A_RUN}
        return {
            **spec,
            "run": self.run,
            "digest": self.digest,
            "reading": self.audit.cards.get("model", {}).get("reading"),
        }

    @property
    def run(self) -> Mapping[str, Any]:
        """The settings of its run but for the seed; empty for a model that was trained elsewhere."""
        run = self.audit.spec.get("run", {})
        return {name: one for name, one in run.items() if name not in OF_A_RUN}

    @property
    def digest(self) -> str:
        """What tells the bytes of its data from others; empty where that is not known."""
        return str(self.audit.cards.get("data", {}).get("digest", ""))

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes of its model, in their order."""
        return tuple(self.audit.cards.get("model", {}).get("labels", ()))


def _kind(data: DataSpec) -> tuple[str, object]:
    return data.kind, None if data.part is None else data.part.options


_CORPORA = {
    _kind(parse_data(place)): corpus for corpus, places in PLACES.items() for place in places
}


def table_of_audits(name: str, own: Sequence[OwnAudit], *, average: bool = False) -> Table:
    """Read of each audit what a table or figure of a paper reads of its models. Below each number
    stands what the paper prints for the same data. With ``average`` all audits are of one model,
    trained under a seed each.
    """
    study = paper_table_named(name)
    _check(study)
    if average:
        _check_average(own)
    models = [own[0].model] * len(own) if average else _names_of(own)
    seeds = [number if average else int(one.audit.spec["seed"]) for number, one in enumerate(own)]
    read = [
        (RunName(one.data, model, seed), _numbers(study, one))
        for one, model, seed in zip(own, models, seeds, strict=True)
    ]
    data = {run.corpus for run, _ in read}
    # Lines over several corpora, as of "all eleven", are of the paper's models alone.
    lines = [line for line in study.lines(read) if line.corpus in data]
    rows = _in_order([*map(_own_row, lines), *_printed_rows(study, lines)])
    return Table(
        title=f"{PAPERS[study.paper]}, {study.place}: {study.description}",
        columns=COLUMNS,
        rows=tuple(cells for _, cells in rows),
        row_names=tuple(names for names, _ in rows),
        row_axes=AXES,
        notes=(*_notes(study, own, data), *_ranges(lines)),
    )


def _check(study: Study) -> None:
    """Refuse tables that say nothing about a single model."""
    if study.of_several:
        single = f"; {study.single} reads the same of one model" if study.single else ""
        raise SpecError(
            f"{study.id} sets models of the paper against one another, and cannot be made of "
            f"single audits{single}; sightline study makes it from its own models"
        )
    if not _measures(study):
        raise SpecError(f"{study.id} counts words of corpora, and reads no model")


def _measures(study: Study) -> list[str]:
    """Name the measures that a table reads."""
    runs = study.asked_runs(Params(corpora=study.corpora, seeds=1))
    return [*dict.fromkeys(measure for _, run in runs for measure in run.measures)]


def _names_of(own: Sequence[OwnAudit]) -> list[str]:
    """Name the model of each audit, with its place where audits of one name are not seeds of one
    model.
    """
    return [one.model if _alone(one, own) else f"{one.model} ({one.place})" for one in own]


def _check_average(own: Sequence[OwnAudit]) -> None:
    """Refuse a mean over one model, or over models, classes or data that differ."""
    if len(data := dict.fromkeys(one.data for one in own)) > 1:
        raise SpecError(f"--average: expected audits on the same data, got {' and '.join(data)}")
    first = own[0]
    for one in own[1:]:
        if differ := _apart(first, one):
            raise SpecError(
                f"--average: expected audits of one model under several seeds, got {first.place} and "
                f"{one.place}, {differ}; make a table without --average"
            )
    for number, one in enumerate(own):
        for other in own[:number]:
            if _same_model(one, other):
                raise SpecError(
                    f"--average: {other.place} and {one.place} are of the same weights; give one "
                    "audit of each trained model"
                )


def _apart(one: OwnAudit, other: OwnAudit) -> str:
    """Say in what two audits differ that a mean over seeds must not mix; empty if in nothing known.

    Models that were trained elsewhere have names of their own, as their folders have.
    """
    if one.digest and other.digest and one.digest != other.digest:
        return "whose data have other bytes"
    if one.labels != other.labels:
        return f"whose classes are {list_names(one.labels)} and {list_names(other.labels)}"
    if one.run and other.run and one.run != other.run:
        fields = (
            name for name in {**one.run, **other.run} if one.run.get(name) != other.run.get(name)
        )
        return f"whose settings differ in {join_words(sorted(fields))}"
    return ""


def _same_model(one: OwnAudit, other: OwnAudit) -> bool:
    return bool(one.weights) and one.weights == other.weights


def _alone(one: OwnAudit, own: Iterable[OwnAudit]) -> bool:
    namesakes = [
        other
        for other in own
        if other is not one and (other.data, other.model) == (one.data, one.model)
    ]
    return all(
        other.settings == one.settings
        and other.audit.spec["seed"] != one.audit.spec["seed"]
        and not _same_model(one, other)
        for other in namesakes
    )


def _numbers(study: Study, one: OwnAudit) -> NumbersByName:
    """Read an audit; one that has none of the numbers is refused, with what it lacks."""
    assert study.numbers is not None  # of every table of a paper
    try:
        found = study.numbers(one.audit)
    except DataError:  # a measure was not taken
        found = {}
    if found:
        return found
    lacking = "; ".join(_lacking(study, one.audit)) or "its measures gave no number"
    raise DataError(f"{one.place}: {study.id} finds none of its numbers there: {lacking}")


def _lacking(study: Study, audit: Audit) -> Iterator[str]:
    """Name the measures of a table that an audit has not, each with the reason."""
    for measure in _measures(study):
        offers = audit.cards.get("model", {}).get("offers")
        if offers is not None and (why := missing_from(measure, {*offers})):
            yield f"no measure {measure}: {why}"
        elif why := why_not_measured(audit, measure):
            taken = f"--full --measure {measure}" if measure in BY_NAME else "--full"
            how = (
                f" (sightline audit {taken} takes it)" if measure not in audit.measurements else ""
            )
            yield f"no measure {measure}: {why}{how}"


def _own_row(line: AggregateLine) -> Row:
    chance = line.found.baseline
    cells = (
        replace(number_cell(line.found.value), sd=line.found.sd),
        TableCell("") if chance is None else number_cell(chance),
        TableCell(line.seeds),
    )
    return (line.corpus, line.quantity, line.model), cells


def _printed_rows(study: Study, lines: Sequence[AggregateLine]) -> Iterator[Row]:
    """Give what the paper prints of these quantities on the same data, and a later run of it."""
    ours = {(line.corpus, line.quantity) for line in lines}
    printed = ((PRINTED, one) for one in printed_values_in(study.id))
    later = ((LATER, one) for one in later_values_in(study.id))
    for how, one in (*printed, *later):
        if (one.corpus, one.quantity) in ours:
            yield _printed_row(one, how)


def _printed_row(one: PrintedValue, how: str) -> Row:
    cells = (TableCell(one.value, sd=one.sd), TableCell(""), TableCell(""))
    return (one.corpus, one.quantity, f"{one.model}, {how}"), cells


def _in_order(rows: Sequence[Row]) -> list[Row]:
    """Group rows by data and quantity, in the order in which these first occur."""
    groups = list(dict.fromkeys(names[:2] for names, _ in rows))
    return sorted(rows, key=lambda row: groups.index(row[0][:2]))


def _notes(study: Study, own: Sequence[OwnAudit], data: Iterable[str]) -> Iterator[str]:
    yield HOW
    for one in own:
        yield from (f"{one.place}: {note}" for note in _notes_on(study, one))
    printed = (one for one in printed_values_in(study.id) if one.corpus in data)
    if places := named_places(study.paper, printed):
        yield f"{PRINTED}: {places}"
    if study.figures:
        yield f"sightline figure draws it: {', '.join(study.figures)}"
    yield from study.notes


def _ranges(lines: Iterable[AggregateLine]) -> Iterator[str]:
    """Name the numbers in whose brackets no interval stands."""
    for line in lines:
        if RANGE in (method := line.found.value.method):
            yield f"{line.quantity}, {line.model}: in brackets stands no interval ({method})"


def _trained(audit: Audit) -> Iterator[str]:
    """Say how a model was trained that was trained for the audit."""
    if how := audit.spec.get("trainings", {}).get("model"):
        ended = "" if how["converged"] else ", not converged"
        start = audit.cards["data"].get("vectors", {}).get("file", "")
        words = f"word vectors ({start})" if start else "random words"
        yield f"its training began with {words}; epoch {how['kept']} of {how['epochs']} was kept{ended}"


def _notes_on(study: Study, one: OwnAudit) -> Iterator[str]:
    """Say what was audited, which number each class has, and what the audit lacks."""
    audit, card = one.audit, one.audit.cards.get("model", {})
    of = f" of {audit.to_test_on:,}" if audit.to_test_on > len(audit.texts) else ""
    yield ", ".join(
        filter(None, [one.model, card.get("reading"), f"{texts(len(audit.texts))}{of}"])
    )
    yield from _trained(audit)
    if len(names := card["labels"]) <= MOST:
        yield ", ".join(f"class {number} is {name}" for number, name in enumerate(names))
    yield from _lacking(study, audit)
    taken = (audit.measurements.get(measure) for measure in _measures(study))
    if any(NOT_REPORTED in one.missing.values() for one in taken if isinstance(one, Measurement)):
        yield "an audit without --full, which leaves numbers out, chance levels among them"
    if one.data in PLACES and audit.cards["data"].get("recipe") != "paper":
        yield "its texts are not chosen as in the papers; --recipe paper does that"
