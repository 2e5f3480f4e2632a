"""``sightline vectors``: make word vectors from the training texts, if no pretrained ones are at
hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sightline._io.limits import WIDTH, WINDOW
from sightline.cli import flags
from sightline.cli.flag_groups import Corpus, grouped
from sightline.cli.output import emit, print_lines, writing
from sightline.cli.output_checks import Output, check_places, inputs
from sightline.cli.own_files import VECTORS

Out = Annotated[
    Path,
    flags.output_flag(
        "--out",
        metavar="FILE",
        show_default=False,
        help="The file to write, in GloVe's form, for --vectors.",
    ),
]
Dimension = Annotated[
    int,
    typer.Option(
        "--dimension",
        metavar="N",
        min=1,
        max=WIDTH.most,
        help="Numbers a vector.",
        rich_help_panel="Vectors",
    ),
]
Window = Annotated[
    int,
    typer.Option(
        "--window",
        metavar="N",
        min=1,
        max=WINDOW.most,
        help="Words on either side that count as neighbours.",
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


@grouped
def vectors(
    texts: Corpus,
    out: Out,
    dimension: Dimension = 300,
    window: Window = 5,
    near: Near = None,
    seed: flags.Seed = 0,
    as_json: flags.Json = False,
) -> None:
    """Make word vectors from the training texts, and write them.

    They are the singular vectors of counts of neighbouring words, weighted by pointwise mutual
    information. The same texts give the same vectors.
    """
    from sightline.api.vectors import make_vectors  # noqa: PLC0415  (as late as it is needed)

    source = texts.source()
    check_places(inputs(source), Output("--out", out, like=VECTORS))
    made = make_vectors(source, dimension, window, seed)
    with writing(out):
        made.write(out)
    about = {
        "texts": made.texts,
        "words": len(made.words),
        "dimension": dimension,
        "window": window,
    }
    return show(out, about, {word: made.near(word) for word in near or ()}, as_json)


def show(out: Path, about: dict[str, Any], near: dict[str, Any], as_json: bool) -> None:
    """Print a summary of the vectors."""
    if as_json:
        return emit({"vectors": str(out)} | about | {"near": near})
    lines = [f"{name}: {value}" for name, value in about.items()]
    for word, others in near.items():
        text = ", ".join(f"{other} {cosine:.2f}" for other, cosine in others.items())
        lines.append(f"near {word}: {text or 'not a word of training'}")
    return print_lines([*lines, f"vectors: {out}"])
