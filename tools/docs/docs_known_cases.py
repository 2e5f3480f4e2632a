"""Tables of the verdict where its truth is known: on cases written for it, on a transformer by
attention source, and under many seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from docs_tables import Stored, number, table

from sightline.verdict.catalogue import AUDIT_TESTS

DECIDING = (
    "SL-303",
    "SL-301",
    "SL-304",
    "SL-305",
    "SL-306",
    "SL-307",
    "SL-308",
    "SL-101",
    "SL-102",
    "SL-104",
)
"""The tests that can decide a case; tests that only add a caveat are left out."""
VERDICTS: Mapping[int, str] = {
    1: "cannot tell",
    2: "must not",
    3: "must not",
    4: "can",
    5: "with caveats",
    6: "cannot tell",
    7: "by absence",
}
WRONG = "**wrong**: "


def right(stored: Stored) -> str:
    """Count the cases of each kind whose verdict is right."""
    kinds: dict[str, list[Stored]] = {}
    for case in stored["cases"]:
        kinds.setdefault(case["kind"], []).append(case)
    kinds["all"] = [*stored["cases"]]
    rows = [(kind, str(len(own)), str(sum(map(_held, own)))) for kind, own in kinds.items()]
    return table(("kind", "cases", "right in every run"), rows)


def cases(stored: Stored) -> str:
    """Table the verdict on every case."""
    head = ("kind", "case", "right", "verdict", "not passed")
    return table(head, map(_case, stored["cases"]))


def _case(case: Stored) -> Iterator[str]:
    yield from (case["kind"], case["name"], _wanted(case))
    wrong = "" if _held(case) else WRONG
    yield wrong + _said(case["runs"]) if case["runs"] else "not counted"
    yield _decided(case["runs"])


def _held(case: Stored) -> bool:
    return bool(case["runs"]) and all(_is_right(case, one) for one in case["runs"])


def _is_right(case: Stored, run: Stored) -> bool:
    if "refused" in run:
        return False
    of_class = all(
        row in case["classes"].get(of, case["right"]) for of, row in run["by_class"].items()
    )
    said = (
        not case["says"]
        or run["row"] not in (4, 5)
        or any(code.startswith(case["says"]) for code in run["decided"])
    )
    scores = not case["scores"] or run["scores"] == case["scores"]
    return run["row"] in case["right"] and of_class and said and scores


def _wanted(case: Stored) -> str:
    description = _any(case["right"]) + "".join(
        f"; {of}: {_any(rows)}" for of, rows in case["classes"].items()
    )
    description += f"; says {AUDIT_TESTS[case['says']].name}" if case["says"] else ""
    return description + (f"; scores {_passed(case['scores'])}" if case["scores"] else "")


def _any(rows: Iterable[int]) -> str:
    return " or ".join(dict.fromkeys(VERDICTS[row] for row in rows))


def _passed(answer: str | None) -> str:
    return answer if answer in ("passed", "failed", "inconclusive") else "—"


def _said(runs: Sequence[Stored]) -> str:
    """Say the verdict of all texts and of each class, once where all runs say the same."""
    return " / ".join(dict.fromkeys(map(_run, runs)))


def _run(run: Stored) -> str:
    if "refused" in run:
        return "refused"
    classes = "".join(
        f"; {of}: {VERDICTS[row]}"
        for of, row in run["by_class"].items()
        if VERDICTS[row] != _row(run)
    )
    scores = f"; scores {_passed(run['scores'])}" if run.get("scores") else ""
    return _row(run) + classes + scores


def _row(run: Stored) -> str:
    return VERDICTS[run["row"]]


def _decided(runs: Sequence[Stored]) -> str:
    """Name the deciding tests that did not pass."""
    found = dict.fromkeys(
        f"{AUDIT_TESTS[code].name} {_passed(answer)}"
        for run in runs
        for code, answer in (
            label.split() for label in run.get("decided", ()) if len(label.split()) == 2
        )
        if code in DECIDING and answer in ("failed", "inconclusive")
    )
    return "; ".join(found) or "—"


def sources(stored: Stored) -> str:
    """Table the verdicts on a pretrained transformer, by attention source."""
    head = ("attention source", "texts", "verdict", "Transfer", "CPU seconds")
    return table(head, map(_source, stored["sources"]))


def _source(row: Stored) -> Iterator[str]:
    yield from (f"`{row['source']}`", str(row["texts"]), f"{_run(row)} ({_decided([row])})")
    yield from (number(row["transfer"]), f"{row['seconds']:.0f}")


def seeds(stored: Stored) -> str:
    """Table which verdicts one audit gave under many seeds of its own."""
    head = ("model", "texts", "seeds", "all texts", "by class", "nearest threshold")
    return table(head, map(_seeds, stored["seeds"]))


def _seeds(row: Stored) -> Iterator[str]:
    yield from (row["model"], str(row["texts"]), str(row["seeds"]), _counts(row["rows"]))
    yield "; ".join(f"{of}: {_counts(found)}" for of, found in row["classes"].items())
    yield row.get("nearest", "—")


def _counts(rows: Stored) -> str:
    said: dict[str, int] = {}
    for row, count in rows.items():
        said[VERDICTS[int(row)]] = said.get(VERDICTS[int(row)], 0) + count
    return ", ".join(f"{name} {count}" for name, count in said.items())
