"""Attribution maps: every way to give each word of a text a number, by name, each computed once a
batch.

A measure reads a map by its name, whatever computes it. A map has the shape ``B W`` (`Words.mask`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.config.word_maps import REDUCED, RIVALS, SIGNED_RIVALS, USER_MAPS, Reduction
from sightline.core.error_excerpts import show_id
from sightline.core.protocols import (
    Auditable,
    Capability,
    MeasureContext,
    SupportsAuditedMap,
    Trace,
)
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, like, words_of
from sightline.measures.importance import (
    TOKENS_AT_ONCE,
    Attentions,
    Slope,
    SlopeUnder,
    deletion_importance,
    slopes,
)
from sightline.measures.integrated_gradients import integrated
from sightline.measures.trace_arrays import decided, keys_of
from sightline.numerics.log_odds import log_odds, log_odds_slope
from sightline.numerics.projections import uniform
from sightline.numerics.tensors import to_numpy

Array = np.ndarray
SLOPES = ("held", "through", "free")
"""The gradients that maps are computed from."""
OF_DELETIONS = ("deletion", "signed_deletion", "free_deletion")
"""The maps that need one text without each word."""
SHARED: frozenset[Capability] = frozenset({"deletion", "variants"})
"""Capabilities of models that do not run each of these texts by itself."""


def shares_texts(model: Auditable) -> bool:
    """Whether a model finds deletions from what shortened texts share, without running each."""
    return bool(model.offers & SHARED)


@dataclass(frozen=True)
class AttributionMaps:
    """The maps of one batch; each is computed on first use and shared with the other measures.

    ``gradient`` says how gradients are reduced. Measures that reduce them differently share all
    maps but the gradient maps. ``most`` limits how many words of a text are left out one by one
    (`candidates`).
    """

    subject: MeasureContext
    trace: Trace
    seeds: Seeds
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    most: int | None = None

    @cached_property
    def words(self) -> Words:
        """The words of the batch, on which all its maps are defined."""
        return words_of(self.trace)

    @property
    def runs_each_variant(self) -> bool:
        """Whether this is an audit by looks of a model that runs each shortened text by itself, so
        that every text it can do without counts.
        """
        return self.most is not None and not shares_texts(self.subject.model)

    @cached_property
    def candidates(self) -> Bool[Array, "B W"]:
        """Mark the words that are compared: all of them, or of a text with more words than ``most``
        so many, drawn by the text alone.

        A model that finds all deletions from what they share is asked for all.
        """
        mask = self.words.mask
        if self.most is None or not self.runs_each_variant:
            return mask
        (keys,) = keys_of(mask, self.words.index, 1, self.seeds, "candidates")
        order = np.argsort(np.where(mask, keys, np.inf), axis=1)
        return np.asarray(mask & (np.argsort(order, axis=1) < self.most))

    @cached_property
    def flat(self) -> Float[torch.Tensor, "B T"]:
        """Uniform attention over the tokens that may be attended to."""
        return uniform(self.trace.batch.attendable, self.trace.attention)

    def __getitem__(self, name: str) -> Float[Array, "B W"]:
        """Give the map with this name in `MAKERS`."""
        shared = self.subject.shared
        kept = f"{name}, {self.gradient}" if name in REDUCED else self._kept(name)
        if kept not in shared:
            shared[kept] = MAKERS[name].make(self)
        return np.asarray(shared[kept])

    def _kept(self, name: str) -> str:
        """Name a map as it is kept: those of few words apart from those of all."""
        few = name in OF_DELETIONS and not np.array_equal(self.candidates, self.words.mask)
        return f"{name}, {self.most} words" if few else name

    def slope(self, name: str) -> Slope:
        """Give the gradient with attention held, through attention, or under uniform weights
        (`SLOPES`).
        """
        kept = f"slope of {name}"
        if kept not in self.subject.shared:
            self.subject.shared[kept] = slopes(
                self.subject.model, self.trace, {name: self._asked(name)}
            )[name]
        found: Slope = self.subject.shared[kept]
        return found

    def sloped(self, attentions: Attentions) -> dict[str, Slope]:
        """Take every gradient at once: those of the maps, and those under the given attentions at
        decoding, which the model must be able to decode.

        All share one forward pass, so the caller should name all attentions in one call.
        """
        asked = {**{name: self._asked(name) for name in SLOPES}, **attentions}
        found = slopes(self.subject.model, self.trace, asked)
        self.subject.shared.update({f"slope of {name}": found[name] for name in SLOPES})
        return found

    def _asked(self, name: str) -> SlopeUnder:
        """Hold attention if the model can decode; otherwise the gradient runs through the weights
        too.
        """
        if name == "through" or "decode" not in self.subject.model.offers:
            return "through"
        return self.flat if name == "free" else "held"

    def deleted(
        self, attentions: Attentions | None = None, *, free: bool = True
    ) -> dict[str, Float[Array, "B W"]]:
        """Leave out every word once: with the model's own attention, and decoded with uniform and
        other attention.

        Running the shortened texts is the expensive part, so the caller should name all attentions
        in one call. Without any attention, not even the uniform one (``free``), the texts are run
        for their logits alone.
        """
        flat = {"free": self.flat} if free and "decode" in self.subject.model.offers else {}
        found = deletion_importance(
            self.subject.model,
            self.trace,
            {**flat, **(attentions or {})},
            self.tokens_at_once,
            self.candidates,
        )
        made = {"own": "deletion", "signed": "signed_deletion"} | (
            {"free": "free_deletion"} if flat else {}
        )
        self.subject.shared.update({self._kept(name): found[what] for what, name in made.items()})
        return found


@dataclass(frozen=True)
class Maker:
    """How a map is computed, and what the model must offer for it."""

    make: Callable[[AttributionMaps], Float[Array, "B W"]]
    needs: frozenset[Capability] = frozenset()


def rivals(subject: MeasureContext, others: Iterable[str] | None = None) -> tuple[str, ...]:
    """Name the maps that could be shown for this model, unsigned ones first: those it allows, and
    scores that the user brought. With ``others``, only attention and these.
    """
    audited = audited_map_name(subject)
    wanted = (*RIVALS, *SIGNED_RIVALS) if others is None else ("attention", *others)
    names = (one for one in (*RIVALS, *SIGNED_RIVALS) if one in wanted)
    return available_maps(subject, (one for one in names if one != audited))


def audited_map_name(subject: MeasureContext) -> str:
    """Name the map that equals the audited map, and so cannot be compared with it; empty if none
    does.
    """
    model = subject.model
    return model.audited_map.same_as if isinstance(model, SupportsAuditedMap) else ""


def available_maps(subject: MeasureContext, names: Iterable[str]) -> tuple[str, ...]:
    """Keep the maps that the model allows, and the scores that the user brought."""
    there = (name for name in names if name not in USER_MAPS or user_scores(subject, name))
    return tuple(name for name in there if MAKERS[name].needs <= subject.model.offers)


def user_scores(subject: MeasureContext, name: str) -> Mapping[str, Float[Array, " W"]]:
    """Give the user's scores for a map of `USER_MAPS`, by the id of the text."""
    return subject.signed if name == "signed_given" else subject.given


def _reduced(name: str) -> Callable[[AttributionMaps], Array]:
    return lambda maps: maps.slope(name).reduced(maps.gradient)


def _evidence(maps: AttributionMaps) -> Array:
    """Give the log-odds of the predicted class that each word would have alone."""
    assert maps.trace.token_logits is not None  # `needs` names them
    mask = maps.words.mask
    alone = like(maps.words.alone(to_numpy(maps.trace.token_logits))[mask], maps.trace)
    chosen = torch.from_numpy(np.broadcast_to(decided(maps.trace)[:, None], mask.shape)[mask]).to(
        alone.device
    )
    out = np.zeros(mask.shape)
    out[mask] = to_numpy(log_odds(alone, chosen))
    return out


def _signed_contribution(maps: AttributionMaps) -> Array:
    """``α_t (z_t − z̄) · ∂ log-odds / ∂s``, where z̄ is the unweighted mean over the words.

    `balance` gives what they add up to.
    """
    z, mean, slope = _mixture(maps)
    weights = maps.words.attention * maps.words.mask
    return np.asarray(weights * np.einsum("bwl,bl->bw", z - mean[:, None, :], slope))


def balance(maps: AttributionMaps) -> tuple[Float[Array, " B"], Float[Array, " B"]]:
    """Give the start and the end of weight × logit: ``z̄ · ∂ log-odds / ∂s`` and ``s · ∂ log-odds /
    ∂s``.

    The contributions of the words add up to their difference exactly if ``s = Σ α_t z_t``, because
    attention sums to one. With one or two logits, start and end are the log-odds of the predicted
    class under uniform attention and under the model's own. With more, they are its logit minus the
    mean logit of the others, weighted by their probabilities. NaN where the output is certain.
    """
    _, mean, slope = _mixture(maps)
    logits = to_numpy(maps.trace.logits)
    here = np.where(slope == 0, 0.0, logits)  # an absent candidate's −∞
    certain = (slope == 0).all(axis=1)
    base, total = ((one * slope).sum(1) for one in (mean, here))
    return np.where(certain, np.nan, base), np.where(certain, np.nan, total)


def _mixture(
    maps: AttributionMaps,
) -> tuple[Float[Array, "B W L"], Float[Array, "B L"], Float[Array, "B L"]]:
    """Give the logits of each word alone, their mean, and the slope of the log-odds of the
    predicted class.
    """
    assert maps.trace.token_logits is not None  # `needs` names them
    words, logits = maps.words, maps.trace.logits
    z = words.alone(to_numpy(maps.trace.token_logits))
    z = np.where(
        words.mask[..., None] & np.isfinite(z), z, 0.0
    )  # −∞ of an absent candidate, which has a slope of zero
    mean = z.sum(1) / words.mask.sum(1)[:, None]
    slope = to_numpy(
        log_odds_slope(logits, torch.from_numpy(decided(maps.trace)).to(logits.device))
    )
    return z, mean, slope


def _given(maps: AttributionMaps, name: str) -> Array:
    """Look up the user's scores of each text; NaN where there are none."""
    words, there = maps.words, user_scores(maps.subject, name)
    out = np.zeros(words.mask.shape)
    for row, (text, real) in enumerate(zip(maps.subject.texts, words.mask, strict=True)):
        scores = there.get(text.id, np.full(len(text.tokens), np.nan))
        if len(scores) != len(text.tokens):
            raise ValueError(
                f"text {show_id(text.id)} has {len(text.tokens)} words, but {len(scores)} scores were "
                "given: give one score a word"
            )
        out[row, real] = scores
    return out


def _absolute(name: str) -> Callable[[AttributionMaps], Array]:
    return lambda maps: np.asarray(np.abs(maps[name]))


_DECODED: frozenset[Capability] = frozenset({"decode", "embedding_grad"})
MAKERS: Mapping[str, Maker] = {
    "attention": Maker(lambda maps: maps.words.attention),
    "gradient": Maker(_reduced("held"), frozenset({"embedding_grad"})),
    "gradient_through": Maker(
        _reduced("through"), _DECODED
    ),  # without decode, the gradient itself runs through
    "deletion": Maker(lambda maps: maps.deleted(free=False)["own"]),
    "contribution": Maker(_absolute("signed_contribution"), frozenset({"token_logits"})),
    "free_gradient": Maker(_reduced("free"), _DECODED),
    "free_deletion": Maker(lambda maps: maps.deleted()["free"], frozenset({"decode"})),
    "evidence": Maker(_evidence, frozenset({"token_logits"})),
    "signed_contribution": Maker(_signed_contribution, frozenset({"token_logits"})),
    "signed_gradient": Maker(lambda maps: maps.slope("held").along, frozenset({"embedding_grad"})),
    "signed_deletion": Maker(lambda maps: maps.deleted(free=False)["signed"]),
    "integrated": Maker(_absolute("signed_integrated"), frozenset({"embedding_grad"})),
    "signed_integrated": Maker(
        lambda maps: integrated(maps.subject.model, maps.trace).along, frozenset({"embedding_grad"})
    ),
    **{name: Maker(partial(_given, name=name)) for name in USER_MAPS},
}
"""How each map of `sightline.config.word_maps.MAPS` is made, by the name under which a
measure reads it and keeps it."""
