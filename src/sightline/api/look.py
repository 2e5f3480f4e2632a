"""Look at one text as a model reads it, edit it, and look again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from sightline.adapters.factory import texts_known_to
from sightline.adapters.label_views import has_labels, label_view, labels_of
from sightline.adapters.trace_checks import blame_model_code, checked_trace
from sightline.adapters.truncation import visible_words
from sightline.adapters.validate_model import admit
from sightline.api.model_argument import KnownModel, Model, class_names, known_model, longest_text
from sightline.api.unlabelled_texts import unlabelled
from sightline.audits.audit_storage import load_results
from sightline.config.word_maps import MAPS, USER_MAPS
from sightline.core.error_excerpts import list_names
from sightline.core.errors import ModelError, SpecError
from sightline.core.example import Example
from sightline.core.explanation import USUAL, Explanation
from sightline.core.needs import lacking, out_of_reach
from sightline.core.protocols import (
    Auditable,
    MeasureContext,
    SupportsAttentionSources,
    SupportsAuditedMap,
    Trace,
)
from sightline.core.results import Results, TextRecord
from sightline.core.seeds import Seeds
from sightline.core.tokeniser import tokenise
from sightline.experiments.run_size import run_size
from sightline.measures.attribution_maps import MAKERS, AttributionMaps
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.trace_arrays import decided
from sightline.models.classifier import AttentionClassifier
from sightline.models.model_storage import weights_digest
from sightline.numerics.divergences import probabilities
from sightline.numerics.tensors import to_numpy
from sightline.report.advice import drawn_of_any_text
from sightline.report.html.explanation_view import in_notebook
from sightline.report.map_names import MAPS as TITLED
from sightline.report.sanitize import shortened
from sightline.report.text.explanation_text import lines

NOT_KNOWN = "Whether that audit is of this training cannot be known: the model shows no weights"
"""Used if the weights of the model or of the audit have no digest."""
TRAINED_AGAIN = (
    "That audit is of a training with the same settings, and not of the same weights: other "
    "threads or versions, or data that have changed, give others"
)
"""Used if the model was trained once for the audit and again to be saved."""

COMMON = ("the", "film", "was", "good", "and", "bad")
"""Words mixed into a text when a model is checked: one word alone cannot test attention."""


@dataclass(frozen=True)
class LookSettings:
    """A model and the options of a look, which stay the same from text to text."""

    model: Auditable
    maps: tuple[str, ...]
    max_tokens: int
    advice: str
    audit: Results | None
    doubt: str = ""
    query: str | None = None
    """The query as written."""


@dataclass(frozen=True, eq=False)
class Look(Explanation):
    """A look that can be edited: each edit gives another look, compared with this one."""

    reader: LookSettings = field(kw_only=True, repr=False)

    def edit(self, place: int | str, word: str) -> Look:
        """Replace one word, by its place from 0 or by itself if it occurs once, with one or more
        words.
        """
        if not isinstance(word, str):
            raise SpecError(f"expected a word, got {word!r:.60}", field="word")
        return self.again(edited(self.text.text, self._place(place), word))

    def without(self, place: int | str) -> Look:
        """Leave a word out, named as for `edit`."""
        return self.again(edited(self.text.text, self._place(place), ""))

    def again(self, text: str) -> Look:
        """Look at another text, compared with this one; a query stays."""
        example = unlabelled(text, self.reader.query, self.reader.max_tokens)
        return _last(_looked(self.reader, example, self))

    def __str__(self) -> str:
        return "\n".join(lines(self))

    def _repr_html_(self) -> str:
        """Draw it as the last line of a notebook's cell."""
        return in_notebook(self)

    def __repr__(self) -> str:
        text = shortened(self.text.text, 40)
        return (
            f"<Look at {text!r}: {self.text.predicted!r}; next: print(look), look.edit(place, "
            "word)>"
        )

    def _place(self, place: Any) -> int:
        """Find a word by its place, or by itself; anything that is not a number is refused, too."""
        tokens = self.text.tokens
        last = len(tokens) - 1
        if isinstance(place, str):
            found = [number for number, token in enumerate(tokens) if token == place.lower()]
            if len(found) == 1:
                return found[0]
            message = f"{place!r}, which is there {len(found)} times"
            raise SpecError(
                f"expected a word that is there once, or a place from 0 to {last}, got {message}",
                field="place",
            )
        if (
            isinstance(place, bool)
            or not isinstance(place, int | np.integer)
            or not 0 <= place <= last
        ):
            raise SpecError(
                f"expected the place of a word, from 0 to {last}, got {place!r:.60}", field="place"
            )
        return int(place)


def look(
    model: Model,
    text: str,
    query: str | None = None,
    *,
    audit: Results | str | Path | None = None,
    maps: str | Sequence[str] = (),
    label_name: str = "",
    max_tokens: int | None = None,
    device: str = "cpu",
) -> Look:
    """Look at one text: its words, the probability of every class, and the maps that an audit
    takes.

    A map over one text is not evidence: an audit tests whether it may be shown. A model from
    elsewhere is first checked on texts of these words and a few common ones, as before an audit.

    Parameters
    ----------
    model
        What `sightline.train` gave, the folder of a saved model, ``py:package.module:factory``, or
        anything that can be audited.
    query
        The question or hypothesis that comes with the text, for a model that reads one.
    audit
        An audit of this model, or the folder of a saved one: its verdict is shown with the maps.
        One of another model, or of another training of it, is refused.
    maps
        A name of `sightline.config.word_maps.MAPS`, or several; by default the usual ones, and
        any that the audit says may be shown. What the model does not allow is said to be absent.
    label_name
        Which label to look at, of a model with several.
    max_tokens
        Words that are read at most, or else as many as in the training of the model; the rest is
        cut, and counted.
    """
    return _last(
        look_map_by_map(
            model,
            text,
            query,
            audit=audit,
            maps=maps,
            label_name=label_name,
            max_tokens=max_tokens,
            device=device,
        )
    )


def look_map_by_map(
    model: Model,
    text: str,
    query: str | None = None,
    *,
    audit: Results | str | Path | None = None,
    maps: str | Sequence[str] = (),
    label_name: str = "",
    max_tokens: int | None = None,
    device: str = "cpu",
) -> Iterator[Look]:
    """Look at one text, and yield the result after each map: for a long text, some maps take a
    minute.
    """
    known = of_label(known_model(model, device, several=True), label_name)
    chosen = _chosen(maps)
    longest = longest_text(model, max_tokens)
    example = unlabelled(text, query, longest)
    known_texts = texts_known_to(known.model, (*example.tokens, *COMMON), queries=query is not None)
    ready = admit(known.model, known_texts, known.model.labels)
    found, doubt = _of_model(audit, ready, known)
    named = () if found is None else drawn_of_any_text(found)
    chosen = chosen or tuple(dict.fromkeys((*USUAL, *named)))
    reader = LookSettings(ready, chosen, longest, known.advice, found, doubt, query)
    yield from _looked(reader, example)


def _last(looks: Iterable[Look]) -> Look:
    *_, whole = looks
    return whole


def of_label(known: KnownModel, label: str) -> KnownModel:
    """Select one label of a model that has several; any other model has none."""
    if has_labels(known.model):
        if label:
            return replace(known, model=label_view(known.model, label))
        names = list_names(labels_of(known.model))
        raise SpecError(f"expected one of the labels of the model, {names}", field="label_name")
    if label:
        message = f"{label!r} names a label, and the model predicts one class; leave it out"
        raise SpecError(message, field="label_name")
    return known


def edited(text: str, place: int, word: str) -> str:
    """Replace a word; add spaces if the new word would touch its neighbours.

    >>> edited("not good!", 1, "bad"), edited("good-bye, you", 1, "")
    ('not bad!', 'good-bye  you')
    """
    tokens, offsets = tokenise(text)
    start, end = offsets[place]
    wanted = (*tokens[:place], *tokenise(word)[0], *tokens[place + 1 :])
    plain = f"{text[:start]}{word or ' '}{text[end:]}"
    return plain if tokenise(plain)[0] == wanted else f"{text[:start]} {word} {text[end:]}"


def _chosen(maps: str | Sequence[str]) -> tuple[str, ...]:
    """Check the names of maps; a map may also be named as results show it."""
    shown = {kind.name: kind.quantity for kind in TITLED}
    maps = [shown.get(name, name) for name in ((maps,) if isinstance(maps, str) else maps)]
    known = [name for name in MAPS if name not in USER_MAPS]
    if unknown := next((name for name in maps if name not in known), None):
        raise SpecError(f"expected one of {', '.join(known)}, got {unknown!r}", field="maps")
    return tuple(dict.fromkeys(maps))


def _of_model(
    audit: Results | str | Path | None, model: Auditable, known: KnownModel
) -> tuple[Results | None, str]:
    """Read an audit from a folder, and return any doubt about it; an audit of another model or
    training is refused.
    """
    if audit is None:
        return None, ""
    found = audit if isinstance(audit, Results) else load_results(audit)
    card = found.cards.get("model", {})
    identity = (card.get("name"), tuple(card.get("labels", ())))
    if identity[0] != model.name or (
        model.labels is not None and identity[1] != tuple(model.labels)
    ):
        raise ModelError(
            (
                f"expected an audit of {model.name}, got one of {identity[0]} with the classes "
                f"{', '.join(identity[1])}"
            ),
            change="name an audit of this model",
            field="audit",
        )
    _refuse_other_source(card.get("reading", ""), model)
    return found, _doubt(found, weights_digest(model), known)


def _refuse_other_source(audited: str, model: Auditable) -> None:
    """Refuse an audit of another attention source: its verdict is not about this map."""
    if not isinstance(model, SupportsAttentionSources) or model.choosing or not audited:
        return
    if (shown := model.shows) != audited:
        raise ModelError(
            f"expected an audit of this attention ({shown}), got one of other attention ({audited})",
            change=(
                "look at the attention that was audited, as hf:FOLDER(layer=0,head=1) does, or "
                "name an audit of this one"
            ),
            field="audit",
        )


def _doubt(audit: Results, weights: str, known: KnownModel) -> str:
    """Say why an audit may be of another training than this model; one that surely is
    gets refused.
    """
    audited = audit.cards["model"].get("weights", "")
    if not (audited and weights):
        return NOT_KNOWN
    if audited == weights:
        return ""
    if audit.spec.get("training_key", "") == known.record.get("key"):
        return TRAINED_AGAIN
    raise ModelError(
        (
            "expected the audit of this training, got the audit of another training of the same "
            "model, whose weights differ"
        ),
        change=f"name the audit of this one; it is made by {known.advice}",
        field="audit",
    )


def _looked(reader: LookSettings, example: Example, before: Look | None = None) -> Iterator[Look]:
    """Run the model once, and take the maps of this text one after the other; words that the model
    does not see get NaN.
    """
    model, sight = reader.model, visible_words(reader.model, example)
    trace = checked_trace(model, [sight.seen])
    if not bool(trace.finite.all()):
        raise ModelError(
            f"{model.name}: expected finite attention and logits for this text, got others"
        )
    audited = model.audited_map if isinstance(model, SupportsAuditedMap) else None
    itself = "" if audited is None else audited.same_as
    asked_for = [name for name in reader.maps if name != itself]
    allowed = [name for name in asked_for if MAKERS[name].needs <= model.offers]
    chances = probabilities(to_numpy(trace.logits))[0]
    names = _class_names(model, trace.logits.shape[1], reader.audit)
    predicted = names[int(decided(trace)[0])]
    words = (example.text, example.tokens, example.offsets)
    reading = Look(
        model=model.name,
        text=TextRecord(example.id, *words, label="", predicted=predicted, query=example.query),
        probabilities={name: float(chance) for name, chance in zip(names, chances, strict=True)},
        maps={},
        absent={name: _needed(name, model) for name in asked_for if name not in allowed},
        known=model.vocabulary.knows(example.tokens)
        if isinstance(model, AttentionClassifier)
        else None,
        cut=len(tokenise(example.text)[0]) - len(example.tokens) + sight.beyond,
        seen=sight.there,
        audited=audited,
        elsewhere=None if trace.elsewhere is None else float(trace.elsewhere[0]),
        advice=reader.advice,
        audit=reader.audit,
        doubt=reader.doubt,
        before=before,
        reader=reader,
    )
    if not allowed:
        yield reading
    there = np.array(sight.there)
    subject = MeasureContext(model, texts=(sight.seen,), audited=(sight.seen,))
    maps = _maps(subject, trace)
    for name in allowed:
        with blame_model_code(model):
            values = np.asarray(maps[name][0][maps.words.mask[0]], dtype=float)
        reading = replace(reading, maps={**reading.maps, name: _spread(values, there)})
        yield reading


def _class_names(model: Auditable, width: int, audit: Results | None) -> tuple[str, ...]:
    """Name the classes; of a model without names, its audit may know them from the data."""
    names = class_names(model, width)
    if model.labels is not None or audit is None:
        return names
    audited = tuple(audit.cards.get("model", {}).get("labels", ()))
    return audited if len(audited) == len(names) else names


def _maps(subject: MeasureContext, trace: Trace) -> AttributionMaps:
    tokens = run_size(subject.model, subject.texts, None, None).tokens or TOKENS_AT_ONCE
    return AttributionMaps(subject, trace, Seeds(0), tokens)


def _spread(
    values: Float[np.ndarray, " W"], there: Bool[np.ndarray, " N"]
) -> Float[np.ndarray, " N"]:
    """Put the numbers of the seen words at their places among all words."""
    every = np.full(len(there), np.nan)
    every[there] = values
    return every


def _needed(name: str, model: Auditable) -> str:
    needs = MAKERS[name].needs
    if never := out_of_reach(needs, model.offers):
        return f"it cannot be made for a Hugging Face model, since it needs {never}"
    return f"{lacking(needs, model.offers)}; the model does not offer it"
