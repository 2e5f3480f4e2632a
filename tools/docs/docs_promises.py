"""What Sightline promises about files, processes and numbers, how each promise is tested, and what
was counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docs_tables import Stored, table, verified


@dataclass(frozen=True)
class Promise:
    """A promise, the test files that check it, and by campaign the endings of the gate names that
    count it.
    """

    words: str
    tests: tuple[str, ...]
    counted: Mapping[str, tuple[str, ...]]


def _promise(words: str, *tests: str, **counted: tuple[str, ...]) -> Promise:
    return Promise(words, tests, counted)


PROMISES = (
    _promise(
        "An output is replaced whole: whatever ends the process, a reader of ours finds the old "
        "one or the new one, and in a folder also the files that are not ours",
        "tests/_io/test_atomic_write.py",
        "tests/cli/test_exit_codes.py",
        chaos=("nothing half-written",),
        shared=("runs and trainings whole",),
    ),
    _promise(
        (
            "No output takes the place of an input, of another output, of a file that sightline did "
            "not write, or of anything that is neither a file nor a folder"
        ),
        "tests/cli/test_output_checks.py",
        "tests/cli/test_own_files.py",
    ),
    _promise(
        (
            "A study that was killed or stopped resumes with the remaining runs, and ends with the "
            "results of an uninterrupted study"
        ),
        "tests/cli/test_study.py",
        "tests/experiments/test_schedule.py",
        "tests/experiments/test_ray_cluster.py",
        chaos=("started again, ended with 0",),
    ),
    _promise(
        "A training that was stopped resumes from one of its steps, in a study, too, and "
        "ends with the bits of an uninterrupted training",
        "tests/training/test_resume_state.py",
        "tests/experiments/test_checkpoints.py",
        "tests/experiments/test_resumed.py",
        "tests/experiments/test_resume_store.py",
        "tests/cli/test_resuming.py",
        resumed=("went on with the next step", "weights equal to the bit"),
    ),
    _promise(
        "A training whose loss is not finite stops at that step, and names it with the first "
        "tensor that is not; its weights are those it had before",
        "tests/training/test_epoch.py",
    ),
    _promise(
        "A store keeps nothing that a killed process left half-written once a study on it has "
        "started and ended again",
        "tests/experiments/test_store.py",
        "tests/studies/test_own.py",
        "tests/experiments/test_ray_cluster.py",
    ),
    _promise(
        "An audit that stops early and was killed resumes after its last finished look, within the "
        "first look and the comparison of maps with the next measure, and ends with the numbers of "
        "an uninterrupted audit: to 1e-9 where the audit runs in double precision, else to the "
        "rounding of the model",
        "tests/audits/test_sequential.py",
        "tests/audits/test_resumed_comparison.py",
        "tests/cli/test_resuming.py",
        "tests/api/test_resume.py",
    ),
    _promise(
        "Workers end with their parent, and the claims of a process are free when it has ended",
        "tests/experiments/test_workers.py",
        chaos=("no process left after 10 s", "no claim left that blocks"),
    ),
    _promise(
        "A killed worker costs its configuration one more try; SIGTERM ends a command with "
        "143, Ctrl-C with 130, each with one line, and one more where a training is kept",
        "tests/cli/test_exit_codes.py",
        "tests/cli/test_signals.py",
        "tests/experiments/test_schedule.py",
        chaos=("exit code as promised",),
    ),
    _promise(
        (
            "Several studies may share a store: each configuration runs once, none is lost, and "
            "a study says which ones it left to another"
        ),
        "tests/experiments/test_store.py",
        "tests/cli/test_study.py",
        shared=(
            "runs and trainings made, and made once",
            "ended with 0 and the undisturbed table, or with 4 and one that is marked partial",
            "runs done when both had ended",
        ),
    ),
    _promise(
        "A disk that is full, or a store that cannot be locked or written, ends a study with "
        "2; no configuration is kept as failed for it",
        "tests/experiments/test_store.py",
        "tests/cli/test_study.py",
        chaos=("exit code 2, one line, nothing kept as failed",),
    ),
    _promise(
        "Damage is noticed: a file that was cut, edited or had a bit flipped, in a saved audit, "
        "a saved model or a run of a store, is refused by its name or made again",
        "tests/cli/test_seals.py",
        "tests/audits/test_audit_storage.py",
        "tests/models/test_model_storage.py",
        "tests/experiments/test_store.py",
        chaos=("every result equal to the undisturbed",),
    ),
    _promise(
        "Only code that you named is run: reading a saved audit or model executes "
        "nothing, and nothing of the current folder is imported",
        "tests/audits/test_audit_storage.py",
        "tests/cli/test_current_folder.py",
    ),
    _promise(
        (
            "Inputs are bounded: a device, a bomb or a number with a zero too many is refused "
            "before it takes the memory"
        ),
        "tests/data/test_bounded.py",
        "tests/cli/test_bounded.py",
        "tests/adapters/huggingface/test_folders.py",
    ),
    _promise(
        "A model of yours that raises, exits, or answers differently from its checks ends a "
        "command with 2 and its own name; what it prints is no part of the output",
        "tests/adapters/test_changing.py",
        "tests/cli/test_blame.py",
        "tests/fuzz/test_fuzz.py",
    ),
    _promise(
        "Memory grows with the texts and with the classes, not with their square; a table of "
        "a million texts is checked within a gigabyte",
        "tests/test_scale.py",
        "tests/data/test_mimic.py",
        "tests/numerics/test_simplex.py",
        "tests/stats/test_counts.py",
        large=("within the memory each may take", "within the time each may take"),
        notes=("within the memory each may take", "within the time each may take"),
    ),
    _promise(
        "Wrong files, models and flags end with 2 and one line that names what is wrong",
        "tests/cli/test_exit_codes.py",
        "tests/cli/test_troubles.py",
        "tests/cli/test_wrong_parts.py",
        "tests/cli/test_os_errors.py",
        "tests/fuzz/test_fuzz.py",
        fuzz=("code 0, 2 or 4, soon, and nothing left behind",),
    ),
    _promise(
        "No bit of an audit depends on the hash seed, the locale, the time zone or the "
        "number of workers; with equal threads and the same versions on the same processor",
        "tests/cli/test_repeats.py",
        "tests/experiments/test_schedule.py",
        repeats=("equal to the bit where that is promised",),
    ),
    _promise(
        "No number of the audit of a trained model depends on `--memory`, batches, the order "
        "of texts or threads beyond 1e-9",
        "tests/audits/test_precision.py",
        repeats=("equal to 1e-9 where that is promised",),
    ),
)


def promises() -> str:
    """Table every promise, its tests, and how often it held in the campaigns."""
    rows = [
        (one.words, ", ".join(f"`{test}`" for test in one.tests), _counts(one)) for one in PROMISES
    ]
    return table(("what is promised", "tests", "counted"), rows)


def _counts(one: Promise) -> str:
    lines = [_count(name, what) for name, whats in one.counted.items() for what in whats]
    return "; ".join(lines) or "—"


def _count(name: str, what: str) -> str:
    stored = verified(name)
    if stored is None:
        return f"{what}: not counted yet"
    gates = [gate for gate in stored["gates"] if gate["name"].endswith(f": {what}")]
    if not gates:
        raise ValueError(
            f"docs/verified/{name}.json: expected a gate whose name ends in {what!r}, got none"
        )
    return (
        f"{what}: {_held(sum(gate['count'] for gate in gates), sum(gate['of'] for gate in gates))}"
    )


def _held(count: int, of: int) -> str:
    return f"{count:,} of {of:,}"


def chaos(stored: Stored) -> str:
    """Say how the study was broken, and table the counts by the way of breaking."""
    stops = ", ".join(f"{count} × {how}" for how, count in stored["stops"].items())
    damaged = ", ".join(f"{count} × {how}" for how, count in stored["damaged"].items())
    counted = _by_way(stored)
    about = (
        f"{stored['configurations']} configurations. Stops: {stops}. Damage before them: {damaged}. Exit "
        f"codes of what was stopped: {_codes(stored['exit_codes'])}. The last process of a study "
        f"lived {stored['longest_seconds_after_the_parent']:g} s at most after its parent had "
        "ended.\n\n"
    )
    others = [how for how in counted if how not in stored["stops"]]
    rows = [(how, what, count) for how in others for what, count in counted[how].items()]
    return f"{about}{_sheet(counted, stored['stops'])}\n{table(('how', 'what', 'counted'), rows)}"


def shared(stored: Stored) -> str:
    """Say how two studies ended on one store, and table the counts."""
    codes = _codes({how: found["exit_codes"] for how, found in stored["two_studies"].items()})
    counted = _by_way(stored)
    return f"{stored['configurations']} configurations. Exit codes: {codes}.\n\n{_sheet(counted, counted)}"


def resumed(stored: Stored) -> str:
    """Say how often trainings were killed and when, and table the counts."""
    counted = _by_way(stored)
    met = {
        way: {what: f"{count:,}" for what, count in {"kills": stored["kills"], **found}.items()}
        for way, found in stored["ways"].items()
    }
    return _sheet({way: met[way] | counted[way] for way in met}, met)


def _codes(by_way: Mapping[str, Mapping[str, int]]) -> str:
    values = {
        how: ", ".join(f"{code} ({count})" for code, count in found.items())
        for how, found in by_way.items()
    }
    return "; ".join(f"{how}: {codes}" for how, codes in values.items())


def _by_way(stored: Stored) -> dict[str, dict[str, str]]:
    """Sort gates by the way of breaking, which begins their names, and by what was counted."""
    counted: dict[str, dict[str, str]] = {}
    for gate in stored["gates"]:
        how, _, what = gate["name"].partition(": ")[2].rpartition(": ")
        counted.setdefault(how or "in the end", {})[what] = _held(gate["count"], gate["of"])
    return counted


def _sheet(counted: Mapping[str, Mapping[str, str]], hows: Iterable[str]) -> str:
    """Table ways of breaking as columns: the names of the counts are too long for a head."""
    whats = dict.fromkeys(what for how in hows for what in counted[how])
    return table(
        ("", *hows), ((what, *(counted[how].get(what, "—") for how in hows)) for what in whats)
    )


def repeats(stored: Stored) -> str:
    """Table what changed between repeats of one audit, what is promised, and what was found."""
    rows = [
        (
            row["changed"],
            row["promised"],
            "yes" if row["equal_to_the_bit"] else "no",
            f"{row['largest_difference']:.1g}",
        )
        for row in stored["rows"]
    ]
    description = table(
        ("changed", "promised", "equal to the bit", "largest difference of a number"), rows
    )
    return f"One audit of `{stored['model']}`, made {len(rows)} times more:\n\n{description}"


def large(stored: Stored) -> str:
    """Table what the commands took on large inputs, and what they may take."""
    rows = (
        (
            row["what"],
            f"{row['mib']:,} MiB",
            f"{row['most_mib']:,} MiB",
            f"{row['seconds']:,} s",
            f"{row['most_seconds']:,} s",
        )
        for row in stored["rows"]
    )
    return table(("what", "memory", "at most", "of a processor", "at most"), rows)


def fuzz(stored: Stored) -> str:
    """Table how the odd command lines ended, by kind, and the most that any of them took."""
    limits = stored["limits"]
    codes = sorted({code for kind in stored["kinds"] for code in kind["codes"]}, key=int)
    rows = (
        (
            kind["kind"],
            f"{kind['cases']:,}",
            *(str(kind["codes"].get(code, 0)) for code in codes),
            str(kind["faults"]),
            f"{kind['most_seconds']:g} s",
            f"{kind['most_mib']:,} MiB",
        )
        for kind in stored["kinds"]
    )
    most = f"{limits['seconds']} s of a processor and {limits['bytes'] >> 20:,} MiB"
    about = f"{stored['cases']:,} cases, each to take less than {most}.\n"
    ended = (f"ended with {code}" for code in codes)
    return f"{about}\n{table(('odd', 'cases', *ended, 'with a fault', 'the longest', 'the largest'), rows)}"
