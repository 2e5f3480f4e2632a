"""Turn a corpus into a `Dataset` by a split rule; the card records what was cut or left out, and
why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from sightline.config.specs import DataSpec
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.data.assembly.corpus import Corpus, Text, count_cut_words
from sightline.data.assembly.data_warnings import (
    group_warnings,
    label_warnings,
    lengths,
    text_warnings,
    words_beyond,
)
from sightline.data.assembly.joined_labels import find_joined_labels
from sightline.data.assembly.split_rules import SelectedSplits, SplitRule
from sightline.data.dataset import SPLITS, Dataset, Split, count_copies, make_card


def assemble(name: str, corpus: Corpus, spec: DataSpec, rule: SplitRule, seed: int) -> Dataset:
    """Truncate, split, filter and number the texts of a corpus, and describe them in a card."""
    if rule.cuts:
        corpus = replace(corpus, texts=tuple(_cut(text, spec.max_tokens) for text in corpus.texts))
    chosen = rule.choose(corpus, seed)
    counts = _counts(
        corpus, chosen
    )  # before the examples exist: its sets take as much memory as they do
    used = [text for _, _, text in _kept(corpus, chosen)]
    notes = [
        *corpus.notes,
        *chosen.notes,
        *text_warnings(used, spec.max_tokens if rule.cuts else None),
    ]
    if joined := find_joined_labels(corpus, spec):
        notes.append(joined.note())
    notes += label_warnings(corpus.label_names)
    if spec.group:
        notes += group_warnings((text.group for text in used), spec.group)
    before = {"before_cutting": _lengths(corpus, chosen, spec.max_tokens)} if rule.cuts else {}
    splits = _examples(corpus, chosen)
    if empty := [split for split in chosen.needed if not splits[split]]:
        raise DataError(f"no text is left in {empty[0]}: {rule.empty}", spec.places[0])
    source = _read_from(corpus)
    card = make_card(
        splits,
        chosen.label_names,
        source=str(spec),
        dropped={reason: n for reason, n in {**corpus.dropped, **chosen.dropped}.items() if n},
        truncated=sum(max(text.lengths) > spec.max_tokens for text in used) if rule.cuts else 0,
        words_cut=words_beyond(used, spec.max_tokens) if rule.cuts else 0,
        notes=notes,
        several=bool(spec.labels_sep),
        recipe=spec.recipe,
        min_count=max(spec.min_count, rule.min_count),
        **source,
        **chosen.about,
        **counts,
        **before,
    )
    return Dataset(
        name,
        **splits,
        label_names=chosen.label_names,
        card=card,
        max_tokens=spec.max_tokens,
        first_rows=_first_rows(corpus, used),
    )


def _first_rows(corpus: Corpus, used: Iterable[Text]) -> dict[str, tuple[str, int]]:
    """Find the file and the line of the first text of each label."""
    first = dict[int, tuple[str, int]]()
    for text in used:
        if text.label not in first:
            first[text.label] = (text.file, text.line)
    return {corpus.label_names[label]: row for label, row in first.items()}


def _lengths(corpus: Corpus, chosen: SelectedSplits, longest: int) -> dict[str, Any]:
    """Describe, for each non-empty split, the lengths before truncation and the loss."""
    texts = {
        split: [text for name, _, text in _kept(corpus, chosen) if name == split]
        for split in SPLITS
    }
    return {split: lengths(inside, longest) for split, inside in texts.items() if inside}


def _cut(text: Text, longest: int) -> Text:
    """Drop the words beyond the longest length, with their offsets and rationale, in text and
    query.
    """
    if max(len(text.tokens), len(text.query or ())) <= longest:
        return text
    return replace(
        text,
        tokens=text.tokens[:longest],
        places=text.places and text.places[:longest],
        query=text.query and text.query[:longest],
        rationale=text.rationale and text.rationale[:longest],
        lost=count_cut_words(*text.lengths, longest),
    )


def _examples(corpus: Corpus, chosen: SelectedSplits) -> dict[str, Split]:
    """Make an example of each selected text, in file order."""
    splits: dict[str, list[Example]] = {name: [] for name in SPLITS}
    numbers = {name: number for number, name in enumerate(chosen.label_names)}
    every_answer = tuple(range(len(numbers)))
    kept = [(text, name) for text, name in zip(corpus.texts, chosen.splits, strict=True) if name]
    for index, (text, name) in enumerate(kept):
        words = (text.text, text.tokens, text.places, numbers[corpus.label_names[text.label]])
        # A published task lists its answers; in a table, any label may be the answer.
        answers = None if text.query is None or corpus.columns else text.answers or every_answer
        splits[name].append(
            Example(
                text.name,
                index,
                *words,
                text.query,
                answers,
                text.rationale,
                text.group,
                sum(text.lost),
                query_text=text.query_text,
            )
        )
    return {name: tuple(examples) for name, examples in splits.items()}


def _read_from(corpus: Corpus) -> dict[str, Any]:
    """Name the columns of a table, or count the records of a published corpus that the files held."""
    if corpus.columns:
        return {"columns": dict(corpus.columns)}
    return {
        "found": {
            what: f"{corpus.found.get(what, 0)} of {n}" for what, n in corpus.published.items()
        }
    }


def _counts(corpus: Corpus, chosen: SelectedSplits) -> dict[str, Any]:
    """Count copies and rationales; with queries, the texts that training has under any query; and
    the texts of a group that training has, such as questions about one story.
    """
    counts = count_copies((name, key, text.label) for name, key, text in _kept(corpus, chosen))
    counts["rationales"] = sum(text.rationale is not None for _, _, text in _kept(corpus, chosen))
    if any(text.query is not None for _, _, text in _kept(corpus, chosen)):
        seen = {text.tokens for name, _, text in _kept(corpus, chosen) if name == "train"}
        found = Counter(name for name, _, text in _kept(corpus, chosen) if text.tokens in seen)
        counts["text_in_training"] = {name: found[name] for name in SPLITS[1:]}
    learned = {text.group for name, _, text in _kept(corpus, chosen) if name == "train"} - {""}
    shared = Counter(name for name, _, text in _kept(corpus, chosen) if text.group in learned)
    if any(shared[name] for name in SPLITS[1:]):
        counts["group_in_training"] = {name: shared[name] for name in SPLITS[1:]}
    return counts


def _kept(corpus: Corpus, chosen: SelectedSplits) -> Iterator[tuple[str, Hashable, Text]]:
    """Give each selected text with its split and the key of its copies."""
    found = zip(chosen.splits, chosen.copies, corpus.texts, strict=True)
    return (one for one in found if one[0])
