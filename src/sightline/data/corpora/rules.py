"""Which texts of a corpus go into which split: by a table's columns, as published, or as a paper did.

* `BY_COLUMNS`, for tables: a split column is followed; without one, texts are divided by the seed.
* `CLEAN`, for published corpora: published splits; a text that is in two splits stays in the one it is judged by.
* `as_paper`: splits and filters of Jain & Wallace 2019, mistakes included and named; nothing is cut.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sightline.data.corpora.corpus import Corpus, Text
from sightline.data.corpora.format import PaperRecipe
from sightline.data.corpora.table import shortened
from sightline.data.dataset import SPLITS
from sightline.data.sources.showing import listed
from sightline.data.splitting import SHARES, distinct, divide, with_validation
from sightline.errors import DataError

NOT_IN_TRAINING = "label not in training"
_NUMBER = re.compile(r"[-+]?[0-9]{1,300}(\.[0-9]+)?")


@dataclass(frozen=True)
class Chosen:
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


@dataclass(frozen=True)
class Rule:
    """How a corpus, and a seed, become splits."""

    choose: Callable[[Corpus, int], Chosen]
    cuts: bool = True
    """Whether texts and queries are first cut to the longest length asked for."""
    min_count: int = 1
    """The least number of training texts a word must be in, whatever was asked for."""
    empty: str = "is the corpus whole?"
    """What is to be said where a split is left without texts."""


def by_columns(corpus: Corpus, seed: int) -> Chosen:
    """Follow the split column, or divide; labels are those of training, sorted by name, or by value if all are numbers.

    Copies have the same words and the same query: what a model reads. (Letters alone would call texts copies that a
    user wrote apart on purpose, such as "good!" and "good?".)
    """
    file, labels = corpus.texts[0].file, [corpus.label_names[text.label] for text in corpus.texts]
    copies = [text.tokens if text.query is None else (text.tokens, text.query) for text in corpus.texts]
    names, note = _by_column(file, corpus.texts, labels, copies, seed)
    known = sorted_labels({label for label, name in zip(labels, names, strict=True) if name == "train"})
    if len(known) < 2:
        raise DataError(f"expected at least two labels in training, got only {shortened(known[0])}", file)
    unseen = Counter(label for label in labels if label not in set(known))
    splits = ["" if label in unseen else name for label, name in zip(labels, names, strict=True)]
    about = {"labels_not_in_training": dict(sorted(unseen.items()))}
    return Chosen(splits, copies, known, {NOT_IN_TRAINING: unseen.total()}, [note], about)


def _by_column(
    file: str, texts: Sequence[Text], labels: Sequence[str], copies: Sequence[Hashable], seed: int
) -> tuple[list[str], str]:
    """Name the split of each text, and say in a note how that was decided."""
    if not texts[0].split:
        _check_divisible(file, labels, copies)
        note = f"no split column: divided 70/15/15 by seed {seed}, class by class, copies of a text together"
        return divide(labels, copies, SHARES, seed), note
    names = [text.split for text in texts]
    for needed in ("train", "test"):
        if needed not in names:
            raise DataError(f"no text is in {needed}; name some, or leave the split column out", file)
    _check_overlap(file, texts)
    if "validation" in names:
        return names, "splits as the split column names them"
    note = f"no validation texts named: 15 % of training, class by class, by seed {seed}"
    return with_validation(names, labels, copies, seed), note


def _check_divisible(file: str, labels: Sequence[str], copies: Sequence[Hashable]) -> None:
    """Ask for a text of each class in each split before dividing."""
    counts = distinct(labels, copies)
    rare = sorted({label for label in labels if counts[label] < len(SPLITS)})
    if rare:
        others = f" (and {len(rare) - 1} more labels)" if len(rare) > 1 else ""
        raise DataError(
            f"label {shortened(rare[0])}{others} has {counts[rare[0]]} different texts; at least {len(SPLITS)} are "
            "needed to divide them into training, validation and test: add texts, drop the label, name the splits "
            "in a column ('split'), or check that 'label' is the right column",
            file,
        )


def _check_overlap(file: str, texts: Sequence[Text]) -> None:
    """Refuse texts that stand in two splits: what is learned by heart in one would count as skill in the other."""
    first: dict[Hashable, Text] = {}
    twice = []
    for text in texts:
        other = first.setdefault((text.text.strip(), text.query), text)
        if other.split != text.split:
            twice.append((other, text))
    if twice:
        (other, text), *more = twice
        told = (
            f"the same text is in {other.split} at {file}:{other.line} and in {text.split} here; keep it in one split"
        )
        lines = [f"{other.line} and {text.line}" for other, text in more]
        raise DataError(f"{told}; likewise {listed(lines, str)}" if lines else told, file, text.line)


def sorted_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Sort labels by name, or by value where all are numbers."""
    names = sorted(labels)
    if all(_NUMBER.fullmatch(name) for name in names):
        names.sort(key=float)
    return tuple(names)


def cleanly(corpus: Corpus, seed: int) -> Chosen:
    """Keep published splits; a text that is in two of them is left out of the earlier one.

    Copies have the same letters and digits (`copy_number`): published corpora have one text twice with other signs.
    Where no validation texts are published, they are 15 % of training, class by class, copies together.
    """
    names, dropped, keys = [text.split for text in corpus.texts], Counter[str](), corpus.copies
    notes = ["published splits; texts in two of them are kept in the later one"]
    if "validation" not in names:
        names = with_validation(names, [str(text.label) for text in corpus.texts], keys, seed)
        notes = [*notes, f"no validation texts are published: 15 % of training, class by class, by seed {seed}"]
    later: set[int] = set()
    for split in reversed(SPLITS):
        here = [place for place, name in enumerate(names) if name == split]
        for place in here:
            if keys[place] in later:
                names[place] = ""
                dropped[f"in {split} and in a later split"] += 1
        later.update(keys[place] for place in here)
    return Chosen(names, keys, corpus.label_names, dropped, notes)


def by_paper(recipe: PaperRecipe, corpus: Corpus, seed: int) -> Chosen:
    """Divide and filter as the paper's code did, by its own seeds; name what one would not do again."""
    names, dropped = recipe.divide(corpus.texts), Counter[str]()
    dropped["not drawn, or too long to be drawn from"] = names.count("")
    if recipe.lengths is not None:
        for split in SPLITS:
            _filter(corpus.texts, names, split, recipe.lengths, dropped)
    notes = ["splits and filters of Jain & Wallace 2019; texts are never cut"]
    kept = {"kept_as_published": {str(number): quirk for number, quirk in enumerate(recipe.quirks, 1)}}
    return Chosen(names, corpus.copies, corpus.label_names, dropped, notes, kept if recipe.quirks else {})


def _filter(
    texts: Sequence[Text],
    names: list[str],
    split: str,
    lengths: tuple[int | None, int | None],
    dropped: Counter[str],
) -> None:
    """Keep ``low < n < high`` in one split, the least and the most seen standing for a bound that is not given."""
    inside = {place: len(texts[place].tokens) for place, name in enumerate(names) if name == split}
    low, high = lengths
    low = min(inside.values(), default=0) if low is None else low
    high = max(inside.values(), default=0) if high is None else high
    for place, n in inside.items():
        if not low < n < high:
            names[place] = ""
            dropped[f"not between {low} and {high} words in {split}"] += 1


BY_COLUMNS = Rule(by_columns, empty="its texts have no words, or labels that training lacks; add texts")
CLEAN = Rule(cleanly)


def as_paper(recipe: PaperRecipe) -> Rule:
    """Give the rule of a paper's recipe."""
    return Rule(partial(by_paper, recipe), cuts=False, min_count=recipe.min_count)
