"""Tables of the study of real texts: the verdicts, the tests behind them, and what each map
carries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from statistics import mean

from docs_tables import Stored, is_known, number, table, unfinished

SIGNS: Mapping[str, str] = {"passed": "+", "failed": "−", "inconclusive": "·", "not run": "∅"}
"""One sign an answer, so that three seeds fit in a cell."""
Groups = Mapping[tuple[str, str], list[Stored]]


def verdicts_by_corpus(stored: Stored) -> str:
    """Table accuracy and verdicts by corpus and encoder, over the seeds."""
    rows = [
        (
            *names,
            str(len(rows)),
            f"{mean(row['learned']['accuracy']['value'] for row in rows):.2f}",
            ", ".join(
                f"{text}: {count}"
                for text, count in Counter(row["verdict"]["text"] for row in rows).items()
            ),
        )
        for names, rows in _grouped(stored).items()
    ]
    head = ("corpus", "encoder", "seeds", "mean accuracy", "verdict: seeds")
    return unfinished(stored, len(stored["rows"])) + table(head, rows)


def _grouped(stored: Stored) -> Groups:
    groups: dict[tuple[str, str], list[Stored]] = {}
    for row in stored["rows"]:
        groups.setdefault((row["corpus"], row["encoder"]), []).append(row)
    return groups


def real_texts(stored: Stored) -> str:
    """Table every run, then tests and maps by corpus and encoder, over the seeds."""
    groups = _grouped(stored)
    signs = ", ".join(f"{sign} {answer}" for answer, sign in SIGNS.items())
    return (
        f"{unfinished(stored, len(stored['rows']))}{table(_RUN, map(_run, stored['rows']))}\n**Tests**: "
        "mean score over the seeds, and each result "
        f"({signs}).\n\n{_findings(groups)}\n**Maps**: how much of the prediction the highlighted "
        "words carry, mean over the seeds, on the half of the texts that had no part in "
        f"choosing; in brackets how often the other half put the map first.\n\n{_maps(groups)}"
    )


_RUN = (
    "corpus",
    "encoder",
    "seed",
    "texts",
    "accuracy",
    "guessing",
    "verdict",
    "by predicted class",
)


def _run(row: Stored) -> Iterator[str]:
    learned = row["learned"] or {}
    yield from (row["corpus"], row["encoder"], row["seed"], str(row["texts"]))
    yield from (number(learned.get(key)) for key in ("accuracy", "guessing"))
    yield f"{row['verdict']['text']} (row {row['verdict']['row']})"
    yield "; ".join(f"{of}: row {one['row']}" for of, one in row["by_class"].items()) or "—"


def _findings(groups: Groups) -> str:
    codes = list(
        dict.fromkeys(code for rows in groups.values() for row in rows for code in row["findings"])
    )
    lines = ((*names, *(_answers(rows, code) for code in codes)) for names, rows in groups.items())
    return table(("corpus", "encoder", *codes), lines)


def _answers(rows: Iterable[Stored], code: str) -> str:
    known = [row["findings"][code] for row in rows if code in row["findings"]]
    effects = [one["effect"]["value"] for one in known if is_known(one.get("effect"))]
    signs = "".join(SIGNS[one["answer"]] for one in known)
    return f"{mean(effects):.2f} {signs}" if effects else signs or "—"


def _maps(groups: Groups) -> str:
    names = list(
        dict.fromkeys(
            one["name"] for rows in groups.values() for row in rows for one in row["maps"]
        )
    )
    return table(
        ("corpus", "encoder", *names),
        ((*labels, *(_map(rows, name) for name in names)) for labels, rows in groups.items()),
    )


def _map(rows: Iterable[Stored], name: str) -> str:
    known = [one for row in rows for one in row["maps"] if one["name"] == name]
    carried = [one["carried"]["value"] for one in known if is_known(one["carried"])]
    chosen = sum(one["chosen"] for one in known)
    return f"{mean(carried):.2f}{f' ({chosen})' if chosen else ''}" if carried else "—"
