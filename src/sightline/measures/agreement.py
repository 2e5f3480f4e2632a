"""Are the attended words the ones that matter? Attention compared with gradients and leave-one-out
(SL-101, 102, 103, 104).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import Reduction
from sightline.core.needs import needed
from sightline.core.protocols import Arrays, Capability, MeasureContext, Trace
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import MAKERS, AttributionMaps, audited_map_name
from sightline.measures.batch_words import like
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.topk_mass import (
    FLAT_REFERENCE,
    FREE,
    TopkTexts,
    by_chance,
    mass,
    ranked,
    renormalise_compared,
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
from sightline.numerics.ties import is_flat

_SET = MEASURES["agreement"].settings
Array = np.ndarray
References = Mapping[str, Float[Array, "B W"]]
REFERENCES = ("gradient", "gradient_through", "deletion", "free_gradient", "free_deletion")
"""The maps that attention is compared with, if the model allows them."""
_KINDS = ("captured", "chance", "draws", "tau", "significant", "mass", "mass_chance")
"""The quantities that describe how far attention agrees with one of these maps."""
SIGNIFICANT: float = _SET["significant"]
"""The p-value up to which the papers call τ significant."""
_AVERAGED = ("captured", "chance", "draws", "mass", "mass_chance")
"""The quantities averaged over the two comparison maps that are free of attention."""
ITSELF = "the audited map is leave-one-out, and agreement with itself is no evidence"
REPORTED = "gradient_through"
"""A comparison map that no test uses."""
NOT_REPORTED = "left out, because it does not bear on the verdict; --full takes it"
_SHOWS: Mapping[str, Capability] = {"free_deletion": "decode", "gradient": "embedding_grad"}
"""Maps that exist if and only if the model offers this capability."""


@dataclass(frozen=True)
class Agreement:
    """Captured importance and Kendall's τ-b of attention with each comparison map, with chance
    level and mechanical agreement (``coupling``).

    Chance level: the same weights permuted after the fact. Its mean is exact; ``draws``
    permutations give p-values. Mechanical agreement: shuffled weights are *used* for decoding, and
    the comparison map is computed again, to show what the mechanism alone produces. Captured
    importance and τ see only the order of the words, which even a nearly flat map has. So ``mass``
    uses the weights: it is the mean of the comparison map under them, over its largest value, ``Σ
    α_t r_t / max r``. ``mass_chance`` is its mean when the weights are permuted, ``mean r / max
    r``.

    Every model has leave-one-out, unless leave-one-out is the audited map itself. Other maps are
    left out where the model does not allow them, and `missing` says why. Without ``reported_too``,
    the quantities that no test uses are skipped: mechanical agreement, and the gradient through
    attention. In a text with more than ``candidates`` words, only so many are compared.
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
        """Compute every comparison map once, and compare attention with each."""
        maps = AttributionMaps(
            subject, trace, seeds, self.tokens_at_once, self.gradient, self.candidates
        )
        offers: frozenset[str] = subject.model.offers
        attention, mask = maps["attention"], maps.words.mask
        texts = texts_of(maps, self.share)
        weights = renormalise_compared(attention, texts, mask)
        orders = permutations(maps.words.in_sight, texts.index, self.shuffles, seeds, "coupling")
        shuffles = reordered(attention, mask, orders)
        # First, because the comparison maps need the same shortened texts.
        coupled: list[References] = []
        if "decode" in offers and self.reported_too:
            coupled = _coupled(maps, reordered(maps.words.own, mask, orders))
        elif "decode" in offers:
            maps.deleted()
        left_out = {audited_map_name(subject), "" if self.reported_too else REPORTED}
        compared = [name for name in REFERENCES if name not in left_out]
        references = {name: maps[name] for name in compared if MAKERS[name].needs <= offers}
        out: dict[str, Array | Ragged] = {
            "words": mask.sum(1),
            "constant": is_flat(attention, texts.mask),
            "unanswered": _unanswered(references, mask, maps.candidates).astype(float),
        }
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
        """Count the texts without a ranking: one word, constant attention, or a constant comparison
        map.

        The mass needs no ranking of attention. `_missing` names the maps that were left out.
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
        """Compare gradient and leave-one-out with each other, in both directions."""
        pairs = [("gradient", "deletion"), ("deletion", "gradient")]
        tops = {name: ranked(references[name], texts) for name in ("gradient", "deletion")}
        shares = [captured(tops[a], references[b], texts.mask, texts.count) for a, b in pairs]
        chances = [by_chance(tops[a], references[b], texts) for a, b in pairs]
        return {
            "captured.references": np.mean(shares, axis=0),
            "chance.references": np.mean(chances, axis=0),
            "tau.references": _tau(references["gradient"], references["deletion"], texts.mask),
        }


def _unanswered(
    references: References, mask: Bool[Array, "B W"], asked: Bool[Array, "B W"]
) -> Bool[Array, " B"]:
    """Mark the texts of several words with no finite answer once one of them is left out."""
    several = mask.sum(1, keepdims=True) > 1
    silent = [
        (np.isnan(values) & mask & asked & several).any(axis=1)
        for name, values in references.items()
        if "deletion" in name
    ]
    return np.asarray(np.any(silent, axis=0)) if silent else np.zeros(len(mask), dtype=bool)


def _alike(mask: Bool[Array, "B W"]) -> Float[Array, "B W"]:
    return np.asarray(mask / np.maximum(mask.sum(1, keepdims=True), 1))


def _free(compared: Mapping[str, Array | Ragged]) -> dict[str, Array]:
    """Average the two comparison maps that are free of attention, text by text and draw by draw.

    Neither is the truth. The gradient vanishes where a hidden state saturates, and leave-one-out
    misses words that can replace each other.
    """
    pairs = {kind: [np.asarray(compared[f"{kind}.{name}"]) for name in FREE] for kind in _AVERAGED}
    return {f"{kind}.free": np.mean(pair, axis=0) for kind, pair in pairs.items()}


def _missing(arrays: Arrays) -> dict[str, str]:
    """Name every quantity that the model does not allow, and the capability that it lacks."""
    lacking = {offer for name, offer in _SHOWS.items() if name not in arrays}
    absent = {name: needs & lacking for name, needs in _needs().items()}
    found = {name: needed(needs) for name, needs in absent.items() if needs}
    if "deletion" not in arrays:
        alone = ("deletion", *(f"{kind}.deletion" for kind in _KINDS), "disagreement")
        found |= dict.fromkeys(alone, ITSELF)
    return found


def _needs() -> dict[str, frozenset[Capability]]:
    """Map every quantity to the capabilities that it needs."""
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
    """Name the quantities that no test uses."""
    coupling = [name for name in _needs() if name.startswith("coupling")]
    return [REPORTED, *(f"{kind}.{REPORTED}" for kind in _KINDS), *coupling]


def _coupled(maps: AttributionMaps, shuffles: Float[Array, "R *N B W"]) -> list[References]:
    """Compute the comparison maps of the model decoded with each shuffle. The same runs give the
    leave-one-out map of the model as it is.
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
    """Kendall's τ-b, and 1 where its p-value is significant; NaN where a side is undefined."""
    unknown = np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1)
    tau, p = kendall_test(np.nan_to_num(x), np.nan_to_num(y), mask)
    return np.where(unknown, np.nan, tau), np.where(
        unknown | np.isnan(tau), np.nan, p <= SIGNIFICANT
    )
