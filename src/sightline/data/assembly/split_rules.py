"""Which texts of a corpus go into which split: by a table's columns, as published, or as a paper
did.

* `sightline.data.assembly.user_splits`, for the user's own texts: named splits are followed; else texts are divided.
* `CLEAN`, for published corpora: published splits; a text that is in two splits stays in the one it is judged by.
* `as_paper`: splits and filters of Jain & Wallace 2019, mistakes included and named; nothing is cut.
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


@dataclass(frozen=True)
class SelectedSplits:
    """What of a corpus goes into a dataset, and how that was decided."""

    splits: Sequence[str]
    """A split for each text, empty where it is left out."""
    copies: Sequence[Hashable]
    """A key for each text, the same for copies of it."""
    label_names: tuple[str, ...]
    dropped: Mapping[str, int]
    """How many texts were left out, by reason."""
    notes: Sequence[str]
    about: Mapping[str, Any] = field(default_factory=dict)
    """What else is to be known of it, by its name in the card."""
    needed: Sequence[str] = SPLITS
    """The splits that may not be left without texts."""


@dataclass(frozen=True)
class SplitRule:
    """How a corpus, and a seed, become splits."""

    choose: Callable[[Corpus, int], SelectedSplits]
    cuts: bool = True
    """Whether texts and queries are first cut to the longest length asked for."""
    min_count: int = 1
    """The least number of training texts a word must be in, whatever was asked for."""
    empty: str = "is the corpus whole?"
    """What is to be said where a split is left without texts."""


def cleanly(corpus: Corpus, seed: int) -> SelectedSplits:
    """Keep published splits; a text that is in two of them is left out of the earlier one.

    Copies have the same letters and digits (`copy_number`): published corpora have one text twice
    with other signs. Where no validation texts are published, they are 15 % of training, class by
    class, copies together. Where no splits are, texts are divided 70/15/15, and texts of a group,
    as of one patient, stay together as well.
    """
    names, keys = [text.split for text in corpus.texts], corpus.copies
    labels = [str(text.label) for text in corpus.texts]
    notes = ["published splits; texts in two of them are kept in the later one"]
    if not any(names):
        names = divide(labels, connected(keys, [text.group for text in corpus.texts]), SHARES, seed)
        how = "class by class, copies and texts of one author, patient or source together"
        notes = [f"no splits are published: divided 70/15/15 by seed {seed}, {how}"]
    elif "validation" not in names:
        names = with_validation(names, labels, keys, seed)
        notes = [
            *notes,
            f"no validation texts are published: 15 % of training, class by class, by seed {seed}",
        ]
    dropped = drop_copies(names, keys)
    return SelectedSplits(names, keys, corpus.label_names, dropped, notes)


def drop_copies(names: list[str], keys: Sequence[Hashable]) -> Counter[str]:
    """Take texts that are in two splits out of the earlier one, which they are not judged by; and
    count them.
    """
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
    """Divide and filter as the paper's code did, by its own seeds; name what one would not do
    again.
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
    """Keep ``low < n < high`` in one split, the least and the most seen standing for a bound that
    is not given.
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
