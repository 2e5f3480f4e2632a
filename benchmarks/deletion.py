"""Leave-one-out by true deletion: from what the shortened texts share, against the plain ways, and
against Captum.

All models are untrained and of the papers' size, in float64, as an audit asks them. Three plain
ways:

* *position by position*, as in Jain & Wallace's released code: delete position i from every text of a padded batch, run
  it, and go on to the next. It costs about 10 ms a text there (SST, mean length 18, 256 state
  units, float32);
* *batched*: all shortened texts together, each run by itself, as this package did before;
* `FeatureAblation` of Captum, which is handed a function that deletes the words whose number is that of padding, so
  that the question is the same. It comes with one word of every text at a time; its best of several
  is taken, too.

What each costs a text is printed beside the ratio, with what the machine makes of a product of two
matrices: a plain way counts only where it is not slow for other reasons. Of a BiLSTM it says too
how many times as many multiplications the plain way takes: what a ratio is above that, the plain
way owes to other things. Everything is seconds of one processor, in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import torch
from compare import compare, model_and_batch, processor_seconds, quick
from compare.machine import gigaflops
from compare.texts import like
from compare.unshared import unshared

from sightline.config.spec_syntax import parse_model
from sightline.core.protocols import Batch
from sightline.data.vocabulary import PAD
from sightline.measures.importance import deletion_importance
from sightline.models.classifier import AttentionClassifier, build
from sightline.models.encoders.bilstm import BiLSTM
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.tensors import to_numpy

TOGETHER = (4, 16, 64)
"""How many words of every text Captum may be told to take together."""
Way = Callable[[AttentionClassifier, Batch], np.ndarray]
"""Gives for each word of each text what its loss does to the output."""


def main() -> None:
    """Compare each pair of ways on the same texts."""
    model, batch = model_and_batch(texts=32 if quick() else 128)
    against(
        model.double(),
        batch,
        "texts of 6 to 30 words",
        1,
        position_by_position,
        "one position at a time",
    )
    for encoder, corpus, texts, wanted in (
        ("bilstm", "SST", 64, 3),
        ("bilstm", "IMDB", 6, 3),
        ("mlp", "IMDB", 6, 50),
    ):
        made, read, label = built(encoder, corpus, texts)
        against(made, read, label, wanted, batched, "all shortened texts, each by itself")
    if find_spec("captum") is None:
        print(
            "Captum is not installed, so nothing is compared with it: pip install '.[captum]'",
            file=sys.stderr,
        )
        return
    for corpus, texts in (("SST", 32), ("IMDB", 3)):
        made, read, label = built("bilstm", corpus, texts)
        against(made, read, label, 10, ablation(1), "FeatureAblation of Captum as it comes")
        best = min(TOGETHER, key=lambda one: taken(ablation(one), made, read))
        against(
            made,
            read,
            label,
            5,
            ablation(best),
            f"FeatureAblation of Captum, {best} words of a text together",
        )


def built(encoder: str, corpus: str, texts: int) -> tuple[AttentionClassifier, Batch, str]:
    """Build an untrained model and a batch of texts as long as those of a corpus."""
    label, examples, vocabulary = like(corpus, min(texts, 4) if quick() else texts)
    made = build(
        parse_model(f"{encoder}+additive", embedding=300), vocabulary, ("a", "b"), 0
    ).double()
    return made, made.collate(examples), f"{encoder} on {label}"


def against(
    model: AttentionClassifier,
    batch: Batch,
    description: str,
    wanted: float,
    theirs: Way,
    name: str,
) -> None:
    """Time what is shared against a plain way, and compare the importances."""
    compare(
        f"deletion, {description}",
        name,
        lambda: shared(model, batch),
        lambda: theirs(model, batch),
        lambda ours, others: bool(np.allclose(ours, others, rtol=0, atol=1e-10)),
        "importances equal to 1e-10",
        len(batch),
        wanted=wanted,
        clock=processor_seconds,
        words=round(float(batch.mask.sum(1).double().mean()), 1),
        matrix_gflops=gigaflops(torch.float64),
        **(
            {"multiplications": multiplied(model.encoder, batch)}
            if isinstance(model.encoder, BiLSTM)
            else {}
        ),
    )


def multiplied(encoder: BiLSTM, batch: Batch) -> float:
    """Say how many times as many multiplications the plain way takes under an additive scorer of
    half the states.

    It runs T texts of T − 1 words, all of a state. What is shared runs each text once, the products
    with each distinct word once, and of the T² states of shortened texts one half each: the other
    one is that of the text.
    """
    units, embedding = encoder.lstm.hidden_size, encoder.lstm.input_size
    from_word, from_state, read = 4 * units * embedding, 4 * units * units, units * (units + 1)
    whole = 2 * (from_word + from_state + read)
    words, squares = float(batch.mask.sum()), float(batch.mask.sum(1).double().square().sum())
    ours = words * whole + 2 * len(batch.ids.unique()) * from_word + squares * (from_state + read)
    return round(squares * whole / ours, 2)  # the whole texts, too: T (T − 1) + T


def taken(way: Way, model: AttentionClassifier, batch: Batch) -> float:
    """Time a way once."""
    return processor_seconds(lambda: way(model, batch))


def shared(model: AttentionClassifier, batch: Batch) -> np.ndarray:
    """Delete every word as an audit does."""
    return deletion_importance(model, model.trace(batch), {})["own"]


def batched(model: AttentionClassifier, batch: Batch) -> np.ndarray:
    """Run all shortened texts together, each by itself."""
    return deletion_importance(unshared(model), model.trace(batch), {})["own"]


def position_by_position(model: AttentionClassifier, batch: Batch) -> np.ndarray:
    """Delete one position of all texts, and then the next."""
    own = probabilities(to_numpy(model.trace(batch).logits))
    out = np.zeros(tuple(batch.ids.shape))
    for column in range(batch.ids.shape[1]):
        rows = torch.nonzero(batch.attendable[:, column])[:, 0]
        kept = batch.mask[rows] & (torch.arange(batch.ids.shape[1]) != column)
        shorter = model.trace(batch.rows(rows).keep(kept))
        out[to_numpy(rows), column] = total_variation(
            probabilities(to_numpy(shorter.logits)), own[to_numpy(rows)]
        )
    return out


def ablation(together: int) -> Way:
    """Let Captum delete the words, so many of every text together."""
    from captum.attr import FeatureAblation  # noqa: PLC0415 (an extra of its own)

    def way(model: AttentionClassifier, batch: Batch) -> np.ndarray:
        def answer(ids: torch.Tensor) -> torch.Tensor:
            rows = torch.arange(len(batch)).repeat(len(ids) // len(batch))
            left = replace(batch.rows(rows), ids=ids).keep(ids != PAD)
            return model.trace(left).logits[:, 0].sigmoid()

        words = torch.arange(batch.ids.shape[1])[None]
        found = FeatureAblation(answer).attribute(
            batch.ids, baselines=PAD, feature_mask=words, perturbations_per_eval=together
        )
        return np.abs(to_numpy(found.double()))

    return way


if __name__ == "__main__":
    main()
