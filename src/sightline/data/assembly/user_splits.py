"""Assign the user's own texts to splits: as columns, files or folders name them, or by the seed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from sightline.config.specs import DataSpec
from sightline.core.error_excerpts import NOT_SHOWN, left_out, list_names, list_values, show
from sightline.core.errors import DataError, setting
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.data_warnings import AS_MISSING, as_a_reader_takes, is_missing
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.assembly.joined_labels import find_joined_labels
from sightline.data.assembly.split_rules import SelectedSplits, SplitRule, drop_copies
from sightline.data.dataset import SPLITS
from sightline.data.splits import SHARES, connected, distinct, divide, with_validation

EVERY_ROW = "every row is a test text"
"""Part of a note: nothing names splits, and the model is already trained."""
UNSEEN_LABELS = "labels_not_in_training"
"""The field of a data card with the labels that no training text has, and their texts."""
ALSO_TRAINED = "the model was trained on texts of this file"
"""Part of a note: nothing names splits, and texts are divided although the model is already
trained."""
DIVIDED = "no split column: divided"
"""The beginning of a note if nothing names splits and texts are divided."""
Named = tuple[list[str], str, Counter[str]]
"""The split of each text, a note on how it was assigned, and the number of texts left out by
reason."""
NOT_IN_TRAINING = "label not in training"
_NUMBER = re.compile(r"[-+]?[0-9]{1,300}(\.[0-9]+)?")


def own_rule(spec: DataSpec, training: bool, seen: frozenset[str] | None = None) -> SplitRule:
    """Give the split rule for the user's own texts; without ``training``, test texts are enough.

    ``seen`` is for a trained model: the fingerprints of its known training texts. If nothing names
    splits and none of these texts occurs, every row is a test text. With ``seen=None``, texts
    without named splits are divided.
    """
    text = "its texts have no words, or labels that training lacks; add texts"
    return SplitRule(_Own(spec, training, seen).choose, empty=text)


@dataclass(frozen=True)
class _Own:
    """Divides the user's own texts into splits, as their spec says."""

    spec: DataSpec
    training: bool
    seen: frozenset[str] | None = None

    def choose(self, corpus: Corpus, seed: int) -> SelectedSplits:
        """Follow named splits, or divide the texts; labels are those of training, sorted by name or
        value.

        Copies have the same words and the same query, which is what a model reads. (Comparing
        letters only would merge texts that a user keeps apart on purpose, such as "good!" and
        "good?".) Without training texts, all labels are used.
        """
        texts = corpus.texts
        file, labels = texts[0].file, [corpus.label_names[text.label] for text in texts]
        copies = [
            text.tokens if text.query is None else (text.tokens, text.query) for text in texts
        ]
        # There are too many sets of labels to split by set, or to learn as classes.
        strata = ["any"] * len(labels) if self.spec.labels_sep else labels
        names, note, dropped = self._named(corpus, strata, copies, seed)
        if self.spec.group:
            _check_groups_alike(texts, names)
        taught = "train" in names and not self.spec.labels_sep
        known = sorted_labels(
            {one for one, name in zip(labels, names, strict=True) if name == "train" or not taught}
        )
        if taught and len(known) < 2:
            raise DataError(
                f"expected at least two labels in training, got only {show(known[0])}", file
            )
        among = set(known)
        unseen = Counter(
            label for label, name in zip(labels, names, strict=True) if name and label not in among
        )
        splits = [
            "" if label in unseen else name for label, name in zip(labels, names, strict=True)
        ]
        # The card is shown, and such a label may be a text in the wrong column.
        named = (
            {NOT_SHOWN: unseen.total()} if unseen and left_out() else dict(sorted(unseen.items()))
        )
        about = {UNSEEN_LABELS: named}
        dropped[NOT_IN_TRAINING] = unseen.total()
        notes = (
            [note]
            if "train" in names
            else [note, "no training texts: for a model that is trained already"]
        )
        needed = [
            split
            for split in (SPLITS if "train" in names else ("test",))
            if split not in self._left_out
        ]
        if self._left_out:
            notes.append("no test texts: to train a model, and to audit it on others")
        return SelectedSplits(splits, copies, known, dropped, notes, about, tuple(needed))

    def _named(
        self, corpus: Corpus, labels: Sequence[str], copies: Sequence[Hashable], seed: int
    ) -> Named:
        """Follow named splits, or divide the texts."""
        texts = corpus.texts
        together = connected(copies, [text.group for text in texts]) if self.spec.group else copies
        if not texts[0].split:
            if self._all_to_test(texts):
                return ["test"] * len(texts), f"no split column: {EVERY_ROW}", Counter()
            return self._divided(corpus, labels, together, seed)
        if self.spec.group:
            _check_groups(texts)
        names, dropped = [text.split for text in texts], Counter[str]()
        if self.spec.on_copies == "drop":
            dropped = drop_copies(names, copies)
        else:
            _check_overlap(texts)
        self._check_needed(texts[0].file, names)
        if "validation" in names or "train" not in names:
            return names, corpus.splits_by, dropped
        note = (
            f"no validation texts named: 15 % of training, class by class{self._whole}, by seed "
            f"{seed}"
        )
        names = with_validation(names, labels, together, seed)
        return self._checked(texts[0].file, labels, names, ["train"]), note, dropped

    def _all_to_test(self, texts: Sequence[Text]) -> bool:
        """Tell whether the model is already trained, and none of these texts is a known training
        text.
        """
        return self.seen is not None and not (
            self.seen and any(fingerprint(text) in self.seen for text in texts)
        )

    def _divided(
        self, corpus: Corpus, labels: Sequence[str], together: Sequence[Hashable], seed: int
    ) -> Named:
        file, joined = corpus.texts[0].file, find_joined_labels(corpus, self.spec)
        _check_divisible(
            file,
            labels,
            together,
            "groups" if self.spec.group else "",
            "" if joined is None else f"{joined.advice()}; ",
        )
        by_class = "" if self.spec.labels_sep else "class by class, "
        how = f"{by_class}copies of a text together{self._whole}"
        names = self._checked(file, labels, divide(labels, together, SHARES, seed), SPLITS)
        known = f"; {ALSO_TRAINED}" if self.seen else ""
        return names, f"{DIVIDED} 70/15/15 by seed {seed}, {how}{known}", Counter()

    @property
    def _whole(self) -> str:
        return f", groups ({self.spec.group}) whole" if self.spec.group else ""

    def _check_needed(self, file: str, names: Sequence[str]) -> None:
        """Refuse an empty split that must have texts."""
        for needed in ("train", "test") if self.training else ("test",):
            if needed not in names and needed not in self._left_out:
                raise DataError(f"no text is in {needed}; {self._advice(needed)}", file)

    @property
    def _left_out(self) -> tuple[str, ...]:
        """Splits that are not required: with a file of training texts and none of test texts, there
        are no test texts.
        """
        files = self.spec.files
        return ("test",) if files is not None and files.test is None else ()

    def _advice(self, needed: str) -> str:
        elsewhere = "; a model that is trained already needs none" if needed == "train" else ""
        if self.spec.files is not None:
            return f"name a file that has some{elsewhere}"
        return f"name some, or leave the split column out{elsewhere}"

    def _checked(
        self, file: str, labels: Sequence[str], names: list[str], splits: Sequence[str]
    ) -> list[str]:
        """Refuse splits that lack a label because groups stay whole: a group with two labels counts
        under one.
        """
        there = set(zip(labels, names, strict=True))
        divided = {label for label, name in there if name in (*splits, "validation")}
        lacking = sorted({(label, split) for label in divided for split in splits} - there)
        if self.spec.group and lacking:
            message = (
                f"whole groups ({self.spec.group}) leave no text of {show(lacking[0][0])} in "
                f"{lacking[0][1]}"
            )
            raise DataError(
                (
                    f"{message}; name the splits in a column, take another seed, or leave "
                    f"{setting('group')} out"
                ),
                file,
            )
        return names


def _check_divisible(
    file: str, labels: Sequence[str], together: Sequence[Hashable], groups: str, before: str
) -> None:
    """Require enough texts, or groups, of each class for every split before dividing.

    ``before`` is advice placed before the message.
    """
    pairs = set(zip(labels, together, strict=True)) if groups else ()
    counts = Counter(label for label, _ in pairs) if groups else distinct(labels, together)
    rare = sorted({label for label in labels if counts[label] < len(SPLITS)})
    if rare:
        left, there = len(rare) - 1, counts[rare[0]]
        others = f" (and {left} more label{'s' * (left > 1)})" if left else ""
        what = (groups or "texts").removesuffix("s" if there == 1 else "")
        shared = 0 if groups else _with_another_label(labels, together, rare[0])
        own = also = mend = ""
        if shared:
            own, mend = " of its own", "give each text one label, "
            verb = "carries" if shared == 1 else "carry"
            also = f"; {shared:,} of its texts also {verb} another label"
        raise DataError(
            f"{before}the label {show(rare[0])}{others} has {there} different {what}{own}, where "
            f"equal texts count as one{also}; at least {len(SPLITS)} are needed to divide them into "
            f"training, validation and test: {mend}add texts, drop the label, name the splits in a "
            f"column ({setting('split')}), or check that {setting('label')} is the right one",
            file,
        )


def _with_another_label(labels: Sequence[str], together: Sequence[Hashable], label: str) -> int:
    """Count the different texts of a label whose copies also have another one."""
    pairs = {*zip(labels, together, strict=True)}
    others = {key for name, key in pairs if name != label}
    return sum(name == label and key in others for name, key in pairs)


def _check_overlap(texts: Sequence[Text]) -> None:
    """Refuse texts in two splits: memorised training texts would count as skill in the test."""
    first: dict[Hashable, Text] = {}
    twice = []
    for text in texts:
        other = first.setdefault((text.text.strip(), text.query), text)
        if other.split != text.split:
            twice.append((other, text))
    if twice:
        advice = f"keep it in one split, or drop copies ({setting('on_copies', 'drop')})"
        _refuse_twice(
            twice[0], "the same text", advice, list_names([_lines(one) for one in twice[1:]], str)
        )


def _check_groups(texts: Sequence[Text]) -> None:
    """Refuse groups in two splits, naming each once: their texts are not independent."""
    first: dict[str, Text] = {}
    twice: dict[str, tuple[Text, Text]] = {}
    for text in texts:
        if text.group and (other := first.setdefault(text.group, text)).split != text.split:
            twice.setdefault(text.group, (other, text))
    if twice:
        first_name, *others = twice
        likewise = list_values("group", others) if others else ""
        what, advice = f"the group {show(first_name)}", "keep it in one split"
        if is_missing(first_name):
            what += f", which is {AS_MISSING},"
            advice = "leave the cell empty where a text has no group"
        _refuse_twice(twice[first_name], what, advice, likewise)


def _check_groups_alike(texts: Sequence[Text], names: Sequence[str]) -> None:
    """Refuse two splits for groups whose names a reader takes for one, such as 17 and 17.0."""
    read = {text.group: as_a_reader_takes(text.group) for text in texts}
    first: dict[str, Text] = {}
    apart: dict[str, tuple[Text, Text]] = {}
    for text, split in zip(texts, names, strict=True):
        if split and text.group and not is_missing(text.group):
            other = first.setdefault(read[text.group], replace(text, split=split))
            if other.split != split:
                apart.setdefault(text.group, (other, replace(text, split=split)))
    if apart:
        group, *others = apart
        two = apart[group]
        what = f"the group {show(group)}, written {show(two[0].group)} before,"
        advice = "write a group in one way; if they are two, give them names that differ in more"
        likewise = list_values("group", others) if others else ""
        _refuse_twice(two, what, advice, likewise)


def _lines(two: tuple[Text, Text]) -> str:
    """Name the lines of two texts, without the file if both are in the one that the error names."""
    here = two[1].file
    return " and ".join(
        str(one.line) if one.file == here else f"{one.file}:{one.line}" for one in two
    )


def _refuse_twice(two: tuple[Text, Text], what: str, advice: str, likewise: str) -> None:
    other, text = two
    message = (
        f"{what} is in {other.split} at {other.file}:{other.line} and in {text.split} here; "
        f"{advice}"
    )
    raise DataError(
        f"{message}; likewise {likewise}" if likewise else message, text.file, text.line
    )


def sorted_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Sort labels by name, or by value where all are numbers."""
    names = sorted(labels)
    if all(_NUMBER.fullmatch(name) for name in names):
        names.sort(key=float)
    return tuple(names)
