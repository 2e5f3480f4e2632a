"""A corpus to a `Dataset`, by one of two recipes; the card says what was left out and why.

``clean``: published splits; a text that is in two splits stays in the one it is judged by; long texts are cut.
``paper``: splits and filters of Jain & Wallace 2019, mistakes included and named; nothing is cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sightline.data.corpora.corpus import Corpus, PaperRecipe, Text
from sightline.data.dataset import SPLITS, Dataset, Split, count_copies, make_card
from sightline.data.splitting import with_validation
from sightline.errors import DataError
from sightline.spec.values import DataSpec
from sightline.types import Example

Chosen = tuple[list[str], dict[str, int], list[str]]
"""A split for each text, empty where it is left out; how many were left out, by reason; notes."""


def assemble(corpus: Corpus, spec: DataSpec, paper: PaperRecipe | None, seed: int) -> Dataset:
    """Divide, filter and number the texts of a corpus; without a paper's recipe, by the clean one."""
    names, dropped, notes = cleanly(corpus, seed) if paper is None else by_paper(corpus.texts, paper)
    longest = spec.max_tokens if paper is None else None
    cut = 0 if longest is None else sum(
        len(text.tokens) > longest for text, name in zip(corpus.texts, names, strict=True) if name
    )  # fmt: skip
    splits = _examples(corpus, names, longest)
    for name, split in splits.items():
        if not split:
            raise DataError(f"no text is left in {name}; is the corpus whole?", spec.path)
    card = make_card(
        splits,
        corpus.label_names,
        source=str(spec),
        dropped={reason: n for reason, n in {**corpus.dropped, **dropped}.items() if n},
        truncated=cut,
        notes=[*corpus.notes, *notes],
        recipe=spec.recipe,
        min_count=spec.min_count if paper is None else max(spec.min_count, paper.min_count),
        found={what: f"{corpus.found.get(what, 0)} of {n}" for what, n in corpus.published.items()},
        **_quirks(paper),
        **count_copies(
            (name, key, text.label) for text, key, name in zip(corpus.texts, corpus.copies, names, strict=True) if name
        ),
        rationales=sum(example.rationale is not None for split in splits.values() for example in split),
    )
    return Dataset(spec.kind, **splits, label_names=corpus.label_names, card=card)


def _quirks(paper: PaperRecipe | None) -> dict[str, Any]:
    """Name what a paper's recipe keeps although one would not do it again."""
    kept = () if paper is None else paper.quirks
    return {"kept_as_published": {str(number): quirk for number, quirk in enumerate(kept, 1)}} if kept else {}


def by_paper(texts: Sequence[Text], recipe: PaperRecipe) -> Chosen:
    """Divide and filter as the paper's code did."""
    names, dropped = recipe.divide(texts), Counter[str]()
    dropped["not drawn, or too long to be drawn from"] = names.count("")
    if recipe.lengths is not None:
        for split in SPLITS:
            _filter(texts, names, split, recipe.lengths, dropped)
    return names, dropped, ["splits and filters of Jain & Wallace 2019; texts are never cut"]


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


def cleanly(corpus: Corpus, seed: int) -> Chosen:
    """Keep published splits; a text that is in two of them is left out of the earlier one.

    Texts are the same where their letters and digits are (`copy_number`). Where no validation texts are published, they
    are 15 % of training, class by class, copies together.
    """
    names, dropped = [text.split for text in corpus.texts], Counter[str]()
    keys = corpus.copies
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
    return names, dropped, notes


def _examples(corpus: Corpus, names: Sequence[str], longest: int | None) -> dict[str, Split]:
    splits: dict[str, list[Example]] = {name: [] for name in SPLITS}
    candidates = None if all(text.query is None for text in corpus.texts) else tuple(range(len(corpus.label_names)))
    kept = [(text, name) for text, name in zip(corpus.texts, names, strict=True) if name]
    for index, (text, name) in enumerate(kept):
        splits[name].append(
            Example(
                text.name,
                index,
                text.text,
                text.tokens[:longest],
                text.offsets[:longest],
                text.label,
                text.query,
                candidates,
                None if text.rationale is None else text.rationale[:longest],
                (text.file, text.line),
            )
        )
    return {name: tuple(examples) for name, examples in splits.items()}
