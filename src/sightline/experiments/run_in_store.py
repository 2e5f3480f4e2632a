"""Run a spec and keep its training and result in a store; the store itself knows nothing
of models.
"""

from __future__ import annotations

import time
from functools import partial

from sightline._io.checksums import is_whole, sweep_aside, write_sealed
from sightline.config.run_keys import run_key, training_key
from sightline.config.specs import RunSpec
from sightline.core.errors import ModelError, SpecError, StoreError
from sightline.experiments.callbacks import Display
from sightline.experiments.checkpoints import Pace, TrainingCheckpoints
from sightline.experiments.device import one_thread
from sightline.experiments.pipeline import run
from sightline.experiments.store import State, Store, refused_by_the_disk, should_run
from sightline.experiments.training_jobs import Fitted, TrainOnce
from sightline.models.classifier import AttentionClassifier
from sightline.models.model_storage import read_classifier, write_classifier


def run_stored(
    spec: RunSpec, store: Store, *, again: bool = False, display: Display | None = None
) -> State:
    """Make one run of a store, unless it is done or another process has it; a failure is kept, not
    raised.

    A failed run is repeated only with ``again``. Only errors of the disk are raised, because every
    other run would meet them too.
    """
    with refused_by_the_disk(store), store.claim_run(run_key(spec)) as mine:
        state = store.state(run_key(spec))
        if not mine or not should_run(state, again=again):
            return state
        return run_claimed(spec, store, display)


def run_claimed(spec: RunSpec, store: Store, display: Display | None = None) -> State:
    """Make one run whose claim the caller holds, here or on the sending machine, with one thread;
    otherwise as `run_stored`.
    """
    with refused_by_the_disk(store), one_thread():
        began = time.perf_counter()
        try:
            named = partial(model_of, store)
            _, audit = run(
                spec, display or Display(), keep=partial(keep_training, store), named=named
            )
            store.write_run(spec, audit, time.perf_counter() - began)
        except (StoreError, OSError):  # a training that cannot be claimed, or an error of the disk
            raise
        except (
            Exception
        ) as error:  # any error: the run is kept as failed, and the other runs continue
            store.write_failure(
                spec, f"{type(error).__name__}: {error}", time.perf_counter() - began
            )
            return "failed"
        return "done"


def keep_training(
    store: Store, spec: RunSpec, make: TrainOnce, *, device: str = "cpu", pace: Pace | None = None
) -> Fitted:
    """Return the training of a spec: read it, or make and keep it. A second process waits for the
    first.

    Checkpoints are kept at a pace, and a training that was stopped on the same kind of device
    resumes from its last one.
    """
    key = training_key(spec)
    folder, partway = (
        store.training_folder(key),
        TrainingCheckpoints(store.partway_folder(key), device, pace),
    )
    with store.claim_training(key):
        whole = is_whole(folder)
        sweep_aside(folder)  # also if it is whole: its writer may have been killed just after that
        if whole:
            partway.clear()  # the process that made it may have been killed before this
            return read_classifier(folder)
        try:
            model, record = make(partway)
        except ModelError:  # it would stop at the same step again
            partway.clear()
            raise
        write_sealed(folder, lambda aside: write_classifier(model, aside, record))
        partway.clear()
        return model, record


def model_of(store: Store, key: str) -> AttentionClassifier:
    """Return the trained model of a run, by the key of the run or of its training; it must exist
    already.
    """
    folder = store.training_folder(key)
    if not is_whole(folder) and store.state(key) == "done":
        folder = store.training_folder(str(store.audit(key).spec.get("training_key", "")))
    if not is_whole(folder):
        message = (
            f"given(run={key}): expected a run that is done in {store.root}, got none; run it first"
        )
        raise SpecError(message, field="model")
    return read_classifier(folder)[0]
