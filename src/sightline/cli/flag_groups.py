"""Groups of flags that commands share: a command takes a group as one argument, and typer sees its
flags.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from sightline.api.compute_resources import Resources
from sightline.api.data_source import DataSpec, read_label_map, read_source
from sightline.api.hooks import Hooks, ignore
from sightline.api.model_source import under_reading
from sightline.api.run_options import AuditOptions, Stopping, TrainingOptions
from sightline.api.study_workers import Workers
from sightline.cli import flags
from sightline.cli.dry_run import say_ready
from sightline.cli.output import print_message
from sightline.cli.output_checks import Output
from sightline.cli.progress import progress
from sightline.core.errors import SpecError
from sightline.report.gates import VERDICT_GATES, expensive_measures

if TYPE_CHECKING:
    from sightline.api.list_papers import Params
    from sightline.api.study import RunSettings

ALONE = Workers()


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Show typer each field of a group as its own parameter, and pass the groups to the command."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    def called(**given: Any) -> None:
        made = {name: _filled(kind, given) for name, kind in groups.items()}
        command(**given, **made)

    parameters = [
        one
        for each in inspect.signature(command).parameters.values()
        for one in _flags_of(each, hints)
    ]
    called.__name__, called.__doc__, called.__module__ = (
        command.__name__,
        command.__doc__,
        command.__module__,
    )
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _filled(group: Any, given: dict[str, Any]) -> Any:
    """Build a group from its flags, and remove them from ``given``."""
    return group(**{one.name: given.pop(one.name) for one in fields(group)})


def _flags_of(
    parameter: inspect.Parameter, hints: Mapping[str, Any]
) -> Iterator[inspect.Parameter]:
    """Return a parameter as typer should see it: the fields of a group, or itself."""
    group = hints[parameter.name]
    if not is_dataclass(group):
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=group)
        return
    kinds = get_type_hints(group, include_extras=True)
    for one in fields(group):
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        yield inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kinds[one.name]
        )


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns of a table of texts."""

    text: flags.Text = "text"
    label: flags.Label = "label"
    split: flags.Split = "split"
    rationale: flags.Rationale = "rationale"
    query: flags.Query = ""


@dataclass(frozen=True, kw_only=True)
class _Data:
    data: flags.Data


@dataclass(frozen=True, kw_only=True)
class Corpus(Columns, _Data):
    """One source of texts, for commands other than audits."""

    recipe: flags.Recipe = "clean"
    max_tokens: flags.MaxTokens = DataSpec.max_tokens
    min_count: flags.MinCount = None
    on_copies: flags.OnCopies = "refuse"

    def source(self) -> DataSpec:
        """Return it as a spec."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return read_source(**own | {"min_count": self.min_count or 1})


@dataclass(frozen=True, kw_only=True)
class Files:
    """Texts with labels: one source, or a table for each split."""

    data: flags.DataOrFiles = None
    train: flags.Train = None
    validation: flags.Validation = None
    test: flags.Test = None


@dataclass(frozen=True, kw_only=True)
class _Own(Columns, Files):
    id: flags.Id = ""
    group: flags.Group = ""
    on_copies: flags.OnCopies = "refuse"
    labels_sep: flags.LabelsSep = ""

    def _source(self, **settings: Any) -> DataSpec:
        own = {one.name: getattr(self, one.name) for one in fields(_Own)}
        return read_source(**own, **settings)


@dataclass(frozen=True, kw_only=True)
class Texts(_Own):
    """The texts of a command that trains nothing, or that prepares its texts itself."""

    recipe: flags.Recipe = "clean"
    max_tokens: flags.MaxTokens = DataSpec.max_tokens

    def source(self) -> DataSpec:
        """Return them as a spec."""
        return self._source(recipe=self.recipe, max_tokens=self.max_tokens)


@dataclass(frozen=True, kw_only=True)
class TrainingTexts(Texts):
    """The texts of a training."""

    min_count: flags.MinCount = None

    def source(self) -> DataSpec:
        """Return them as a spec."""
        return self._source(
            recipe=self.recipe, max_tokens=self.max_tokens, min_count=self.min_count or 1
        )


@dataclass(frozen=True, kw_only=True)
class ModelTexts(_Own):
    """The texts that a model is run on; a trained model remembers how its own texts
    were prepared.
    """

    label_map: flags.LabelMap = None
    recipe: flags.RecipeOrModels = None
    max_tokens: flags.MaxTokensOrModels = None

    @property
    def description(self) -> dict[str, Any]:
        """How texts are prepared, as far as the flags say."""
        prepared = {"recipe": self.recipe, "max_tokens": self.max_tokens}
        return {name: value for name, value in prepared.items() if value is not None}

    def source(self) -> DataSpec:
        """Return them as a spec."""
        return self._source(**self.description)

    @property
    def any_source(self) -> DataSpec | None:
        """Return them as a spec if texts are named; flags about missing texts are an error."""
        if any(getattr(self, one.name) is not None for one in fields(Files)):
            return self.source()
        given = [one.name for one in fields(self) if getattr(self, one.name) != one.default]
        if given:
            raise SpecError("this is about texts; name them with --data, too", field=given[0])
        return None


@dataclass(frozen=True, kw_only=True)
class AuditedTexts(ModelTexts):
    """The texts of an audit."""

    min_count: flags.MinCount = None
    scores: flags.Scores = None

    def source(self) -> DataSpec:
        """Return them as a spec."""
        return self._source(**self.description, min_count=self.min_count or 1)


@dataclass(frozen=True, kw_only=True)
class _Fit:
    preset: flags.Preset = None
    vectors: flags.Vectors = None
    epochs: flags.Epochs = None
    batch_size: flags.BatchSize = None
    learning_rate: flags.LearningRate = None
    fit: flags.Fit = None
    companions: flags.Companions = None

    def training(self, min_count: int | None) -> TrainingOptions:
        """Return the options of a training."""
        own = {one.name: getattr(self, one.name) for one in fields(_Fit)}
        return TrainingOptions(**own, min_count=min_count)


@dataclass(frozen=True, kw_only=True)
class _ToTrain:
    model: flags.ModelToTrain = "bilstm+additive"


@dataclass(frozen=True, kw_only=True)
class _ToAudit:
    model: flags.Model = "bilstm+additive"
    reading: flags.Reading = None


@dataclass(frozen=True, kw_only=True)
class TrainedModel(_Fit, _ToTrain):
    """The model to train, and how."""


@dataclass(frozen=True, kw_only=True)
class AuditedModel(_Fit, _ToAudit):
    """The model to audit, and how it is trained first if it is not trained yet."""

    @property
    def name(self) -> str:
        """The model, with its attention source."""
        return under_reading(self.model, self.reading)


@dataclass(frozen=True, kw_only=True)
class _Seed:
    seed: flags.Seed = 0


@dataclass(frozen=True, kw_only=True)
class Computing:
    """Device and threads of a command."""

    device: flags.Device = "auto"
    threads: flags.Threads = None

    @property
    def resources(self) -> Resources:
        """Return the device and threads asked for."""
        return Resources(device=self.device, threads=self.threads)


@dataclass(frozen=True, kw_only=True)
class Seeded(Computing, _Seed):
    """Device, threads and seed of a command."""


@dataclass(frozen=True, kw_only=True)
class _DryRun:
    dry_run: flags.DryRun = False


@dataclass(frozen=True, kw_only=True)
class SeededRun(_DryRun, Computing, _Seed):
    """Device, threads and seed of a command, and whether it only estimates."""


@dataclass(frozen=True, kw_only=True)
class Auditing:
    """How a model is audited, and where."""

    seed: flags.Seed = 0
    seeds: flags.Seeds = 1
    limit: flags.Limit = None
    labels: flags.LabelNames = None
    budget: flags.Budget = None
    max_texts: flags.MaxTexts = None
    full: flags.Full = False
    gradient: flags.Gradient = "input"
    measure: flags.Measures = None
    device: flags.Device = "auto"
    threads: flags.Threads = None
    memory: flags.Memory = None
    dry_run: flags.DryRun = False

    @property
    def resources(self) -> Resources:
        """Return the device, threads and memory asked for."""
        return Resources(device=self.device, threads=self.threads, memory=self.memory)

    def stopping(self, scores: object, gates: Sequence[str]) -> Stopping:
        """Return when an audit with these scores of another tool stops. A gate that names a test
        needs it whatever the verdict is.
        """
        named = not set(gates) <= VERDICT_GATES.keys()
        return Stopping.asked(
            self.budget, self.max_texts, full=self.full, scores=scores, named=named
        )

    def options(self, texts: AuditedTexts, gates: Sequence[str]) -> AuditOptions:
        """Return the options of an audit; a test that a gate names is taken, expensive or not."""
        return AuditOptions(
            seed=self.seed,
            limit=self.limit,
            gradient=self.gradient,
            measures=(*(self.measure or ()), *expensive_measures(gates)),
            label_map=read_label_map(texts.label_map) if texts.label_map else {},
            labels=tuple(self.labels or ()),
            scores=texts.scores,
            device=self.device,
        )


@dataclass(frozen=True, kw_only=True)
class _Page:
    out: flags.Page = Path("report.html")
    title: flags.Title = ""


@dataclass(frozen=True, kw_only=True)
class _Save:
    save: flags.Save = None


@dataclass(frozen=True, kw_only=True)
class _Card:
    card: flags.Card = None
    junit: flags.Junit = None
    no_texts: flags.NoTexts = False
    no_ids: flags.NoIds = False


@dataclass(frozen=True, kw_only=True)
class Messages:
    """What error messages leave out. Nothing reads these: `sightline.cli.app` looks for the flags
    among the words of the command, before any of them is read.
    """

    no_texts: flags.NoTexts = False
    no_ids: flags.NoIds = False


@dataclass(frozen=True, kw_only=True)
class Report(_Card, _Page):
    """The report of an audit."""


@dataclass(frozen=True, kw_only=True)
class AuditReport(_Card, _Save, _Page):
    """The report of an audit, and the folder that it is saved in."""


@dataclass(frozen=True, kw_only=True)
class Console:
    """What a command prints."""

    as_json: flags.Json = False
    quiet: flags.Quiet = False
    verbose: flags.Verbose = False

    @property
    def hooks(self) -> Hooks:
        """Return the callbacks for the library; all of them print on stderr."""
        return Hooks(
            progress=partial(
                progress, quiet=self.quiet, verbose=self.verbose, as_json=self.as_json
            ),
            on_note=lambda note: print_message(f"note: {note}"),
            on_resume=print_message,
            on_ready=partial(say_ready, quiet=self.quiet),
            on_seed=ignore if self.quiet else _say_seed,
            on_label=ignore if self.quiet else _say_label,
        )

    def hooks_of(self, stopping: Stopping, *, resumes: bool = False) -> Hooks:
        """Return the callbacks of an audit that may stop early, and may resume a stopped one."""
        ready = partial(say_ready, quiet=self.quiet, stopping=stopping, resumes=resumes)
        return replace(self.hooks, on_ready=ready)


@dataclass(frozen=True, kw_only=True)
class StudyRun:
    """Where the runs of a study are kept, and how they are made."""

    store: flags.StudyStore = None
    workers: flags.Crew = ALONE
    limit: flags.Limit = None
    retry_failed: flags.RetryFailed = False
    dry_run: flags.DryRun = False

    def running(self, limit: int | None) -> RunSettings:
        """Return how the runs are made; at most ``limit`` of the missing ones."""
        from sightline.api.study import RunSettings  # noqa: PLC0415  (as late as it is needed)

        return RunSettings(workers=self.workers, limit=limit, retry_failed=self.retry_failed)


@dataclass(frozen=True, kw_only=True)
class PaperOptions:
    """The options of a paper's table or figure."""

    data: flags.Corpora = None
    datasets: flags.Datasets = None
    seeds: flags.StudySeeds = None
    vectors: flags.StudyVectors = None
    quick: flags.Quick = False

    @property
    def given(self) -> dict[str, object]:
        """The flags by name."""
        return {one.name: getattr(self, one.name) or None for one in fields(self)}

    def asked(self, limit: int | None) -> Params:
        """Return them as studies take them."""
        from sightline.api.list_papers import Params, vectors_of  # noqa: PLC0415  (as late as it is needed)

        named = (
            () if self.datasets is None else tuple(one.strip() for one in self.datasets.split(","))
        )
        vectors = vectors_of(self.data, self.vectors)
        return Params(self.data or Path(), self.seeds, named, limit, vectors)


@dataclass(frozen=True, kw_only=True)
class ResultsOptions:
    """The results file of a study, and whether to run anything."""

    results: flags.ResultsFile = None
    so_far: flags.SoFar = False
    skip_counted: flags.SkipCounted = False

    @property
    def output(self) -> Output | None:
        """The results file as an output."""
        return None if self.results is None else Output("--results", self.results)

    @property
    def given(self) -> dict[str, object]:
        """The given flags by name."""
        return {"results": self.results, **self.of_named}

    @property
    def of_named(self) -> dict[str, object]:
        """The given flags that only a named study takes."""
        return {"so_far": self.so_far or None, "skip_counted": self.skip_counted or None}


@dataclass(frozen=True, kw_only=True)
class StudyOutput:
    """How the table of a study is made, and where it is written."""

    table: flags.TableFile = None
    columns: flags.TableColumns = None
    spread: flags.Spread = "interval"
    out: flags.StudyFolder = None
    as_json: flags.Json = False
    quiet: flags.Quiet = False

    @property
    def given(self) -> dict[str, object]:
        """The given flags about a table, by name."""
        return {"table": self.table, "out": self.out, **self.of_a_file}

    @property
    def of_a_file(self) -> dict[str, object]:
        """The flags that only a study file takes, if they differ from their defaults."""
        return {
            "columns": self.columns,
            "spread": None if self.spread == "interval" else self.spread,
        }


def _say_seed(seed: int, number: int, count: int) -> None:
    print_message(f"seed {seed} ({number} of {count})")


def _say_label(label: str, number: int, count: int) -> None:
    print_message(f"label {label} ({number} of {count})")
