"""Resume a training that was stopped: its state is kept until the output is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.api.compute_resources import Machine, Resources
from sightline.api.hooks import Hooks
from sightline.api.model_source import ChosenModel, TrainedFirst
from sightline.api.run_options import Stopping
from sightline.experiments.resume_store import Found, UnfinishedTrainings
from sightline.report.sequential_note import ended_by_budget

if TYPE_CHECKING:
    from sightline.api.hooks import OnNote
    from sightline.config.specs import RunSpec
    from sightline.core.results import Results
    from sightline.experiments.training_jobs import Fitted, TrainOnce, TrainOrLoad

MESSAGES: Mapping[Found, str] = {
    "kept": "resuming from what is kept in {}",
    "made otherwise": (
        "what is kept in {} was made with other threads, another device or another version: "
        "trained again"
    ),
    "others": (
        "what is kept in {} was trained with other settings or data: it is not used, and stays "
        "there"
    ),
    "busy": (
        "another command is at work in {}: what this one trains is not kept until its output is "
        "written"
    ),
}
"""Notes on the folder of an output before the first training."""


@contextmanager
def kept_until_written(
    folder: Path, resources: Resources, hooks: Hooks, sources: Sequence[ChosenModel]
) -> Iterator[tuple[Hooks, Machine]]:
    """Keep trainings in a folder until their output is written; a stopped run resumes with its own
    number of threads.
    """
    kept = UnfinishedTrainings(folder)
    machine = resources.machine(kept_threads(folder, sources))
    with resumable(kept, machine.device, hooks.on_resume) as keep:
        yield replace(hooks, keep=keep), machine


class LookFolders:
    """A folder with the looks of each audit, which of them this command used, and which are of an
    audit that its budget ended.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.used, self.unfinished = folder, set[Path](), set[Path]()

    def of(self, audit: str) -> Path:
        """Return the folder of one audit: of a seed, or of a label."""
        self.used.add(self.folder / audit)
        return self.folder / audit

    def ended(self, audit: str, found: Results) -> None:
        """Note how an audit ended: if its budget ended it, a larger one needs its looks."""
        if ended_by_budget(found) and (self.folder / audit / LOOKS).exists():
            self.unfinished.add(self.folder / audit)


def looks_folder(kept: Path) -> Path:
    """Name the folder of the looks, next to the folder of the trainings."""
    return kept.with_name(f"{kept.name}-looks")


def keeps_looks(kept: Path) -> bool:
    """Tell whether a stopped audit left looks, of this command or of another."""
    return any(looks_folder(kept).glob(ANY_LOOKS))


@contextmanager
def looks_until_written(
    kept: Path, stopping: Stopping, hooks: Hooks
) -> Iterator[LookFolders | None]:
    """Yield a folder in which an audit that stops early keeps its looks until its output is
    written; say where a stop leaves them, that they stay if the budget ended the audit, and that
    looks of another audit stay.
    """
    if not stopping.early:
        yield None
        return
    folder, before = looks_folder(kept), keeps_looks(kept)
    if before:
        hooks.on_resume(
            f"looks of a stopped audit are kept in {folder}: this audit continues from them if it "
            "has the same model, texts and settings"
        )
    looks = LookFolders(folder)
    try:
        yield looks
    except BaseException:
        if any((one / LOOKS).exists() for one in looks.used):
            hooks.on_resume(
                f"stopped: the looks that were finished, and the finished tests of the first, are "
                f"kept in {folder}, and the same command resumes there"
            )
        elif before:
            hooks.on_resume(f"stopped: the looks that were kept in {folder} stay there")
        raise
    from sightline.audits.look_storage import remove_kept  # noqa: PLC0415  (torch)

    for one in (*(looks.used - looks.unfinished), folder):
        remove_kept(one)
    if looks.unfinished:
        hooks.on_resume(
            f"the budget ended the audit: its looks stay in {folder}, and the same command with a "
            "larger --budget continues from them; remove the folder if you do not need them"
        )
    elif keeps_looks(kept):
        hooks.on_resume(
            f"looks of another audit stay in {folder}: its own command resumes from them; remove "
            "the folder if you do not need them"
        )


LOOKS = "looks.npz"
"""The file with the looks of an audit."""
ANY_LOOKS = f"*/*{LOOKS}"
"""The files with looks, also of other audits."""


def kept_threads(folder: Path, sources: Sequence[ChosenModel]) -> int | None:
    """Return the number of threads with which the trainings of these sources were stopped."""
    specs = [one.spec for one in sources if isinstance(one, TrainedFirst)]
    return UnfinishedTrainings(folder).threads(specs)


@contextmanager
def resumable(kept: UnfinishedTrainings, device: str, on_note: OnNote) -> Iterator[TrainOrLoad]:
    """Yield the function that keeps trainings; report what it starts with, and where a stop leaves
    them.
    """
    found: list[Found] = []

    def keep(spec: RunSpec, make: TrainOnce) -> Fitted:
        if not found:
            found.append(kept.find(device, spec))
            if description := MESSAGES.get(found[0]):
                on_note(description.format(kept.folder))
        return kept.keep(device, spec, make)

    try:
        yield keep
    except BaseException:
        if kept.holds():
            kept.release()
            on_note(
                f"stopped: what is trained is kept in {kept.folder}, and the same command "
                "resumes from there"
            )
        else:
            kept.remove()
        raise
    kept.remove()
