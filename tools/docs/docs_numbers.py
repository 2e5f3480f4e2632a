"""Numbers of the protocol's runs within a sentence, filled in from the results file.

`<!-- n: TABLE; CORPUS; MODEL; QUANTITY -->…<!-- /n -->` stands for the number with its interval, and for
how many seeds it has where it has not all of them. `chance of QUANTITY` is the chance level. A
sentence that quotes a number so cannot say another one than the tables do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from docs_tables import REPRODUCTION, Stored, number, verified

QUOTED = re.compile(r"(?P<open><!-- n: (?P<of>[^>]*?) -->)(?P<body>.*?)(?P<close><!-- /n -->)")
CHANCE = "chance of "
Of = tuple[str, str, str, str]


def quote(text: str) -> str:
    """Fill in every quoted number of a page."""
    return QUOTED.sub(lambda found: found["open"] + written(found["of"]) + found["close"], text)


def written(of: str) -> str:
    """Write the number of a table, a corpus, a model and a quantity."""
    *place, quantity = of.split("; ")
    asked = quantity.removeprefix(CHANCE)
    line = protocol_lines().get((*place, asked))
    value = line and line["floor" if quantity.startswith(CHANCE) else "ours"]
    if not line or value is None:
        raise SystemExit(f"no run of the protocol has the quoted number {of}")
    shown, seeds, planned = number(value).replace("-", "−"), line["seeds"], line["planned"]
    return f"{shown} ({seeds} of {planned} seeds)" if seeds < planned else shown


@cache
def protocol_lines() -> Mapping[Of, Stored]:
    """Give the lines of the protocol's tables by table, corpus, model and quantity."""
    stored = verified(REPRODUCTION) or {"tables": ()}
    return {
        (one["id"], line["corpus"], line["model"], line["quantity"]): line
        for one in stored["tables"]
        for line in one["lines"]
    }
