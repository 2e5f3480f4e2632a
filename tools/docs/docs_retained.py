"""Tables of models with word retention, with what Tutek & Šnajder (2020) print."""

from __future__ import annotations

from collections.abc import Iterator

from docs_tables import Stored, number, table, unfinished

_KNOWN = "input_information"
_WORDS = (
    "corpus",
    "scorer",
    "model",
    "state",
    "seeds",
    "F1",
    "probability by one word",
    "printed",
    "share within texts",
    "carried by attention (SL-303)",
    "hidden states at the highlighted words encode those words (SL-402)",
)
_STATES = (
    "corpus",
    "scorer",
    "model",
    "state",
    "pairs",
    "counted",
    "by chance",
    "printed",
    "H(word)",
    "by a probe",
    "of H",
    "from half",
)


def retained(stored: Stored) -> str:
    """Table the predictions from single words, and how much states know of their words."""
    means = stored["means"]
    return (
        f"{unfinished(stored, len(stored['rows']))}**Predictions from single words**:\n\n"
        f"{table(_WORDS, map(_words, means))}\n**What states know of their words**, in nats:\n\n"
        f"{table(_STATES, map(_states, means))}"
    )


def _named(mean: Stored) -> tuple[str, ...]:
    return mean["corpus"], mean["scorer"], mean["kind"], mean["state"]


def _words(mean: Stored) -> Iterator[str]:
    yield from _named(mean)
    yield str(mean["seeds"])
    yield from (number(mean[name]) for name in ("F1", "token_evidence.probability"))
    yield number(mean.get("printed_probability"))
    yield number(mean["token_evidence.share"])
    yield from (
        f"{number(mean[code])}, {', '.join(answers)}" for code, answers in mean["answers"].items()
    )


def _states(mean: Stored) -> Iterator[str]:
    yield from _named(mean)
    counted = mean[f"{_KNOWN}.counted"]
    yield "—" if counted is None else f"{counted['n']:,}"
    yield from (number(mean[f"{_KNOWN}.{name}"]) for name in ("counted", "counted_null"))
    yield number(mean.get("printed_information"))
    yield from (
        number(mean[f"{_KNOWN}.{name}"]) for name in ("word_entropy", "nats", "share", "nats_half")
    )
