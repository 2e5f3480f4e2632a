"""Do the highlighted words carry the decision with them? Moved into a text that was decided otherwise (SL-303)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.example import Example
from sightline.measures.arrays import WHY, cluster_of, decided, ragged, to_numpy, with_reasons
from sightline.measures.crossing import Orders, Pair, Seen, carried, orders
from sightline.measures.hybrids import rewritten
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.maps import Maps, rivals
from sightline.measures.pairing import Texts, able, donors, halves, partners
from sightline.questions import Reduction
from sightline.results import Measurement, Ragged
from sightline.seeds import Seeds
from sightline.settings import SETTINGS
from sightline.types import Arrays, Subject, Survey, Trace

_SET = SETTINGS["transplant"]
Array = np.ndarray


@dataclass(frozen=True)
class Drawn:
    """What the survey leaves, by row of the audited texts: who gives to whom, and what the model made of these.

    ``row`` finds a text by its index; ``why`` says of each reason which texts it keeps from giving.
    """

    row: Mapping[int, int]
    half: Bool[Array, " N"]
    weight: Float[Array, " N"]
    partner: Int[Array, "N K"]
    why: Mapping[str, Bool[Array, " N"]]
    logits: Float[Array, "N L"]
    orders: Mapping[int, Orders]

    def seen(self, text: Example) -> Seen:
        """Say what the model made of a text that takes part."""
        row = self.row[text.index]
        return Seen(text, self.logits[row], self.orders[row])


@dataclass(frozen=True)
class Transplant:
    """How far the top words of two texts, moved from one into the other, take the decision with them.

    A donor x decided A, a receiver y of nearly its length decided B: y with the words of x at every position that is
    among the top words of either. ``carried`` is what that does to the margin ``s_A − s_B``, ``random`` what as many
    random positions do, and ``whole`` what all words do; each is summed over the shares. A model that reads queries is
    asked that of the receiver, and the donor is x's words under it.
    """

    shares: tuple[float, ...] = tuple(_SET["shares"])
    donors: int = _SET["donors"]
    fewest: int = _SET["fewest"]
    partners: int = _SET["partners"]
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    code: str = "transplant"
    needs: frozenset[str] = frozenset()
    surveys: Survey = _SET["surveys"]
    paper: str = "ours; an interchange intervention (Geiger et al. 2021) on words: docs/decisions/0036-transplant.md"

    def look(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Keep what pairs are drawn by, the logits, and every map that the model can give."""
        return {
            "index": np.array([text.index for text in subject.texts]),
            "cluster": np.array([cluster_of(text) for text in subject.texts]),
            "decided": decided(trace),
            "logits": to_numpy(trace.logits),
            **self._maps(subject, trace, seeds),
        }

    def learn(self, arrays: Arrays, seeds: Seeds) -> Drawn:
        """Draw halves, donors and partners, and order the words of those that take part."""
        index, cluster, classes, logits = (np.asarray(arrays[n]) for n in ("index", "cluster", "decided", "logits"))
        maps = {name: value for name, value in arrays.items() if isinstance(value, Ragged)}
        words = next(iter(maps.values())).lengths
        finite = np.isfinite(logits.max(axis=1))  # the logit that decides; NaN where any is
        texts = Texts(index, words, classes, (words > 1) & finite)
        half = halves(cluster, seeds)
        giving = able(texts, half)
        of_each = max(self.fewest, self.donors // len(np.unique(classes)))
        weight = donors(texts, giving, of_each, seeds)
        partner = partners(texts, half, weight, self.partners, seeds)
        rows = {name: value.rows() for name, value in maps.items()}
        taking = np.unique(np.concatenate([np.flatnonzero(weight), partner[partner >= 0]]))
        why = {
            "one word": words < 2,
            "no finite answer": ~finite,
            "no text decided otherwise": ~giving,
            "not drawn as a donor": weight == 0,
        }
        ordered = {int(i): orders({n: each[i] for n, each in rows.items()}, int(index[i]), seeds) for i in taking}
        return Drawn({int(one): i for i, one in enumerate(index)}, half, weight, partner, why, logits, ordered)

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Move words between the donors of a batch and their partners."""
        drawn: Drawn = subject.learned
        rows = np.array([drawn.row[text.index] for text in subject.texts])
        found = self._pairs(subject, drawn, rows, seeds)
        alike = {place[0] for place, pair in found.items() if pair.decided[0] == pair.decided[1]}
        pairs = {at: one for at, one in found.items() if one.decided[0] != one.decided[1] and np.isfinite(one.whole)}
        quantities = self._measured(subject, pairs, len(rows), seeds)
        lost = np.isnan(quantities["whole"]).all(axis=1)
        return {
            "half": drawn.half[rows],
            "weight": drawn.weight[rows],
            "partner": drawn.partner[rows],
            **quantities,
            **{f"{WHY}{reason}": applies[rows] for reason, applies in drawn.why.items()},
            f"{WHY}decided alike under the other query": lost & np.isin(np.arange(len(rows)), list(alike)),
            f"{WHY}an answer that the other text does not allow": lost,
            f"{WHY}no scores for the text": ~lost,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts that gave nothing, and why."""
        values, undefined = with_reasons(arrays)
        settings = {"shares": list(self.shares), "donors": self.donors, "fewest": self.fewest}
        settings |= {"partners": self.partners, "gradient": self.gradient}
        return Measurement(self.code, values, undefined, settings)

    def _maps(self, subject: Subject, trace: Trace, seeds: Seeds) -> dict[str, Ragged]:
        maps = Maps(subject, trace, seeds, self.tokens_at_once, self.gradient)
        return {name: ragged(maps[name], maps.words.mask) for name in rivals(subject)}

    def _pairs(
        self, subject: Subject, drawn: Drawn, rows: Int[Array, " B"], seeds: Seeds
    ) -> dict[tuple[int, int], Pair]:
        """Bring donors and receivers together, by row of the batch and partner."""
        places = [(b, k) for b, row in enumerate(rows) for k in range(self.partners) if drawn.partner[row, k] >= 0]
        giving = [subject.texts[b] for b, _ in places]
        receivers = [drawn.seen(subject.audited[drawn.partner[rows[b], k]]) for b, k in places]
        asked = any(text.query is not None for text in giving)
        given = self._asked(subject, giving, receivers, seeds) if asked else map(drawn.seen, giving)
        return {place: Pair(x, y) for place, x, y in zip(places, given, receivers, strict=True)}

    def _asked(
        self, subject: Subject, giving: Sequence[Example], receivers: Sequence[Seen], seeds: Seeds
    ) -> list[Seen]:
        """Ask the receiver's query of each donor's words: a text of its own, with an answer and maps of its own."""
        texts = tuple(
            replace(rewritten(x, x.tokens), query=y.text.query, candidates=y.text.candidates)
            for x, y in zip(giving, receivers, strict=True)
        )
        trace = subject.model.trace(subject.model.collate(texts))
        rows = {n: one.rows() for n, one in self._maps(replace(subject, texts=texts, shared={}), trace, seeds).items()}
        return [
            Seen(text, logits, orders({name: each[i] for name, each in rows.items()}, text.index, seeds))
            for i, (text, logits) in enumerate(zip(texts, to_numpy(trace.logits), strict=True))
        ]

    def _measured(
        self, subject: Subject, pairs: Mapping[tuple[int, int], Pair], texts: int, seeds: Seeds
    ) -> dict[str, Float[Array, "B K"]]:
        names = rivals(subject)
        quantities = ("whole", *(f"{kind}.{name}" for name in names for kind in ("carried", "random")))
        out = {name: np.full((texts, self.partners), np.nan) for name in quantities}
        asked = [pair.hybrids(names, self.shares, seeds) for pair in pairs.values()]
        found = carried(subject.model, list(pairs.values()), asked, self.tokens_at_once)
        for (place, pair), sums in zip(pairs.items(), found, strict=True):
            out["whole"][place] = sum(pair.whole for _ in self.shares)
            for name, value in sums.items():
                out[name][place] = value
        return out
