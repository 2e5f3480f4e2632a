"""Are the attended words the ones that matter? Attention against the references (SL-101, 102, 103,
104).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import Reduction
from sightline.config.measure_settings import SETTINGS
from sightline.core.protocols import Arrays, Capability, MeasureContext, Trace
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import MAKERS, AttributionMaps, itself
from sightline.measures.batch_words import like
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.topk_mass import (
    FLAT_REFERENCE,
    FREE,
    TopkTexts,
    among,
    by_chance,
    mass,
    ranked,
    texts_of,
    unranked,
)
from sightline.measures.trace_arrays import (
    count_undefined,
    permutations,
    ragged,
    reordered,
    shuffled,
)
from sightline.numerics.rank_agreement import captured, kendall_test
from sightline.numerics.ties import flat

_SET = SETTINGS["agreement"]
Array = np.ndarray
References = Mapping[str, Float[Array, "B W"]]
REFERENCES = ("gradient", "gradient_through", "deletion", "free_gradient", "free_deletion")
"""The maps that attention is compared with, as far as the model allows them."""
_KINDS = ("captured", "chance", "draws", "tau", "significant", "mass", "mass_chance")
"""What attention's agreement with a reference is told by."""
SIGNIFICANT: float = _SET["significant"]
"""The p-value up to which the papers call a τ significant."""
_AVERAGED = ("captured", "chance", "draws", "mass", "mass_chance")
"""What is averaged over the two references that are free of attention."""
ITSELF = "the audited map is leave-one-out, and agreement with itself is no evidence"
REPORTED = "gradient_through"
"""A reference that no test decides by."""
NOT_REPORTED = "left out, because it does not bear on the verdict; --full takes it"
_SHOWS: Mapping[str, Capability] = {"free_deletion": "decode", "gradient": "embedding_grad"}
"""Maps that are there if and only if the model offers this."""


@dataclass(frozen=True)
class Agreement:
    """Captured importance and Kendall's τ-b of attention with each reference, with floor and
    coupling.

    Floor: the same weights permuted after the fact; its mean is exact, ``draws`` of it give
    p-values. Coupling: the weights are shuffled, *used* for decoding, and the reference is computed
    again: what mechanics alone would show. Captured importance and τ see the order of the words
    alone, and a nearly flat map has one too: ``mass`` is the reference's mean under the weights
    themselves, over its largest value, ``Σ α_t r_t / max r``, and ``mass_chance`` what that is on
    average when the weights are permuted, ``mean r / max r``.

    A model that offers nothing has deletion alone, and not that where deletion is the audited map
    itself. Whatever else it does not allow is left out, and `missing` says why. Without
    ``reported_too`` nothing is measured that no test decides by: the coupling, and the gradient
    through attention. Of a text with more than ``candidates`` words so many are compared.
    """

    share: float = _SET["share"]
    draws: int = _SET["draws"]
    shuffles: int = _SET["shuffles"]
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    reported_too: bool = True
    candidates: int | None = None
    code: str = "agreement"
    needs: frozenset[str] = NEEDS["agreement"]
    paper: str = PAPERS["agreement"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Compute every reference once and compare attention with each."""
        maps = AttributionMaps(
            subject, trace, seeds, self.tokens_at_once, self.gradient, self.candidates
        )
        offers: frozenset[str] = subject.model.offers
        attention, mask = maps["attention"], maps.words.mask
        texts = texts_of(maps, self.share)
        weights = among(attention, texts, mask)
        orders = permutations(mask, texts.index, self.shuffles, seeds, "coupling")
        shuffles = reordered(attention, mask, orders)
        # First, because its shortened texts are those of the references too.
        coupled: list[References] = []
        if "decode" in offers and self.reported_too:
            coupled = _coupled(maps, reordered(maps.words.own, mask, orders))
        elif "decode" in offers:
            maps.deleted()
        left_out = {itself(subject), "" if self.reported_too else REPORTED}
        compared = [name for name in REFERENCES if name not in left_out]
        references = {name: maps[name] for name in compared if MAKERS[name].needs <= offers}
        out: dict[str, Array | Ragged] = {"words": mask.sum(1), "constant": flat(attention, mask)}
        compared_words = {
            name: np.where(texts.mask, values, 0.0) for name, values in references.items()
        }
        out |= self._compare(weights, compared_words, texts, seeds)
        if references.keys() >= set(FREE):
            out |= _free(out)
        out |= self._couple(shuffles, coupled, texts)
        if "gradient" in references:
            out |= self._among(compared_words, texts)
        shares = [
            np.asarray(out[f"captured.{name}"])
            for name in ("gradient", "deletion")
            if name in references
        ]
        if shares:
            out["disagreement"] = 1 - np.mean(shares, axis=0)
        return out | {name: ragged(values, mask) for name, values in references.items()}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without a ranking: one word, constant attention, a reference without
        differences.

        The mass needs no ranking of attention. What is missing is seen by the maps that are not
        there.
        """
        weighed, reasons = (
            [name for name in arrays if name.startswith("mass")],
            unranked(arrays, FLAT_REFERENCE),
        )
        undefined = count_undefined(arrays, reasons, arrays.keys() - weighed)
        counts = {"one word": reasons["one word"], "zero reference": reasons[FLAT_REFERENCE]}
        undefined |= count_undefined(arrays, counts, weighed)
        settings: dict[str, Any] = {
            "share": self.share,
            "draws": self.draws,
            "shuffles": self.shuffles,
        }
        if "gradient" in arrays:
            settings |= {
                "gradient": self.gradient,
                "attention": "held" if "free_gradient" in arrays else "through",
            }
        if self.candidates is not None:
            settings["candidates"] = self.candidates
        missing = _missing(arrays)
        if not self.reported_too:
            missing |= {name: NOT_REPORTED for name in _reported() if name not in missing}
        return Measurement(self.code, arrays, undefined, settings, missing=missing)

    def _compare(
        self, attention: Float[Array, "B W"], references: References, texts: TopkTexts, seeds: Seeds
    ) -> dict[str, Array]:
        top = ranked(attention, texts)
        permuted = shuffled(top, texts.mask, texts.index, self.draws, seeds, "after the fact")
        out = {}
        for name, reference in references.items():
            out[f"captured.{name}"] = captured(top, reference, texts.mask, texts.count)
            out[f"chance.{name}"] = by_chance(top, reference, texts)
            out[f"draws.{name}"] = captured(permuted, reference, texts.mask, texts.count).T
            out[f"tau.{name}"], out[f"significant.{name}"] = _tested(
                attention, reference, texts.mask
            )
            out[f"mass.{name}"] = mass(attention, reference, texts.mask)
            out[f"mass_chance.{name}"] = mass(_alike(texts.mask), reference, texts.mask)
        return out

    def _couple(
        self, shuffles: Float[Array, "R B W"], coupled: Sequence[References], texts: TopkTexts
    ) -> dict[str, Array]:
        out = {}
        for name in coupled[0] if coupled else ():
            pairs = [
                (weights, references[name])
                for weights, references in zip(shuffles, coupled, strict=True)
            ]
            shares = [captured(ranked(w, texts), r, texts.mask, texts.count) for w, r in pairs]
            out[f"coupling.{name}"] = np.mean(shares, axis=0)
            out[f"coupling_tau.{name}"] = np.mean(
                [_tau(w, r, texts.mask) for w, r in pairs], axis=0
            )
        return out

    def _among(self, references: References, texts: TopkTexts) -> dict[str, Array]:
        """Compare gradient and deletion with each other, in both directions."""
        pairs = [("gradient", "deletion"), ("deletion", "gradient")]
        tops = {name: ranked(references[name], texts) for name in ("gradient", "deletion")}
        shares = [captured(tops[a], references[b], texts.mask, texts.count) for a, b in pairs]
        chances = [by_chance(tops[a], references[b], texts) for a, b in pairs]
        return {
            "captured.references": np.mean(shares, axis=0),
            "chance.references": np.mean(chances, axis=0),
            "tau.references": _tau(references["gradient"], references["deletion"], texts.mask),
        }


def _alike(mask: Bool[Array, "B W"]) -> Float[Array, "B W"]:
    return np.asarray(mask / np.maximum(mask.sum(1, keepdims=True), 1))


def _free(compared: Mapping[str, Array | Ragged]) -> dict[str, Array]:
    """Average the two references that are free of attention, text by text and draw by draw.

    Neither is the truth: the gradient fades where a state saturates, a deletion where words stand
    in for each other.
    """
    pairs = {kind: [np.asarray(compared[f"{kind}.{name}"]) for name in FREE] for kind in _AVERAGED}
    return {f"{kind}.free": np.mean(pair, axis=0) for kind, pair in pairs.items()}


def _missing(arrays: Arrays) -> dict[str, str]:
    """Name every quantity that the model does not allow, with what it would have to offer."""
    lacking = {offer for name, offer in _SHOWS.items() if name not in arrays}
    absent = {name: sorted(needs & lacking) for name, needs in _needs().items()}
    found = {name: f"needs {', '.join(offers)}" for name, offers in absent.items() if offers}
    if "deletion" not in arrays:
        alone = ("deletion", *(f"{kind}.deletion" for kind in _KINDS), "disagreement")
        found |= dict.fromkeys(alone, ITSELF)
    return found


def _needs() -> dict[str, frozenset[Capability]]:
    """Say of every quantity what the model must offer for it."""
    whole = frozenset[Capability]().union(*(MAKERS[name].needs for name in FREE))
    coupled = {
        name: MAKERS[name].needs | MAKERS["free_deletion"].needs
        for name in ("gradient", "deletion")
    }
    return {
        **{name: MAKERS[name].needs for name in REFERENCES},
        **{f"{kind}.{name}": MAKERS[name].needs for name in REFERENCES for kind in _KINDS},
        **{f"{kind}.free": whole for kind in _AVERAGED},
        **{
            f"{kind}.{name}": needs
            for name, needs in coupled.items()
            for kind in ("coupling", "coupling_tau")
        },
        **{
            f"{kind}.references": MAKERS["gradient"].needs for kind in ("captured", "chance", "tau")
        },
    }


def _reported() -> list[str]:
    """Name the quantities that no test decides by."""
    coupling = [name for name in _needs() if name.startswith("coupling")]
    return [REPORTED, *(f"{kind}.{REPORTED}" for kind in _KINDS), *coupling]


def _coupled(maps: AttributionMaps, shuffles: Float[Array, "R *N B W"]) -> list[References]:
    """Compute the references of the model decoded with each shuffle; its own deletions fall out
    with them.
    """
    mixed = [like(maps.words.by_head(weights), maps.trace) for weights in shuffles]
    deletion = maps.deleted({str(k): weights for k, weights in enumerate(mixed)})
    coupled: list[References] = [{"deletion": deletion[str(k)]} for k in range(len(mixed))]
    if "embedding_grad" not in maps.subject.model.offers:
        return coupled
    slopes = maps.sloped({str(k): weights for k, weights in enumerate(mixed)})
    return [
        {"gradient": slopes[str(k)].reduced(maps.gradient), **one} for k, one in enumerate(coupled)
    ]


def _tau(
    x: Float[Array, "B W"], y: Float[Array, "B W"], mask: Bool[Array, "B W"]
) -> Float[Array, " B"]:
    """Kendall's τ-b, undefined where a side is undefined."""
    return _tested(x, y, mask)[0]


def _tested(
    x: Float[Array, "B W"], y: Float[Array, "B W"], mask: Bool[Array, "B W"]
) -> tuple[Float[Array, " B"], Float[Array, " B"]]:
    """Kendall's τ-b, and 1 where its p-value is at most .05; undefined where a side is
    undefined.
    """
    unknown = np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1)
    tau, p = kendall_test(np.nan_to_num(x), np.nan_to_num(y), mask)
    return np.where(unknown, np.nan, tau), np.where(
        unknown | np.isnan(tau), np.nan, p <= SIGNIFICANT
    )
