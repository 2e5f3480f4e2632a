"""Tables that compare the verdict at two commits: on cases whose truth is known, on real texts, on
a transformer, under many seeds, and by cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from docs_tables import Stored, number, table, verified

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
WHEN = ("before", "after")


def right(stored: Stored) -> str:
    """Count the cases of each kind that both commits got right."""
    kinds: dict[str, list[Stored]] = {}
    for case in stored["cases"]:
        kinds.setdefault(case["kind"], []).append(case)
    kinds["all"] = [*stored["cases"]]
    rows = [
        (kind, str(len(own)), *(str(sum(_held(one, when) for one in own)) for when in WHEN))
        for kind, own in kinds.items()
    ]
    return table(("kind", "cases", *(f"right in every run, {when}" for when in WHEN)), rows)


def cases(stored: Stored) -> str:
    """Table the verdicts of both commits on every case."""
    head = ("kind", "case", "right", *WHEN, "not passed after")
    return table(head, map(_case, stored["cases"]))


def _case(case: Stored) -> Iterator[str]:
    yield from (case["kind"], case["name"], _wanted(case))
    for when in WHEN:
        wrong = "" if _held(case, when) else WRONG
        yield wrong + _said(case[when]) if case[when] else "not counted"
    yield _decided(case["after"])


def _held(case: Stored, when: str) -> bool:
    return bool(case[when]) and all(_is_right(case, one) for one in case[when])


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


def real(stored: Stored) -> str:
    """Table the verdicts on real texts by the old and the current rules, and what changed them."""
    before = {_label(row): row for row in (verified("real-before") or {"rows": ()})["rows"]}
    rows = [(*_label(row), *_changed(before.get(_label(row)), row)) for row in stored["rows"]]
    return table(("corpus", "encoder", "seed", "before", "after", "what changed it"), rows)


def _label(row: Stored) -> tuple[str, str, str]:
    return row["corpus"], row["encoder"], str(row["seed"])


def _changed(before: Stored | None, after: Stored) -> Iterator[str]:
    yield "not counted" if before is None else _real(before)
    yield _real(after)
    lines = []
    for of, one in {"": after["verdict"], **after["by_class"]}.items():
        was = None if before is None else (before["by_class"].get(of) if of else before["verdict"])
        if was is not None and VERDICTS[was["row"]] != VERDICTS[one["row"]]:
            lines.append(f"{of or 'all texts'}: {_reasons(one['reasons'])}")
    yield "; ".join(lines) or "—"


def _reasons(reasons: Iterable[str]) -> str:
    """Name the tests that did not pass, as a verdict gives them."""
    words = [reason.replace(":", " ").split() for reason in reasons]
    return (
        ", ".join(
            f"{AUDIT_TESTS[one[0]].name} {_passed(one[1])}" for one in words if one[0] in DECIDING
        )
        or "every test passed"
    )


def _real(row: Stored) -> str:
    of_all = VERDICTS[row["verdict"]["row"]]
    classes = {of: VERDICTS[one["row"]] for of, one in row["by_class"].items()}
    return of_all + "".join(f"; {of}: {said}" for of, said in classes.items() if said != of_all)


def sources(stored: Stored) -> str:
    """Table the verdicts of both commits on a pretrained transformer, by attention source."""
    head = (
        "attention source",
        "texts",
        "before",
        "after",
        "Transfer before",
        "Transfer after",
        "CPU seconds",
    )
    return table(head, map(_source, stored["sources"]))


def _source(row: Stored) -> Iterator[str]:
    yield from (f"`{row['source']}`", str(row["texts"]))
    yield from (_of_source(row.get(when)) for when in ("before", "after"))
    yield from (
        number(row[when]["transfer"]) if row.get(when) else "—" for when in ("before", "after")
    )
    yield ", ".join(
        f"{row[when]['seconds']:.0f}" if row.get(when) else "—" for when in ("before", "after")
    )


def _of_source(one: Stored | None) -> str:
    return "not counted" if one is None else f"{_run(one)} ({_decided([one])})"


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


def costs(stored: Stored) -> str:
    """Table the CPU seconds of the same audit at both commits."""
    head = (
        "audit",
        "runs of each",
        "before: least, median",
        "after: least, median",
        "after / before (least)",
    )
    return table(head, map(_cost, stored["costs"]))


def _cost(row: Stored) -> Iterator[str]:
    yield from (row["audit"], str(len(row["before"])))
    yield from (f"{min(row[when]):.1f}, {median(row[when]):.1f}" for when in ("before", "after"))
    yield f"{min(row['after']) / min(row['before']):.2f}"
