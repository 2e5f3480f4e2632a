"""``sightline vectors``: word vectors from the training texts at hand, for those who have no pretrained ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.api.data import data_places, read_source
from sightline.bounds import WIDTH, WINDOW
from sightline.cli import flags
from sightline.cli.output import emit, say, writing
from sightline.cli.places import Output, check_places

if TYPE_CHECKING:
    import numpy as np

Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FILE",
        show_default=False,
        help="The file to write, in GloVe's form, for --vectors.",
        rich_help_panel="Output",
    ),
]
Dimension = Annotated[
    int,
    typer.Option(
        "--dimension", metavar="N", min=1, max=WIDTH.most, help="Numbers a vector.", rich_help_panel="Vectors"
    ),
]
Window = Annotated[
    int,
    typer.Option(
        "--window",
        metavar="N",
        min=1,
        max=WINDOW.most,
        help="Words on either side that count as beside.",
        rich_help_panel="Vectors",
    ),
]
Near = Annotated[
    list[str] | None,
    typer.Option(
        "--near",
        metavar="WORD",
        show_default="none",
        help="Also print the words nearest to this one; may be repeated.",
        rich_help_panel="Vectors",
    ),
]


def vectors(
    data: flags.Data,
    out: Out,
    text: flags.Text = "text",
    label: flags.Label = "label",
    split: flags.Split = "split",
    rationale: flags.Rationale = "rationale",
    query: flags.Query = "",
    recipe: flags.Recipe = "clean",
    max_tokens: flags.MaxTokens = 512,
    min_count: flags.MinCount = None,
    dimension: Dimension = 300,
    window: Window = 5,
    near: Near = None,
    seed: flags.Seed = 0,
    as_json: flags.Json = False,
) -> None:
    """Make word vectors from the training texts, and write them.

    Counts of words that stand together, weighed by pointwise mutual information, and their singular vectors: the same
    texts give the same vectors.
    """
    from sightline.data.loading import fit_vocabulary, load  # noqa: PLC0415  (as late as it is needed)
    from sightline.data.ppmi import ppmi_vectors  # noqa: PLC0415  (as late as it is needed)
    from sightline.data.vectors import write_vectors  # noqa: PLC0415  (as late as it is needed)

    columns = {"text": text, "label": label, "split": split, "rationale": rationale, "query": query}
    spec = read_source(data, **columns, recipe=recipe, max_tokens=max_tokens, min_count=min_count or 1)
    check_places(data_places(spec), Output("--out", out))
    dataset = load(spec, seed)
    vocabulary = fit_vocabulary(dataset, spec)
    rows = ppmi_vectors(dataset.train, vocabulary, dimension, window)
    with writing(out):
        write_vectors(out, vocabulary.words, rows)
    about = {"texts": len(dataset.train), "words": len(vocabulary.words), "dimension": dimension, "window": window}
    return show(out, about, neighbours(vocabulary.words, rows, near or ()), as_json)


def neighbours(words: tuple[str, ...], rows: np.ndarray, near: list[str] | tuple[()]) -> dict[str, Any]:
    """Give the nearest words, with their cosines, of each word that is asked for."""
    from sightline.data.ppmi import nearest  # noqa: PLC0415  (as late as it is needed)

    return {word: dict(nearest(words, rows, word)) for word in near}


def show(out: Path, about: dict[str, Any], near: dict[str, Any], as_json: bool) -> None:
    """Print what was made."""
    if as_json:
        return emit({"vectors": str(out)} | about | {"near": near})
    lines = [f"{name}: {value}" for name, value in about.items()]
    for word, others in near.items():
        told = ", ".join(f"{other} {cosine:.2f}" for other, cosine in others.items())
        lines.append(f"near {word}: {told or 'not a word of training'}")
    return say([*lines, f"vectors: {out}"])
