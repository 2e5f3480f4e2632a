"""Tables of what of the papers was run here, and how it compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from docs_tables import Stored, number, table

KINDS = ("agrees", "differs", "apart", "not comparable")


def overview(stored: Stored) -> str:
    """Table every artefact: how much of it was run, and how many of its numbers agree with what is
    printed.
    """
    kinds = ("agree", "differ", "one or two seeds", "not comparable")
    head = ("id", "what", "runs", "missing: runs (hours)", "beside a printed number", *kinds)
    once = stored["once"]
    text = (
        f"**{once['done']:,} of {once['planned']:,} runs of these tables are done**; the rest "
        f"would take about {once['hours_left']:,.0f} hours of one worker, by what runs of the "
        "same data took, and of the same model where there are such; where there are none, "
        "by what others of the table took. Tables share runs, which this counts once, and "
        "each line below as its own.\n\n"
    )
    return text + table(head, map(_overview, stored["artefacts"]))


def _overview(one: Stored) -> Iterator[str]:
    kinds = Counter(
        kind for line in one["lines"] for kind in KINDS if (line["said"] or "").startswith(kind)
    )
    yield f"[`{one['id']}`](#{anchor(one)})" if one["lines"] else f"`{one['id']}`"
    yield f"{one['place']}: {one['told']}"
    yield f"{one['done']} of {one['planned']}"
    yield "; ".join(map(_missing, one["missing"])) or "—"
    yield str(kinds.total())
    yield from (str(kinds[kind]) for kind in KINDS)


def _missing(one: Stored) -> str:
    many = "all" if one["missing"] == one["planned"] else f"{one['missing']} of {one['planned']}"
    return f"{one['corpus']} {many} ({one['hours_left']:.1f})"


def anchor(one: Stored) -> str:
    """Name the heading of an artefact as a link does."""
    return (
        f"{one['id']}-{one['place']}".lower()
        .replace(":", "")
        .replace(" ", "-")
        .replace("§", "")
        .replace(",", "")
    )


def artefacts(stored: Stored) -> str:
    """Table each artefact that has a number."""
    return "\n".join(map(_artefact, (one for one in stored["artefacts"] if one["lines"])))


def _artefact(one: Stored) -> str:
    head = ("corpus", "model", "quantity", "published", "ours", "chance level", "seeds", "")
    notes = "".join(f"* {note}\n" for note in one["notes"])
    description = one["told"][0].upper() + one["told"][1:]
    lines = table(head, map(_line, one["lines"]))
    return f"### {one['id']} {one['place']}\n\n{description}.\n\n{notes}\n{lines}"


def _line(line: Stored) -> Iterator[str]:
    sample = f" (of {line['limit']} texts)" if line["limit"] else ""
    yield line["corpus"] + sample
    yield from (line["model"], line["quantity"])
    sd = "" if line["sd"] is None else f" ± {line['sd']:g}"
    yield "—" if line["published"] is None else f"{line['published']:g}{sd}"
    yield _ours(line["ours"])
    yield "—" if line["floor"] is None else f"{line['floor']['value']:.3f}"
    yield str(line["seeds"] or "—")
    yield line["said"] or ""


def _ours(found: Stored) -> str:
    if found["method"] == "counted":
        return f"{found['value']:,g}"
    if found["low"] is None:
        return f"{found['value']:.3f}, n = {found['n']}"
    return number(found)
