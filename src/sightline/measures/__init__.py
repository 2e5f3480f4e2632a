"""What an audit asks of a model: one question a file, raw numbers for each text."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module

from sightline.questions import ALWAYS, MEASURES
from sightline.types import Measure


def default_measures(tokens_at_once: int | None = None, chosen: tuple[str, ...] = ()) -> tuple[Measure, ...]:
    """Make every measure of an audit, in the order of the report, or those that are chosen and what none goes without.

    Those that delete words run ``tokens_at_once`` tokens together, where that is said.
    """
    wanted = {ALWAYS, *chosen} if chosen else set(MEASURES)
    return tuple(_made(home, tokens_at_once) for code, home in MEASURES.items() if code in wanted)


def _made(home: str, tokens_at_once: int | None) -> Measure:
    module, name = home.split(":")
    kind = getattr(import_module(module), name)
    deletes = "tokens_at_once" in {one.name for one in fields(kind)}
    bound = {"tokens_at_once": tokens_at_once} if deletes and tokens_at_once is not None else {}
    made: Measure = kind(**bound)
    return made
