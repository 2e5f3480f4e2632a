"""Tables of transformers: the families that pass the checks, and audits of some models."""

from __future__ import annotations

from collections.abc import Iterator

from docs_tables import Stored, gates, number, table

SHOWN = ("SL-303", "SL-301", "SL-101", "SL-102", "SL-104", "SL-001")
"""The tests shown with the verdict of an attention source."""


def families(stored: Stored) -> str:
    """Table which families of transformers pass the checks, and which of their attention is
    shown.
    """
    head = (
        "family",
        "class",
        "layers of attention",
        "row that is read",
        "a head's weights can be put back",
        "audited",
    )
    versions = ", ".join(f"{name} {found}" for name, found in stored["versions"].items())
    return f"{versions}.\n\n{table(head, map(_family, stored['rows']))}\n{gates(stored)}"


def _family(row: Stored) -> tuple[str, ...]:
    if row["refused"]:
        return row["family"], f"`{row['class']}`", "—", "—", "—", f"refused: {row['refused']}"
    text = "yes" if row["padded"] else "yes, texts of one length at a time"
    decodes = "yes" if row["decodes"] else "no"
    return row["family"], f"`{row['class']}`", str(row["layers"]), row["row"], decodes, text


def planted_heads(stored: Stored) -> str:
    """Table the verdict rows by attention source, for a model whose heads are written by hand."""
    head = (
        "world",
        "reading",
        "audits",
        "right rows",
        "rows",
        "most on special tokens; the verdict says so",
    )
    about = f"`{stored['data']}`, {stored['texts']} texts an audit, {stored['seeds']} seeds.\n\n"
    return f"{about}{table(head, map(_reading, stored['groups']))}\n{gates(stored)}"


def _reading(group: Stored) -> Iterator[str]:
    chosen = ",".join(f"{name}={value}" for name, value in group["chosen"].items())
    yield from (group["world"], f"{group['reading']}: `({chosen})`", str(group["audits"]))
    yield ", ".join(map(str, group["right"])) or "none is promised"
    yield "; ".join(f"row {row}: {count}" for row, count in group["rows"].items())
    yield f"{group['sunk']['count']}; {group['told']['count']}"


def sst_bert(stored: Stored) -> str:
    """Say how a small BERT was made on SST, and table its audit by attention source."""
    shape, epochs = stored["shape"], ", ".join(f"{one:.3f}" for one in stored["validation"])
    made = (
        f"{shape['num_hidden_layers']} layers with {shape['num_attention_heads']} heads each, "
        f"{shape['hidden_size']} wide, {shape['pieces']:,} tokens; made in "
        f"{stored['seconds']} seconds of a processor; accuracy on validation texts after each "
        f"epoch: {epochs}.\n\n"
    )
    head = (
        "reading",
        "test texts",
        "accuracy",
        "verdict",
        "share of the attention on words",
        *SHOWN,
    )
    return f"{made}{table(head, map(_audit, stored['audits']))}\n{gates(stored)}"


def _audit(one: Stored) -> Iterator[str]:
    yield from (
        f"`{one['reading'] or '(the last layer, mean of its heads)'}`",
        f"{one['accuracy']['n']:,}",
    )
    yield from (
        number(one["accuracy"]),
        f"{one['headline']} (row {one['row']})",
        number(one["on_words"]),
    )
    found = one["findings"]
    yield from (f"{found[code]['verdict']} {number(found[code]['effect'])}" for code in SHOWN)
