"""Every flag that more than one command has: its name, its help, and its allowed values."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from sightline._io.limits import read_size
from sightline.api.data_source import DataSpec
from sightline.api.list_choices import COMPANIONS, EXPENSIVE, Reduction
from sightline.api.run_options import MOST_TEXTS
from sightline.api.study_workers import Workers, read_workers
from sightline.core.installation import install_line

_LEAST_MEMORY = 2**20
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)?\s*")
_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def needs(extra: str) -> str:
    """Name the extra that a flag needs, with brackets escaped from the help's markup."""
    return f"needs {install_line(extra)}".replace("[", r"\[")


def read_memory(text: str) -> int:
    """Read a size such as 512M as bytes, K, M, G and T being powers of 1024.

    >>> read_memory("512M") == 512 * 2**20
    True
    """
    size = read_size(str(text))
    if size is None:
        raise typer.BadParameter(f"expected a size such as 512M or 2G, got {text!r}")
    if not _LEAST_MEMORY <= size < 2**60:
        raise typer.BadParameter(f"expected a size from 1M upwards, got {text!r}")
    return size


def read_budget(text: str) -> float:
    """Read a duration such as 90, 90s, 5m or 1.5h as seconds.

    >>> read_budget("5m"), read_budget("1.5h"), read_budget("90")
    (300.0, 5400.0, 90.0)
    """
    found = _DURATION.fullmatch(str(text))
    seconds = float(found[1]) * _SECONDS[found[2] or "s"] if found else 0.0
    if not 0 < seconds < 10**7:
        raise typer.BadParameter(f"expected a duration such as 90s, 5m or 1h, got {text!r}")
    return seconds


def read_rate(text: str) -> float:
    """Read a learning rate: a finite number above zero."""
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not (math.isfinite(rate) and rate > 0):
        raise typer.BadParameter(f"expected a number above 0 such as 0.001, got {text!r}")
    return rate


SWITCH = ""
"""The metavar of a flag without a value; the help would say <bool> otherwise."""
data_flag = partial(typer.Option, rich_help_panel="Data")
model_flag = partial(typer.Option, rich_help_panel="Model and training")
run_flag = partial(typer.Option, rich_help_panel="Run")
output_flag = partial(typer.Option, rich_help_panel="Output")

_TEXTS = (
    "Texts with labels: a .csv, .tsv or .jsonl file (plain or .gz) or a .parquet one, "
    "folder:DIR, hf:DIR, a published corpus such as sst:DIR, or a generated one such as "
    "'planted:needle(n=1200,length=30)'."
)
SavedAudit = Annotated[
    Path,
    typer.Argument(
        metavar="AUDIT_DIR",
        show_default=False,
        help="A folder that sightline audit --save wrote, or a run of a store as STORE:KEY.",
    ),
]
Data = Annotated[
    str,
    data_flag("--data", metavar="SPEC", show_default=False, help=_TEXTS),
]
DataOrFiles = Annotated[
    str | None,
    data_flag("--data", metavar="SPEC", show_default=False, help=_TEXTS),
]
Train = Annotated[
    str | None,
    data_flag(
        "--train",
        metavar="FILE",
        show_default="none",
        help="A table of training texts, instead of --data.",
    ),
]
Validation = Annotated[
    str | None,
    data_flag(
        "--validation",
        metavar="FILE",
        show_default="15 % of training",
        help="A table of validation texts, in addition to --train and --test.",
    ),
]
Test = Annotated[
    str | None,
    data_flag(
        "--test",
        metavar="FILE",
        show_default="none",
        help=(
            "A table of test texts; a model that is trained already needs no other, and a "
            "training needs none."
        ),
    ),
]
Text = Annotated[
    str,
    data_flag("--text", metavar="COLUMN", help="Column of the texts."),
]
Label = Annotated[
    str,
    data_flag(
        "--label",
        metavar="COLUMN",
        help="Column of the labels. COLUMN,COLUMN,...: columns of 0 and 1, one for each label of a "
        "model with several.",
    ),
]
Split = Annotated[
    str,
    data_flag(
        "--split",
        metavar="COLUMN",
        help="Column that says train, validation or test. Without it, every row is a test text "
        "for a model that is trained already (a model of sightline train, on the file of its "
        "training: the test part); otherwise texts are divided 70/15/15. all: every row is a "
        "test text, whatever a split column says.",
    ),
]
Rationale = Annotated[
    str,
    data_flag(
        "--rationale",
        metavar="COLUMN",
        help="Column of known evidence, as character spans; optional.",
    ),
]
Query = Annotated[
    str,
    data_flag(
        "--query",
        metavar="COLUMN",
        show_default="none",
        help=(
            "Column of a question or a hypothesis that comes with each text; for a model that reads "
            "one (+query, hf:)."
        ),
    ),
]
Id = Annotated[
    str,
    data_flag(
        "--id",
        metavar="COLUMN",
        show_default="file and line",
        help="Column with an id for each text, unique within a file.",
    ),
]
Group = Annotated[
    str,
    data_flag(
        "--group",
        metavar="COLUMN",
        show_default="none",
        help=(
            "Column of what texts share, such as a person: splits keep it whole, and intervals "
            "count it once."
        ),
    ),
]
OnCopies = Annotated[
    Literal["refuse", "drop"],
    data_flag(
        "--on-copies",
        help=(
            "A text that occurs in two named splits: refuse, or drop it from the one it is not "
            "judged by."
        ),
    ),
]
_RECIPE = "How published data are prepared: clean, or as the papers did, mistakes included."
_LONGEST = "Longest text in words; what follows is cut, and counted."
_MODELS = ", or as the model was trained"
Recipe = Annotated[Literal["clean", "paper"], data_flag("--recipe", help=_RECIPE)]
RecipeOrModels = Annotated[
    Literal["clean", "paper"] | None,
    data_flag("--recipe", show_default=f"clean{_MODELS}", help=_RECIPE),
]
MaxTokens = Annotated[
    int, data_flag("--max-tokens", metavar="N", min=1, help=_LONGEST)
]  # fmt: skip
MaxTokensOrModels = Annotated[
    int | None,
    data_flag(
        "--max-tokens",
        metavar="N",
        min=1,
        show_default=f"{DataSpec.max_tokens}{_MODELS}",
        help=_LONGEST,
    ),
]
MinCount = Annotated[
    int | None,
    data_flag(
        "--min-count",
        metavar="N",
        min=1,
        show_default="1",
        help="Training texts a word must occur in to be known.",
    ),
]
Scores = Annotated[
    Path | None,
    data_flag(
        "--scores",
        metavar="FILE",
        show_default="none",
        help="Scores of words by another tool, one more map to compare: a .csv, .tsv or .jsonl "
        "file (plain or .gz) with columns id, word, score; the words of a text in order, or "
        "with their position, from 0. Or captum:NAME, an attribution of Captum such as "
        f"captum:IntegratedGradients; {needs('captum')}.",
    ),
]

Reading = Annotated[
    str | None,
    model_flag(
        "--attention",
        metavar="NAME",
        show_default="the last layer, mean of its heads",
        help="The attention source of a Hugging Face model: layer=N,head=M, rollout, values, "
        "evidence, or reading=values,layer=N; or all, and the audit chooses on a few texts of each "
        "predicted class and audits the others.",
    ),
]
LabelsSep = Annotated[
    str,
    data_flag(
        "--labels-sep",
        metavar="TEXT",
        show_default="; for a model with several labels",
        help="What separates the labels of a text in a label column that holds several; lists in "
        ".jsonl and .parquet need none. An empty cell is a text without a label.",
    ),
]
LabelNames = Annotated[
    list[str] | None,
    run_flag(
        "--label-name",
        metavar="LABEL",
        show_default="all",
        help="Audit only this label of a model with several labels; may be repeated.",
    ),
]
LabelMap = Annotated[
    str | None,
    data_flag(
        "--label-map",
        metavar="LABEL=CLASS,...",
        show_default="none",
        help="The class of a trained model for each label of the data, such as "
        "pos=POSITIVE,neg=NEGATIVE, or a JSON object. Names that differ in case alone and "
        "class indices from 0 need none.",
    ),
]
TrainedModel = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        show_default=False,
        help="The folder of a model that sightline train wrote; hf:FOLDER, a saved Hugging Face "
        "classifier; hf-causal:FOLDER(template=FILE,answers=A|B), a language model asked by a "
        "prompt; py:package.module:factory, a function of yours that returns what "
        "sightline.wrap or tap gives; or answers:package.module:function, a function of yours "
        "from texts to probabilities.",
    ),
]
Model = Annotated[
    str,
    model_flag(
        "--model",
        metavar="SPEC",
        help="A spec such as bilstm+additive, trained first; the folder of a model that sightline "
        "train wrote; hf:FOLDER; hf-causal:FOLDER(template=FILE,answers=A|B); "
        "py:package.module:factory, a function of yours that returns what "
        "sightline.wrap or tap gives; or answers:package.module:function, a function of yours "
        "from texts to probabilities.",
    ),
]
ModelToTrain = Annotated[
    str,
    model_flag(
        "--model",
        metavar="SPEC",
        help="What to train, such as bilstm(layers=2)+additive: see sightline list models.",
    ),
]
Preset = Annotated[
    str | None,
    model_flag(
        "--preset",
        metavar="NAME",
        show_default="default",
        help="Sizes and training from a paper: see sightline list presets.",
    ),
]
Vectors = Annotated[
    Path | None,
    model_flag(
        "--vectors",
        metavar="FILE",
        show_default="none",
        help=(
            "Word vectors that embeddings start from, a text file as GloVe's, fastText's or of "
            "sightline vectors."
        ),
    ),
]
Epochs = Annotated[
    int | None,
    model_flag(
        "--epochs",
        metavar="N",
        min=1,
        show_default="the preset's",
        help="Epochs at most; validation chooses the one kept.",
    ),
]
BatchSize = Annotated[
    int | None,
    model_flag(
        "--batch-size",
        metavar="N",
        min=1,
        show_default="the preset's",
        help="Texts trained on at a time.",
    ),
]
LearningRate = Annotated[
    float | None,
    model_flag(
        "--learning-rate",
        metavar="RATE",
        parser=read_rate,
        show_default="the preset's",
        help="Step size of the training.",
    ),
]
Fit = Annotated[
    list[str] | None,
    model_flag(
        "--fit",
        metavar="NAME=VALUE",
        show_default="the preset's",
        help="Any other setting of the training, such as gradient_clipping=5 or adversary=kl; "
        "again for each. `sightline list fields` names them.",
    ),
]
Companions = Annotated[
    str | None,
    model_flag(
        "--controls",
        metavar=f"{'|'.join(COMPANIONS)}|none",
        show_default="uniform",
        help="Control models to train and compare with, joined by commas, or none (faster, but "
        "fewer tests run); `sightline list controls` says what each is.",
    ),
]

Seed = Annotated[
    int,
    run_flag(
        "--seed",
        metavar="N",
        help="Seed of everything random: splits, weights, draws.",
    ),
]
Device = Annotated[
    str,
    run_flag(
        "--device",
        metavar="NAME",
        help="Where to compute: auto, cpu, cuda or cuda:1; auto takes a GPU if there is one.",
    ),
]
Threads = Annotated[
    int | None,
    run_flag(
        "--threads",
        metavar="N",
        min=1,
        max=1024,
        show_default="one or all, whichever is faster now",
        help="Processor threads; equal threads give equal bits, unless an audit was resumed.",
    ),
]
Memory = Annotated[
    int | None,
    run_flag(
        "--memory",
        metavar="SIZE",
        parser=read_memory,
        show_default="128M",
        help="Memory for an audit beyond its texts and the model, such as 256M or 2G: it limits the "
        "runs with words deleted, and changes the speed, not the numbers.",
    ),
]
DryRun = Annotated[
    bool,
    run_flag(
        "--dry-run",
        metavar=SWITCH,
        help="Estimate time and memory from a small part of the work, and write nothing.",
    ),
]

Limit = Annotated[
    int | None,
    run_flag(
        "--limit",
        metavar="N",
        min=1,
        show_default="all",
        help="The most test texts of an audit (a seeded sample, also of --full), or missing runs "
        "of a study.",
    ),
]

Budget = Annotated[
    float | None,
    run_flag(
        "--budget",
        metavar="TIME",
        parser=read_budget,
        show_default="none",
        help="Time that measuring may take, not counting the start, such as 5m or 1h. An audit "
        "stops earlier if its verdict is settled.",
    ),
]
MaxTexts = Annotated[
    int | None,
    run_flag(
        "--max-texts",
        metavar="N",
        min=1,
        show_default=str(MOST_TEXTS),
        help="The most texts that an audit measures if its verdict is not settled before.",
    ),
]
Full = Annotated[
    bool,
    run_flag(
        "--full",
        metavar=SWITCH,
        help="Take every test on every text, except the expensive ones, which --measure adds. "
        "Without it required tests come first, on growing numbers of texts, until the verdict is "
        "settled.",
    ),
]

Gradient = Annotated[
    Reduction,
    run_flag(
        "--gradient",
        help="How a word's gradient becomes one number: input (times the word's vector, as Jain & "
        "Wallace's code has it) or norm (its length, as Meister et al. have it).",
    ),
]

Seeds = Annotated[
    int,
    run_flag(
        "--seeds",
        metavar="N",
        min=1,
        help="Train and audit this many times, from --seed upwards; the report is of the first, "
        "and says how far the others differ.",
    ),
]
Measures = Annotated[
    list[str] | None,
    run_flag(
        "--measure",
        metavar="NAME",
        show_default="none",
        help=f"Also take an expensive measure, one of {', '.join(EXPENSIVE)}; may be repeated.",
    ),
]

STORE = "The folder in which the runs of studies are kept."
StoreFolder = Annotated[
    Path,
    run_flag(
        "--store",
        metavar="DIR",
        show_default=False,
        help=STORE,
    ),
]

Page = Annotated[
    Path,
    output_flag("--out", metavar="FILE", help="The report to write, one HTML file."),
]
Title = Annotated[
    str,
    output_flag(
        "--title",
        metavar="TEXT",
        show_default="the question",
        help="The heading of the report.",
    ),
]
Save = Annotated[
    Path | None,
    output_flag(
        "--save",
        metavar="DIR",
        show_default="not saved",
        help="Also save the audit with its raw numbers, for sightline report.",
    ),
]
NoTexts = Annotated[
    bool,
    output_flag(
        "--no-texts",
        metavar=SWITCH,
        help="Leave texts out of output and errors (a saved audit keeps them, a model its words).",
    ),
]
NoIds = Annotated[
    bool,
    output_flag(
        "--no-ids",
        metavar=SWITCH,
        help="Leave ids of texts out of output and errors, and number the texts.",
    ),
]
Card = Annotated[
    Path | None,
    output_flag(
        "--card",
        metavar="FILE",
        show_default="none",
        help=(
            "Also write a short card to paste, .md or .html: verdict, caveats, numbers, methods, "
            "how to repeat it."
        ),
    ),
]
Json = Annotated[
    bool,
    output_flag(
        "--json",
        metavar=SWITCH,
        help="Print the result as JSON on stdout, all else on stderr.",
    ),
]
Junit = Annotated[
    Path | None,
    output_flag(
        "--junit",
        metavar="FILE",
        show_default="none",
        help="Also write JUnit XML for a build server: a test case for each verdict and each test, "
        "with score, interval, n and threshold.",
    ),
]
FailOn = Annotated[
    list[str] | None,
    output_flag(
        "--fail-on",
        metavar="VERDICT|CODE",
        show_default="never",
        help="Exit with 3 if this is the verdict (such as must-not-be-shown) for all texts or for a "
        "predicted class, or if this test (such as SL-301) failed or was not run; "
        "may be repeated.",
    ),
]
Quiet = Annotated[
    bool,
    output_flag("--quiet", metavar=SWITCH, help="Show no progress."),
]
Verbose = Annotated[
    bool,
    output_flag(
        "--verbose",
        metavar=SWITCH,
        help="Print every test, the numbers behind the sentences, and a line for each epoch.",
    ),
]

_paper_flag = partial(typer.Option, rich_help_panel="A paper’s table or figure")
Crew = Annotated[
    Workers,
    typer.Option(
        "--workers",
        metavar="N|ray[:HOST:PORT]|slurm:JOBS",
        parser=read_workers,
        help="Processes here, one thread each; the processors of a Ray cluster; or this many jobs "
        "of Slurm at a time.",
    ),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", metavar=SWITCH, help="Make failed runs again.")
]
TableFile = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        show_default="not written",
        help="Also write the table: .md, .csv (every number in full, a line a cell) or .tex.",
    ),
]
TableColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="A,B,…",
        show_default="the verdict, accuracy, F1 and every effect",
        help="Columns of the table, in this order: see sightline list columns.",
    ),
]
Spread = Annotated[
    Literal["interval", "sd"],
    typer.Option(
        "--spread",
        help="What follows a mean: its interval, or the standard deviation over seeds.",
    ),
]
StudyStore = Annotated[
    Path | None,
    run_flag("--store", metavar="DIR", show_default=False, help=STORE),
]
Corpora = Annotated[
    Path | None,
    _paper_flag(
        "--data",
        metavar="DIR",
        show_default=False,
        help="The folder of the papers’ corpora, each in its published form.",
    ),
]
Datasets = Annotated[
    str | None,
    _paper_flag(
        "--datasets",
        metavar="A,B,…",
        show_default="all that are in the folder",
        help="Which of them: see sightline study list.",
    ),
]
StudyVectors = Annotated[
    Path | None,
    _paper_flag(
        "--vectors",
        metavar="FILE",
        show_default="the one in vectors/ of the folder, where there is one",
        help="Word vectors from which words start; none: at random. bAbI’s always start at random.",
    ),
]
Quick = Annotated[
    bool,
    _paper_flag(
        "--quick",
        metavar=SWITCH,
        help="Try a table in minutes: one corpus, one seed, 200 texts; says how long all of it takes.",
    ),
]
StudySeeds = Annotated[
    int | None,
    _paper_flag(
        "--seeds",
        metavar="N",
        min=1,
        show_default="as in the protocol: 1 to 10, by table and corpus",
        help="Seeds of each model; a calibration refuses a number that it does not have.",
    ),
]
StudyFolder = Annotated[
    Path | None,
    _paper_flag(
        "--out",
        metavar="DIR",
        show_default="not written",
        help=(
            "Also write the table as Markdown, CSV and LaTeX, and the figures as PDF, PNG and "
            "SVG, into this folder."
        ),
    ),
]
_results_flag = partial(typer.Option, rich_help_panel="What was read of each run")
ResultsFile = Annotated[
    Path | None,
    _results_flag(
        "--results",
        metavar="FILE",
        show_default="not written",
        help=(
            "The results file (compressed CSV, a row for each run and quantity) that is brought "
            "up to date."
        ),
    ),
]
SoFar = Annotated[
    bool,
    _results_flag(
        "--so-far",
        metavar=SWITCH,
        help="Run nothing: count what the store has.",
    ),
]
SkipCounted = Annotated[
    bool,
    _results_flag(
        "--skip-counted",
        metavar=SWITCH,
        help="Do not run what the results file has already.",
    ),
]
