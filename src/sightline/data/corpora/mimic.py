"""MIMIC-III (Johnson et al. 2016): discharge summaries of hospital admissions, labelled by their
diagnoses.

``NOTEEVENTS.csv`` and ``DIAGNOSES_ICD.csv``, from the user's own copy. A text is one admission: its
summary, then the addenda.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.jain_wallace_cleaning import (
    OUR_WORDS,
    as_published,
    drawn_by_class,
    general,
)
from sightline.data.corpora.mimic_diagnoses import (
    ANEMIA,
    DIABETES,
    DIABETES_OF_PAPERS,
    DIAGNOSES,
    LISTS,
    Admissions,
    DiagnosisTask,
    read_admissions,
    read_lists,
)
from sightline.data.corpora.mimic_notes import (
    NOTEEVENTS,
    OFFICIAL_NOTES,
    Note,
    Summaries,
    read_summaries,
)
from sightline.data.readers.archives import FileFilter

TASKS: Mapping[tuple[str, Recipe], DiagnosisTask] = {
    ("anemia", "clean"): ANEMIA,
    ("anemia", "paper"): ANEMIA,
    ("diabetes", "clean"): DIABETES,
    ("diabetes", "paper"): DIABETES_OF_PAPERS,
}
PUBLISHED = {"notes": OFFICIAL_NOTES, "discharge summaries": 59_652, "diagnoses": 651_047}
HIDDEN, HIDDEN_OF_PAPERS = "___", "<de>"
"""Replaces a de-identified name, date or place: as in MIMIC-IV, and as in the papers."""
NO_WORDS, NO_SUMMARY = "no words in the text", "listed admission without a summary"
_HIDDEN = re.compile(r"\[\*\*[^\[\]]*\*\*\]")
_LINE_TO_FILL = re.compile(r"_+")
_RULE = re.compile(r"([^\w\s])(?:\s*\1)+")


def wanted(options: Mapping[str, Any]) -> FileFilter:
    """Select the files to read; the lists of CAML belong to the papers' recipe and are read
    elsewhere.
    """
    return lambda name: any(one.search(name) for one in (DIAGNOSES, NOTEEVENTS, LISTS))


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read the diagnoses, then the notes as a stream; texts are ordered by patient and admission."""
    task = TASKS[options["task"], recipe]
    admissions = read_admissions(path, task)
    listed = read_lists(path, admissions.patients) if task is DIABETES_OF_PAPERS else None
    summaries = read_summaries(path, admissions, listed)
    dropped = summaries.dropped.copy()
    if listed is not None:
        dropped[NO_SUMMARY] = len(listed.keys() - summaries.of.keys())
    texts = list(_texts(summaries, admissions, listed or {}, recipe))
    kept = tuple(text for text in texts if text.tokens)
    dropped[NO_WORDS] = len(texts) - len(kept)
    found = {**summaries.found, "diagnoses": admissions.found}
    return Corpus(kept, task.labels, found, PUBLISHED, dropped)


def _texts(
    summaries: Summaries, admissions: Admissions, listed: Mapping[int, str], recipe: Recipe
) -> Iterator[Text]:
    """Make a text of each admission, freeing its notes."""
    cutter = WordCutter()
    for patient, stay in sorted((admissions.patients[stay], stay) for stay in summaries.of):
        notes = sorted(summaries.of.pop(stay), key=_order)
        label, split = admissions.outcomes[stay], listed.get(stay, "")
        assert isinstance(label, int)  # other admissions were dropped
        cut = _words("\n".join(note.text for note in notes), recipe, cutter)
        yield Text(
            f"mimic/{stay}",
            split,
            label,
            *cut,
            summaries.shown,
            notes[0].line,
            group=sys.intern(f"patient {patient}"),
        )


def _order(note: Note) -> tuple[bool, str]:
    return note.addendum, note.date


def _words(text: str, recipe: Recipe, cutter: WordCutter) -> tuple[str, tuple[str, ...], Any]:
    """Tokenise a text; the clean recipe stores no offsets, because `tokenise` can find them again."""
    if recipe == "paper":
        return cutter.join(paper_words(text))
    plain = without_hidden(text, HIDDEN)
    return plain, cutter.shared(tokenise(plain)[0], ())[0], None


def without_hidden(text: str, instead: str) -> str:
    """Replace each ``[**…**]`` by one word, and a run of the same sign, such as a ruled line, by
    one sign.
    """
    return _RULE.sub(r"\1", _HIDDEN.sub(f" {instead} ", _LINE_TO_FILL.sub("_", text)))


def paper_words(text: str) -> list[str]:
    """Tokenise as the papers' code did: lower case, with one placeholder for words with a digit."""
    return [
        HIDDEN_OF_PAPERS if word == HIDDEN else word
        for word in general(without_hidden(text, HIDDEN))
    ]


_HOW = ("what was taken out to hide who it is about is one word", OUR_WORDS)
FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=None,
    tasks={
        "diabetes": PaperRecipe(
            min_count=5,
            divide=as_published,
            lengths=(6, 4000),
            quirks=(
                "the admissions of CAML's lists, and no others",
                "positive is the code 250.00 alone: diabetes of other kinds counts as none",
                *_HOW,
            ),
        ),
        "anemia": PaperRecipe(
            min_count=5,
            divide=drawn_by_class({"test": (0.2, 12939), "validation": (0.15, 13448)}),
            lengths=(None, 4000),
            quirks=(
                "admissions are drawn and not patients: a patient may be in two splits",
                (
                    "the shortest text of each split is dropped, because the shortest length "
                    "seen is itself the bound"
                ),
                "which admissions are drawn differs from the published draw",
                *_HOW,
            ),
        ),
    },
    largest=None,
    kept=False,  # readers have signed an agreement, so no hidden copy is cached
)
