"""What the top words of every map carry into another text, and lose where they are removed: effects with intervals."""

from __future__ import annotations

from sightline.errors import DataError
from sightline.report.figures import WIDTH, Panel, Row, drawn
from sightline.report.instead import MEASURED, numbers
from sightline.report.page.maps import called
from sightline.report.plots.plot import Cell, Plot, svg
from sightline.results import Results

_EDGE = 12


def transplant(audit: Results) -> Plot:
    """Draw a panel for each thing that was done with the words, and a map a row; 0 is random words, 1 all words."""
    found = [(called(row.name), did, one) for row in audit.maps for did, one in numbers(row).items() if one is not None]
    if not found:
        raise DataError("the figure needs maps side by side, which this audit does not have; choose another figure")
    panels = [
        Panel(
            f"Part of the decision {did}",
            tuple(Row(name, one, "effect") for name, which, one in found if which == did),
            zero=True,
        )
        for did in MEASURED.values()
    ]
    title = "What the words of each map do, from 0 (random words) to 1 (all there is to do)"
    body, top = drawn([panel for panel in panels if panel.rows])
    rows: list[tuple[Cell, ...]] = [(did, name, one.value, one.low, one.high, one.n) for name, did, one in found]
    desc = "; ".join(f"{name}, {did}: n = {one.n}" for name, did, one in found)
    return Plot(svg(WIDTH, top + _EDGE, title, desc, [body]), ("what", "map", "value", "low", "high", "n"), rows)
