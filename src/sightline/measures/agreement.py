"""Are the attended words the ones that matter? Attention against the references (SL-101, 102, 103, 104)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.maths.ranks import captured, captured_by_chance, inclusion, kendall_tau_b, top_count
from sightline.maths.ties import constant
from sightline.measures.arrays import count_undefined, ragged, shuffled
from sightline.measures.importance import TOKENS_AT_ONCE, gradient_importance
from sightline.measures.maps import MAKERS, Maps
from sightline.measures.words import like
from sightline.results import Measurement, Ragged
from sightline.seeds import Seeds
from sightline.types import Arrays, Subject, Trace

Array = np.ndarray
References = Mapping[str, Float[Array, "B W"]]
REFERENCES = ("gradient", "gradient_through", "deletion", "free_gradient", "free_deletion")
"""The maps that attention is compared with."""
_KINDS = ("captured", "chance", "draws")


@dataclass(frozen=True)
class Texts:
    """What every comparison of a batch needs: which words are real, how many count as top, whose text it is."""

    mask: Bool[Array, "B W"]
    count: Int[Array, " B"]
    index: Int[Array, " B"]


@dataclass(frozen=True)
class Agreement:
    """Captured importance and Kendall's τ-b of attention with each reference, with floor and coupling.

    Floor: the same weights permuted after the fact; its mean is exact, ``draws`` of it give p-values. Coupling: the
    weights are shuffled, *used* for decoding, and the reference is computed again: what mechanics alone would show.
    """

    share: float = 0.1
    draws: int = 199
    shuffles: int = 3
    tokens_at_once: int = TOKENS_AT_ONCE
    code: str = "agreement"
    needs: frozenset[str] = frozenset().union(*(MAKERS[name].needs for name in REFERENCES))
    paper: str = "Jain & Wallace 2019, §4.1; Meister et al. 2021, §5"

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Compute every reference once and compare attention with each."""
        maps = Maps(subject, trace, seeds, self.tokens_at_once)
        attention, mask = maps["attention"], maps.words.mask
        texts = Texts(mask, top_count(mask.sum(1), self.share), maps.words.index)
        shuffles = shuffled(attention, mask, texts.index, self.shuffles, seeds, "coupling")
        coupled = _coupled(maps, shuffles)
        references = {name: maps[name] for name in REFERENCES}
        out: dict[str, Array | Ragged] = {"words": mask.sum(1), "constant": constant(attention, mask)}
        out |= self._compare(attention, references, texts, seeds)
        out |= _free(out)
        out |= self._couple(shuffles, coupled, texts)
        out |= self._among(references, texts)
        both = np.stack([np.asarray(out["captured.gradient"]), np.asarray(out["captured.deletion"])])
        out["disagreement"] = 1 - both.mean(axis=0)
        return out | {name: ragged(values, mask) for name, values in references.items()}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without a ranking: one word, constant attention, a reference without differences."""
        one, constant = np.asarray(arrays["words"]) < 2, np.asarray(arrays["constant"])
        rest = ~one & ~constant
        reasons = {"one word": one, "constant attention": constant, "constant or zero reference": rest}
        settings = {"share": self.share, "draws": self.draws, "shuffles": self.shuffles}
        return Measurement(self.code, arrays, count_undefined(arrays, reasons), settings)

    def _compare(
        self, attention: Float[Array, "B W"], references: References, texts: Texts, seeds: Seeds
    ) -> dict[str, Array]:
        top = _ranked(attention, texts)
        permuted = shuffled(top, texts.mask, texts.index, self.draws, seeds, "after the fact")
        out = {}
        for name, reference in references.items():
            out[f"captured.{name}"] = captured(top, reference, texts.mask, texts.count)
            out[f"chance.{name}"] = _by_chance(top, reference, texts)
            out[f"draws.{name}"] = captured(permuted, reference, texts.mask, texts.count).T
            out[f"tau.{name}"] = _tau(attention, reference, texts.mask)
        return out

    def _couple(self, shuffles: Float[Array, "R B W"], coupled: Sequence[References], texts: Texts) -> dict[str, Array]:
        out = {}
        for name in ("gradient", "deletion"):
            pairs = [(weights, references[name]) for weights, references in zip(shuffles, coupled, strict=True)]
            shares = [captured(_ranked(w, texts), r, texts.mask, texts.count) for w, r in pairs]
            out[f"coupling.{name}"] = np.mean(shares, axis=0)
            out[f"coupling_tau.{name}"] = np.mean([_tau(w, r, texts.mask) for w, r in pairs], axis=0)
        return out

    def _among(self, references: References, texts: Texts) -> dict[str, Array]:
        """Compare gradient and deletion with each other, in both directions."""
        pairs = [("gradient", "deletion"), ("deletion", "gradient")]
        tops = {name: _ranked(references[name], texts) for name in ("gradient", "deletion")}
        shares = [captured(tops[a], references[b], texts.mask, texts.count) for a, b in pairs]
        chances = [_by_chance(tops[a], references[b], texts) for a, b in pairs]
        return {
            "captured.references": np.mean(shares, axis=0),
            "chance.references": np.mean(chances, axis=0),
            "tau.references": _tau(references["gradient"], references["deletion"], texts.mask),
        }


def _free(compared: Mapping[str, Array | Ragged]) -> dict[str, Array]:
    """Average the two references that are free of attention, text by text and draw by draw.

    Neither is the truth: the gradient fades where a state saturates, a deletion where words stand in for each other.
    """
    pairs = {
        kind: [np.asarray(compared[f"{kind}.free_{name}"]) for name in ("gradient", "deletion")] for kind in _KINDS
    }
    return {f"{kind}.free": np.mean(pair, axis=0) for kind, pair in pairs.items()}


def _coupled(maps: Maps, shuffles: Float[Array, "R B W"]) -> list[References]:
    """Compute the references of the model decoded with each shuffle; its own deletions fall out with them."""
    mixed = [like(maps.words.weights(weights), maps.trace) for weights in shuffles]
    deletion = maps.deleted({str(k): weights for k, weights in enumerate(mixed)})
    return [
        {"gradient": gradient_importance(maps.subject.model, maps.trace, weights), "deletion": deletion[str(k)]}
        for k, weights in enumerate(mixed)
    ]


def _ranked(values: Float[Array, "B W"], texts: Texts) -> Float[Array, "B W"]:
    """Include the top words of each text; NaN where all are alike or undefined, since then none is on top."""
    known = np.nan_to_num(values)
    no_ranking = constant(known, texts.mask) | np.isnan(values).any(axis=1)
    return np.where(no_ranking[:, None], np.nan, inclusion(known, texts.mask, texts.count))


def _by_chance(top: Float[Array, "B W"], reference: Float[Array, "B W"], texts: Texts) -> Float[Array, " B"]:
    """The exact mean of the floor, on the texts for which the number itself is defined."""
    chance = captured_by_chance(reference, texts.mask, texts.count)
    return np.asarray(np.where(np.isnan(top).any(axis=1), np.nan, chance))


def _tau(x: Float[Array, "B W"], y: Float[Array, "B W"], mask: Bool[Array, "B W"]) -> Float[Array, " B"]:
    """Kendall's τ-b, undefined where a side is undefined."""
    unknown = np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1)
    return np.asarray(np.where(unknown, np.nan, kendall_tau_b(np.nan_to_num(x), np.nan_to_num(y), mask)))
