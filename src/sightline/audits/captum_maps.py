"""``captum:NAME``: an attribution of Captum as one more map over the words, taken as its own
library takes it.

It is asked of embeddings, for the logit of the decided class. What is held against a text is the
same text with its words' embeddings set to zero; tokens of no word, and padding, keep theirs, so
that they get nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import nn

from sightline.adapters.checks.probe_batch import module_of
from sightline.adapters.trace_checks import asked
from sightline.adapters.validate_outputs import called
from sightline.audits.measure_pass import Progress
from sightline.core.errors import MissingExtra, ModelError, SpecError
from sightline.core.example import Example
from sightline.core.installation import install_line
from sightline.core.protocols import Auditable, Trace
from sightline.core.seeds import seed_for
from sightline.data.batches import MAX_TOKENS, length_batches
from sightline.measures.batch_words import words_of
from sightline.measures.trace_arrays import decided, to_numpy
from sightline.numerics import subwords

PREFIX = "captum:"
NEAR = 0.05
"""Numbers of a text that ought to add up to what its answer moves, and miss it by more of it, are
told."""


@dataclass(frozen=True)
class Method:
    """What an attribution is asked with, and what its numbers are."""

    baseline: bool = True
    """Whether it takes what a text is held against."""
    by_word: bool = False
    """Whether it moves a word as a whole, so that each of a word's numbers is that of the word."""
    draws: bool = False
    """Whether it draws: then text by text, from the seed of each."""
    adds_up: bool = False
    """Whether its numbers ought to add up to what the answer moves."""
    signed: bool = True
    """Whether it takes sides."""
    steps: bool = False
    """Whether it runs each text many times over, of which only so many may be in memory at once."""


METHODS: Mapping[str, Method] = {
    "DeepLift": Method(adds_up=True),
    "FeatureAblation": Method(by_word=True),
    "GradientShap": Method(draws=True),
    "InputXGradient": Method(baseline=False),
    "IntegratedGradients": Method(adds_up=True, steps=True),
    "Saliency": Method(baseline=False, signed=False),
    "ShapleyValueSampling": Method(by_word=True, draws=True),
}
"""The attributions of Captum that are known here, each with its own defaults."""


@dataclass(frozen=True)
class Attributed:
    """The words of each text by its id, for the decision or against it; of how many they miss what
    the answer moves.
    """

    name: str
    by_id: Mapping[str, Float[np.ndarray, " W"]]
    missed: int = 0

    @property
    def sizes(self) -> dict[str, Float[np.ndarray, " W"]]:
        """How much each word matters, either way."""
        return {name: np.abs(values) for name, values in self.by_id.items()}

    @property
    def signed(self) -> Mapping[str, Float[np.ndarray, " W"]]:
        """The words with their directions, where the attribution has any."""
        return self.by_id if METHODS[self.name.removeprefix(PREFIX)].signed else {}

    def about(self) -> dict[str, Any]:
        """Say in plain values what made them, and of how many texts they do not add up."""
        text = (
            f"{self.missed} of {len(self.by_id)} texts: the numbers of the words miss what the "
            "answer moves"
        )
        notes = [f"{text} by more than {NEAR:.0%} of it"] if self.missed else []
        return {
            "file": self.name,
            "captum": version("captum"),
            "texts": len(self.by_id),
            "notes": notes,
        }


class PredictedLogit(nn.Module):
    """The logit of the class that was decided on, from embeddings; Captum says of which row of the
    batch each is.
    """

    def __init__(self, model: Auditable, trace: Trace) -> None:
        super().__init__()
        self.inside = module_of(
            model
        )  # a part of this one: DeepLift looks for what is not linear in it
        self.model, self.batch = (
            [model],
            trace.batch,
        )  # in a list, so that no model is registered twice
        self.chosen = torch.from_numpy(decided(trace)).to(trace.logits.device)

    def forward(
        self, embeddings: Float[torch.Tensor, "N T E"], rows: Int[torch.Tensor, " N"]
    ) -> Float[torch.Tensor, " N"]:
        """Run the texts of the rows from embeddings of theirs."""
        logits = self.model[0].trace(self.batch.rows(rows), embeddings).logits
        chosen = self.chosen[rows]
        if logits.shape[1] == 1:
            return torch.where(chosen == 1, logits[:, 0], -logits[:, 0])
        return logits.gather(1, chosen[:, None])[:, 0]


def is_attribution(scores: object) -> bool:
    """Tell the name of an attribution from a file."""
    return str(scores).startswith(PREFIX)


def known_attribution(scores: object) -> str:
    """Give the name behind ``captum:``, where Captum is there and has it."""
    name = str(scores).removeprefix(PREFIX)
    if not is_attribution(scores) or name not in METHODS:
        message = f"{scores}: expected one of {', '.join(f'{PREFIX}{one}' for one in METHODS)}"
        raise SpecError(message, field="scores")
    _captum()
    return name


def attributed(
    scores: str,
    model: Auditable,
    texts: Sequence[Example],
    seed: int,
    batch_size: int,
    on_progress: Progress = lambda done, total: None,
) -> Attributed:
    """Attribute the answer to each text to its words: the sum over the embedding and over a word's
    pieces.
    """
    name = known_attribution(scores)
    if "embedding_grad" not in model.offers:
        raise ModelError(
            f"{scores}: {model.name} does not start from embeddings", change="leave --scores out"
        )
    by_id: dict[str, Float[np.ndarray, " W"]] = {}
    missed = done = 0
    for rows in length_batches(texts, 1 if METHODS[name].draws else batch_size):
        here = [texts[row] for row in rows]
        trace = asked(model, here)
        values, apart = _of_batch(name, model, trace, seed)
        words = words_of(trace)
        by_word = words.of(values)
        if METHODS[name].by_word and words.shares is not None:
            by_word = by_word / np.maximum(subwords.counts(words.place), 1)
        by_id |= {
            text.id: one[real] for text, one, real in zip(here, by_word, words.mask, strict=True)
        }
        missed, done = missed + apart, done + len(rows)
        on_progress(done, len(texts))
    if missed > len(texts) / 2:
        message = (
            f"{scores}: of {missed} of {len(texts)} texts its numbers miss what the answer moves"
        )
        change = (
            "DeepLift sees no step that is not linear but those that are modules of their own, "
            "such as nn.Tanh"
        )
        raise ModelError(message, change=f"take another attribution; {change}")
    return Attributed(scores, by_id, missed)


def _of_batch(
    name: str, model: Auditable, trace: Trace, seed: int
) -> tuple[Float[np.ndarray, "B T"], int]:
    """Give the sum over the embedding of every token, and how many texts' numbers do not add up."""
    method, answer, rows = (
        METHODS[name],
        PredictedLogit(model, trace),
        torch.arange(len(trace.batch)).to(trace.batch.ids),
    )
    inputs = trace.embeddings.detach().clone().requires_grad_()
    baseline = torch.where(trace.batch.attendable[:, :, None], 0.0, inputs.detach())
    beside: dict[str, Any] = {"baselines": baseline} if method.baseline else {}
    if method.by_word:
        beside["feature_mask"] = _by_word(trace)
        beside["perturbations_per_eval"] = max(1, MAX_TOKENS // trace.batch.ids.numel())
    if method.steps:
        beside["internal_batch_size"] = max(len(rows), MAX_TOKENS // inputs.shape[1])
    maker = getattr(_captum(), name)(answer)
    with _drawn(seed, trace), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of hooks that it sets and removes
        found = called(f"Captum's {name}", _attribute, maker, inputs, rows, beside).detach()
    total = found.mean(-1) if method.by_word else found.sum(-1)
    return to_numpy(total), _missed(answer, inputs, baseline, total) if method.adds_up else 0


def _missed(
    answer: PredictedLogit,
    inputs: Float[torch.Tensor, "B T E"],
    baseline: Float[torch.Tensor, "B T E"],
    total: Float[torch.Tensor, "B T"],
) -> int:
    """Count the texts whose numbers do not add up to what the answer moves from the baseline."""
    rows = torch.arange(len(inputs)).to(inputs.device)
    with torch.no_grad():
        moved = answer(inputs, rows) - answer(baseline, rows)
    return int(((total.sum(1) - moved).abs() > NEAR * moved.abs()).sum())


def _attribute(
    maker: Any, inputs: torch.Tensor, rows: torch.Tensor, beside: Mapping[str, Any]
) -> torch.Tensor:
    found: torch.Tensor = maker.attribute(inputs, additional_forward_args=(rows,), **beside)
    return found


def _by_word(trace: Trace) -> Int[torch.Tensor, "B T E"]:
    """Number what is moved together: the pieces of a word; last all that is no word, which moves
    nothing.
    """
    words = trace.batch.word.masked_fill(~trace.batch.attendable, -1)
    rest = int(words.max()) + 1
    return (
        words.masked_fill(words < 0, rest)[:, :, None].expand(trace.embeddings.shape).contiguous()
    )


@contextmanager
def _drawn(seed: int, trace: Trace) -> Iterator[None]:
    """Draw from the seed of the first text, by both generators that Captum draws from, and leave
    them as they were.
    """
    here = seed_for(seed, "captum", int(trace.batch.index[0]))
    device, before = trace.embeddings.device, np.random.get_state()  # noqa: NPY002  (it is the one that Captum uses)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(here)
        np.random.seed(here % 2**32)  # noqa: NPY002  (as above)
        try:
            yield
        finally:
            np.random.set_state(before)  # noqa: NPY002  (as above)


def _captum() -> ModuleType:
    try:
        import captum.attr  # noqa: PLC0415  (an extra)
    except ImportError as error:
        message = "attributions of Captum need captum, which is not installed"
        raise MissingExtra(f"{message}; install it: {install_line('captum')}") from error
    found: ModuleType = captum.attr
    return found
