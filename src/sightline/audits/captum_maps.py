"""``captum:NAME``: an attribution computed by Captum, as one more map over the words.

It attributes the logit of the predicted class to the embeddings. The baseline is the same text with
the embeddings of its words set to zero. Padding and tokens that belong to no word keep their
embeddings, so they get no attribution.
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
from sightline.adapters.trace_checks import checked_trace
from sightline.adapters.validate_outputs import call_user_code
from sightline.audits.measure_pass import Progress
from sightline.audits.stop_limits import ignore
from sightline.config.word_maps import CAPTUM, is_attribution
from sightline.core.errors import MissingExtra, ModelError, SpecError
from sightline.core.example import Example
from sightline.core.installation import install_line
from sightline.core.protocols import Auditable, Trace
from sightline.core.seeds import seed_for
from sightline.data.batches import MAX_TOKENS, length_batches
from sightline.measures.batch_words import words_of
from sightline.measures.trace_arrays import decided
from sightline.numerics import subwords
from sightline.numerics.tensors import to_numpy

NEAR = 0.05
"""The largest relative gap between the sum of a text's attributions and the change of its logit;
larger gaps are reported."""


@dataclass(frozen=True)
class Method:
    """The arguments that an attribution takes, and the properties of its numbers."""

    baseline: bool = True
    """Whether it takes a baseline."""
    by_word: bool = False
    """Whether it changes a word as a whole, so that each number of a word is the number of the
    whole word."""
    draws: bool = False
    """Whether it draws random numbers: then it runs text by text, with each text's own seed."""
    adds_up: bool = False
    """Whether its numbers should add up to the change of the logit."""
    signed: bool = True
    """Whether its numbers have signs: for or against the prediction."""
    steps: bool = False
    """Whether it runs each text many times, so that the number of runs in memory has to be limited."""


METHODS: Mapping[str, Method] = {
    "DeepLift": Method(adds_up=True),
    "FeatureAblation": Method(by_word=True),
    "GradientShap": Method(draws=True),
    "InputXGradient": Method(baseline=False),
    "IntegratedGradients": Method(adds_up=True, steps=True),
    "Saliency": Method(baseline=False, signed=False),
    "ShapleyValueSampling": Method(by_word=True, draws=True),
}
"""The supported attributions of Captum, each with its own defaults."""


@dataclass(frozen=True)
class Attributed:
    """The attributions to the words of each text, by its id, and the number of texts where they do
    not add up.
    """

    name: str
    by_id: Mapping[str, Float[np.ndarray, " W"]]
    missed: int = 0

    @property
    def sizes(self) -> dict[str, Float[np.ndarray, " W"]]:
        """The size of each word's attribution, without its sign."""
        return {name: np.abs(values) for name, values in self.by_id.items()}

    @property
    def signed(self) -> Mapping[str, Float[np.ndarray, " W"]]:
        """The attributions with signs, if the method has signs."""
        return self.by_id if METHODS[self.name.removeprefix(CAPTUM)].signed else {}

    def about(self) -> dict[str, Any]:
        """Describe the method in plain values, with the number of texts where its numbers do not
        add up.
        """
        text = (
            f"{self.missed} of {len(self.by_id)} texts: the numbers of the words miss the change "
            "of the logit"
        )
        notes = [f"{text} by more than {NEAR:.0%} of it"] if self.missed else []
        return {
            "file": self.name,
            "captum": version("captum"),
            "texts": len(self.by_id),
            "notes": notes,
        }


class PredictedLogit(nn.Module):
    """The logit of the predicted class, computed from embeddings; Captum says which row of the
    batch each one is.
    """

    def __init__(self, model: Auditable, trace: Trace) -> None:
        super().__init__()
        self.inside = module_of(model)  # a submodule: DeepLift looks for nonlinear modules in it
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


def known_attribution(scores: object) -> str:
    """Give the name behind ``captum:``; an error if Captum is missing or does not have it."""
    name = str(scores).removeprefix(CAPTUM)
    if not is_attribution(scores) or name not in METHODS:
        message = f"{scores}: expected one of {', '.join(f'{CAPTUM}{one}' for one in METHODS)}"
        raise SpecError(message, field="scores")
    _captum()
    return name


def attributed(
    scores: str,
    model: Auditable,
    texts: Sequence[Example],
    seed: int,
    batch_size: int,
    on_progress: Progress = ignore,
) -> Attributed:
    """Attribute the logit of each text to its words: sums over the embedding and over the pieces of
    a word.
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
        trace = checked_trace(model, here)
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
            f"{scores}: in {missed} of {len(texts)} texts its numbers do not add up to the change "
            "of the logit"
        )
        change = (
            "DeepLift sees nonlinear steps only where they are modules of their own, "
            "such as nn.Tanh"
        )
        raise ModelError(message, change=f"take another attribution; {change}")
    return Attributed(scores, by_id, missed)


def _of_batch(
    name: str, model: Auditable, trace: Trace, seed: int
) -> tuple[Float[np.ndarray, "B T"], int]:
    """Give the sum over the embedding for every token, and the number of texts where the numbers do
    not add up.
    """
    method, answer, rows = (
        METHODS[name],
        PredictedLogit(model, trace),
        torch.arange(len(trace.batch)).to(trace.batch.ids),
    )
    inputs = trace.embeddings.detach().clone().requires_grad_()
    baseline = torch.where(trace.batch.attendable[:, :, None], 0.0, inputs.detach())
    options: dict[str, Any] = {"baselines": baseline} if method.baseline else {}
    if method.by_word:
        options["feature_mask"] = _by_word(trace)
        options["perturbations_per_eval"] = max(1, MAX_TOKENS // trace.batch.ids.numel())
    if method.steps:
        options["internal_batch_size"] = max(len(rows), MAX_TOKENS // inputs.shape[1])
    maker = getattr(_captum(), name)(answer)
    with _drawn(seed, trace), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of hooks that it sets and removes
        found = call_user_code(
            f"Captum's {name}", _attribute, maker, inputs, rows, options
        ).detach()
    total = found.mean(-1) if method.by_word else found.sum(-1)
    return to_numpy(total), _missed(answer, inputs, baseline, total) if method.adds_up else 0


def _missed(
    answer: PredictedLogit,
    inputs: Float[torch.Tensor, "B T E"],
    baseline: Float[torch.Tensor, "B T E"],
    total: Float[torch.Tensor, "B T"],
) -> int:
    """Count the texts whose attributions do not add up to the change of the logit from the
    baseline, or are no numbers.
    """
    rows = torch.arange(len(inputs)).to(inputs.device)
    with torch.no_grad():
        moved = answer(inputs, rows) - answer(baseline, rows)
    return int((~((total.sum(1) - moved).abs() <= NEAR * moved.abs())).sum())


def _attribute(
    maker: Any, inputs: torch.Tensor, rows: torch.Tensor, options: Mapping[str, Any]
) -> torch.Tensor:
    found: torch.Tensor = maker.attribute(inputs, additional_forward_args=(rows,), **options)
    return found


def _by_word(trace: Trace) -> Int[torch.Tensor, "B T E"]:
    """Number the features: the pieces of a word share one, and everything that is no word shares
    the last, whose attribution is zero.
    """
    words = trace.batch.word.masked_fill(~trace.batch.attendable, -1)
    rest = int(words.max()) + 1
    return (
        words.masked_fill(words < 0, rest)[:, :, None].expand(trace.embeddings.shape).contiguous()
    )


@contextmanager
def _drawn(seed: int, trace: Trace) -> Iterator[None]:
    """Seed both generators that Captum draws from by the first text, and restore their states
    afterwards.
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
