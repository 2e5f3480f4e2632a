"""``sightline demo``: two small models on generated reviews, one with attention that can be shown
and one with attention that must not be shown.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sightline.api.audit import audit_source
from sightline.api.compute_resources import today
from sightline.api.data_source import read_source
from sightline.api.model_source import choose_training
from sightline.api.run_options import AuditOptions, TrainingOptions
from sightline.api.seed_audits import Audits
from sightline.cli import flags
from sightline.cli.audit_output import audit_outputs, write_audits
from sightline.cli.flag_groups import AuditReport, Console, Seeded, grouped
from sightline.cli.output import emit, print_lines, print_message, writing
from sightline.cli.output_checks import Output, check_places
from sightline.cli.train import MODEL as SAVED_MODEL
from sightline.cli.train import save_model
from sightline.report.number_format import percentage

if TYPE_CHECKING:
    from sightline.api.model_source import TrainedFirst
    from sightline.core.results import Results

DATA = "planted:reviews(n=1200)"
STARTING = "Training and auditing two small models (under a minute on an idle core) ..."
INDEX = "index.html"


@dataclass(frozen=True)
class DemoModel:
    """A model of the demo: how it is trained, and where its files lie."""

    folder: str
    title: str
    spec: str
    fit: tuple[str, ...]
    controls: str

    def source(self, seed: int) -> TrainedFirst:
        """Return its training and the options of its audit."""
        training = TrainingOptions(companions=self.controls, fit=self.fit)
        return choose_training(read_source(DATA), self.spec, training, AuditOptions(seed=seed))

    def command(self, seed: int) -> str:
        """Return the equivalent command."""
        settings = [word for one in self.fit for word in ("--fit", one)]
        flags = ["--data", DATA, "--model", self.spec, *settings, "--controls", self.controls]
        return shlex.join(["sightline", "audit", *flags, "--seed", str(seed), "--full"])

    def report(self, out: Path) -> AuditReport:
        """Name the report and the saved audit."""
        return AuditReport(out=out / self.folder / "report.html", save=out / self.folder / "audit")

    def saved(self, out: Path) -> Path:
        """Name the folder of the trained model."""
        return out / self.folder / "model"


MODELS = (
    DemoModel(
        "model-1",
        "attention trained onto the opinion words",
        "mlp+additive",
        ("guide=onto",),
        "uniform",
    ),
    DemoModel(
        "model-2",
        "attention trained away from the opinion words",
        "bilstm(hidden=32)+additive",
        ("guide=away", "guide_weight=0.3"),
        "none",
    ),
)
"""The second model reads the opinion words through the hidden states of other words, as in Pruthi
et al. (2020, Learning to Deceive with Attention-Based Explanations)."""

Out = Annotated[
    Path,
    flags.output_flag(
        "--out",
        metavar="DIR",
        help="Folder for the reports, audits and models.",
    ),
]


@grouped
def demo(
    out: Out = Path("sightline-demo"),
    *,
    run: Seeded,
    console: Console,
) -> None:
    """Train and audit two small models on generated reviews: the attention of one can be shown, the
    attention of the other must not be shown.

    One opinion word of each review gives its class, nine times in ten, so the right words are
    known. Takes under a minute and needs no data.
    """
    check_places((), Output("--out", out / INDEX), *_places(out))
    machine = run.resources.machine()
    if not console.quiet:
        print_message(STARTING)
    hooks = _heard(console).hooks
    audits: dict[str, Results] = {}
    for one in MODELS:
        about = {"command": one.command(run.seed), "date": today()}
        trained, found = audit_source(one.source(run.seed), hooks, machine, about=about)
        with writing(out / one.folder):
            (out / one.folder).mkdir(parents=True, exist_ok=True)
        save_model(trained, one.saved(out))
        write_audits(Audits({run.seed: found}), one.report(out))
        audits[one.folder] = found
    _write_index(audits, out / INDEX)
    if console.as_json:
        return emit({name: found.to_json() for name, found in audits.items()})
    return print_lines(_lines(audits, out, verbose=console.verbose))


def _places(out: Path) -> list[Output | None]:
    """Name the outputs of each model."""
    return [
        place
        for one in MODELS
        for place in (*audit_outputs(one.report(out)), Output("--out", one.saved(out), SAVED_MODEL))
    ]


def _heard(console: Console) -> Console:
    """Show progress bars on a terminal only; elsewhere step-by-step lines need a flag."""
    return replace(console, quiet=console.quiet or not (console.verbose or sys.stderr.isatty()))


def _write_index(audits: Mapping[str, Results], path: Path) -> None:
    """Write the page that shows both verdicts and links the reports."""
    from sightline.report.html.demo_page import Entry, write_index  # noqa: PLC0415  (jinja2)

    entries = [
        Entry(one.title, one.spec, f"{one.folder}/report.html", audits[one.folder])
        for one in MODELS
    ]
    with writing(path):
        write_index(entries, path)


def _lines(audits: Mapping[str, Results], out: Path, *, verbose: bool) -> list[str]:
    from sightline.report.text.audit_summary import in_short, lines  # noqa: PLC0415  (as late as it is needed)

    shown = [_planted(next(iter(audits.values())))]
    for number, one in enumerate(MODELS, 1):
        found = audits[one.folder]
        shown += ["", f"Model {number} ({one.spec}): {one.title}"]
        shown += lines(found, verbose=True) if verbose else in_short(found)
    reports = " and ".join(f"{one.folder}/report.html" for one in MODELS)
    flags = "--data reviews.csv --text body --label stars"
    return [
        *shown,
        "",
        f"Reports   {out / INDEX} links {reports}",
        f"Next      sightline audit {flags}",
        f"          sightline audit {flags} --model hf:DIR",
    ]


def _planted(audit: Results) -> str:
    """Describe the texts, from the card of the data."""
    card = audit.cards["data"]
    trained, audited = (card["splits"][name]["n"] for name in ("train", "test"))
    return (
        f"{trained:,} generated reviews to train on, {audited:,} to audit; an opinion word gives "
        f"the class of {percentage(card['best_accuracy'])} of them."
    )
