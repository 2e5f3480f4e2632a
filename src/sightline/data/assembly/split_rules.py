"""Rules that assign the texts of a corpus to splits: by a table's columns, as published, or as in a
paper.

* `sightline.data.assembly.user_splits`, for the user's own texts: follow named splits, else divide
the texts. * `CLEAN`, for published corpora: published splits; a text in two splits stays in the
later one, which is evaluated. * `as_paper`: splits and filters of Jain & Wallace 2019, including
its mistakes, which are noted; nothing is truncated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import PaperRecipe
from sightline.data.dataset import SPLITS
from sightline.data.splits import SHARES, connected, divide, with_validation

UNPUBLISHED = "no splits are published: divided"
"""The beginning of a note if a corpus comes without splits, and its texts are divided."""


@dataclass(frozen=True)
class SelectedSplits:
    """The selected texts of a corpus by split, and how they were selected."""

    splits: Sequence[str]
    """The split of each text; empty if it is left out."""
    copies: Sequence[Hashable]
    """A key for each text, equal for copies."""
    label_names: tuple[str, ...]
    dropped: Mapping[str, int]
    """The number of texts left out, by reason."""
    notes: Sequence[str]
    about: Mapping[str, Any] = field(default_factory=dict)
    """Additional entries of the card, by name."""
    needed: Sequence[str] = SPLITS
    """The splits that must not be empty."""


@dataclass(frozen=True)
class SplitRule:
    """How a corpus is divided into splits, given a seed."""

    choose: Callable[[Corpus, int], SelectedSplits]
    cuts: bool = True
    """Whether texts and queries are first truncated to the requested length."""
    min_count: int = 1
    """Lower bound on ``min_count``, whatever the spec says."""
    empty: str = "is the corpus whole?"
    """The advice if a split is empty."""


def cleanly(corpus: Corpus, seed: int) -> SelectedSplits:
    """Keep published splits; a text in two splits is left out of the earlier one.

    Copies have the same letters and digits (`copy_number`): published corpora repeat texts with
    other punctuation. Without published validation texts, 15 % of training become validation, class
    by class, with copies together. Without published splits, texts are divided 70/15/15, and a
    group, such as one patient, stays together too.
    """
    names, keys = [text.split for text in corpus.texts], corpus.copies
    labels = [str(text.label) for text in corpus.texts]
    notes = ["published splits; texts in two of them are kept in the later one"]
    if not any(names):
        names = divide(labels, connected(keys, [text.group for text in corpus.texts]), SHARES, seed)
        how = "class by class, copies and texts of one author, patient or source together"
        notes = [f"{UNPUBLISHED} 70/15/15 by seed {seed}, {how}"]
    elif "validation" not in names:
        names = with_validation(names, labels, keys, seed)
        notes = [
            *notes,
            f"no validation texts are published: 15 % of training, class by class, by seed {seed}",
        ]
    dropped = drop_copies(names, keys)
    return SelectedSplits(names, keys, corpus.label_names, dropped, notes)


def drop_copies(names: list[str], keys: Sequence[Hashable]) -> Counter[str]:
    """Remove texts that are in two splits from the earlier one, and count them."""
    later, dropped = set[Hashable](), Counter[str]()
    for split in reversed(SPLITS):
        here = [place for place, name in enumerate(names) if name == split]
        for place in here:
            if keys[place] in later:
                names[place] = ""
                dropped[f"in {split} and in a later split"] += 1
        later.update(keys[place] for place in here)
    return dropped


def by_paper(recipe: PaperRecipe, corpus: Corpus, seed: int) -> SelectedSplits:
    """Split and filter as the paper's code did, with its seeds; note the steps that we would not
    repeat.
    """
    names, dropped = recipe.divide(corpus.texts), Counter[str]()
    dropped["not drawn, or too long to be drawn from"] = names.count("")
    if recipe.lengths is not None:
        for split in SPLITS:
            _filter(corpus.texts, names, split, recipe.lengths, dropped)
    notes = ["splits and filters of Jain & Wallace 2019; texts are never cut"]
    kept = {
        "kept_as_published": {str(number): quirk for number, quirk in enumerate(recipe.quirks, 1)}
    }
    return SelectedSplits(
        names, corpus.copies, corpus.label_names, dropped, notes, kept if recipe.quirks else {}
    )


def _filter(
    texts: Sequence[Text],
    names: list[str],
    split: str,
    lengths: tuple[int | None, int | None],
    dropped: Counter[str],
) -> None:
    """Keep texts with ``low < n < high`` words in one split; a missing bound is the least or
    largest length seen.
    """
    inside = {place: len(texts[place].tokens) for place, name in enumerate(names) if name == split}
    low, high = lengths
    low = min(inside.values(), default=0) if low is None else low
    high = max(inside.values(), default=0) if high is None else high
    for place, n in inside.items():
        if not low < n < high:
            names[place] = ""
            dropped[f"not between {low} and {high} words in {split}"] += 1


CLEAN = SplitRule(cleanly)


def as_paper(recipe: PaperRecipe) -> SplitRule:
    """Give the rule of a paper's recipe."""
    return SplitRule(partial(by_paper, recipe), cuts=False, min_count=recipe.min_count)
