"""The catalogue and the rooms of parts hold each other to account: no row without its part, no part
without its row.
"""

import inspect
import pkgutil
from collections.abc import Callable
from importlib import import_module

import pytest
from torch import nn

import sightline.models.encoders
from sightline.config import data_parts
from sightline.config.data_parts import PLANTED, PUBLISHED, TABLES
from sightline.config.model_parts import ALTERED, CONTROLS, MODELS
from sightline.config.part_options import Option
from sightline.config.part_syntax import Part
from sightline.config.registry import ROOMS, names_of, row_of
from sightline.config.registry_row import Row
from sightline.data.corpora.corpus_registry import FORMATS
from sightline.data.synthetic import entailment_pairs, product_reviews, story_questions
from sightline.data.synthetic.cue_words import CLASSES, FILLERS
from sightline.data.synthetic.generators import GENERATED
from sightline.models.alterations import Altered
from sightline.models.retention import NoRetention

BUILT = (*MODELS, *ALTERED, *CONTROLS)
EVERY = (*BUILT, *PLANTED, *PUBLISHED, *TABLES)


def gives(kind: str) -> Callable[[object], bool]:
    return lambda found: (
        inspect.isfunction(found) and inspect.signature(found).return_annotation == kind
    )


def is_encoder(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, nn.Module) and hasattr(found, "summary")


def is_module(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, nn.Module)


def is_alteration(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, Altered) and not found.__subclasses__()


def is_companion(found: object) -> bool:
    return inspect.isfunction(found) and not found.__name__.startswith("_") and takes_a_run(found)


def takes_a_run(found: Callable[..., object]) -> bool:
    """Tell a function from one run to another."""
    signature = inspect.signature(found)
    first = next(iter(signature.parameters.values()), None)
    return first is not None and (first.annotation, signature.return_annotation) == (
        "RunSpec",
        "RunSpec",
    )


def is_retention(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, NoRetention)


ENCODERS = [
    f"sightline.models.encoders.{file.name}"
    for file in pkgutil.iter_modules(sightline.models.encoders.__path__)
]
PARTS_IN = {
    **dict.fromkeys(ENCODERS, is_encoder),
    "sightline.models.scorers": is_module,
    "sightline.models.decoders": is_module,
    "sightline.models.retention": is_retention,
    "sightline.models.projection_layers": gives("Projector"),
    "sightline.models.attention": gives("Source"),
    "sightline.models.external_attention": is_module,
    "sightline.training.control_models": is_companion,
    "sightline.models.alterations": is_alteration,
}
"""How a part is known that is defined in a room of parts."""


@pytest.mark.parametrize("name", PARTS_IN)
def test_no_part_is_without_a_row(name: str) -> None:
    module = import_module(name)
    mine = [found for found in vars(module).values() if getattr(found, "__module__", "") == name]
    there = {
        f"{name}:{one.__name__}"
        for one in mine
        if PARTS_IN[name](one) and not one.__name__.startswith("_")
    }
    forgotten = sorted(there - {row.built for row in BUILT})
    assert not forgotten, (
        f"{forgotten} cannot be named in a spec: give each a row in "
        "src/sightline/config/model_parts.py"
    )


@pytest.mark.parametrize("row", BUILT, ids=lambda row: f"{row.kind} {row.name}")
def test_a_row_has_the_options_of_what_it_builds_and_their_only_defaults(row: Row) -> None:
    module, _, name = row.built.partition(":")
    wanted = inspect.signature(getattr(import_module(module), name)).parameters
    assert all(one.default is one.empty for one in wanted.values()), (
        f"{name}: defaults belong into its row"
    )
    if any(one.kind is one.VAR_KEYWORD for one in wanted.values()):
        return  # an option that is a word of Python's
    assert set(row.options) <= set(wanted)
    around = {
        "encoder": 1,
        "scorer": 3,
        "projection": 1,
        "source": 2,
        "decoder": 3,
        "retention": 1,
        "altered": 3,
        "companion": 1,
    }
    assert len(wanted) - len(row.options) == around[row.kind]


@pytest.mark.parametrize("row", EVERY, ids=lambda row: f"{row.kind} {row.name}")
def test_a_row_allows_its_own_defaults_and_says_what_it_is(row: Row) -> None:
    written = Part(row.name, tuple(sorted(row.defaults.items())))
    assert row.chosen(written) == row.chosen(Part(row.name))
    assert row.about
    assert bool(row.built) == (row.kind in (*ROOMS, "altered", "companion"))
    assert (row.states is not None) == (row.kind == "encoder")


def test_names_are_used_once() -> None:
    models = [name for room in ROOMS for name in names_of(room)]
    sources = [name for kind in ("published", "table") for name in names_of(kind)]
    assert len(models) == len(set(models))
    assert len({*sources, "planted"}) == len(sources) + 1


def test_every_corpus_has_its_reader() -> None:
    assert tuple(GENERATED) == names_of("planted")
    assert tuple(FORMATS) == names_of("published")


def test_bounds_of_planted_corpora_are_those_of_their_words() -> None:
    def most(name: str, option: str) -> float:
        found: Option = row_of("planted", name).options[option]
        return found.most

    assert {
        most(name, "fillers") for name in ("needle", "vote", "negated", "detector", "pair")
    } == {FILLERS}
    assert most("needle", "classes") == len(CLASSES)
    assert (most("pair", "kinds"), most("pair", "colours")) == (
        len(entailment_pairs.THINGS),
        len(entailment_pairs.COLOURS),
    )
    there = (len(story_questions.PEOPLE), len(story_questions.PLACES), len(story_questions.THINGS))
    assert tuple(most("world", option) for option in ("people", "places", "things")) == there
    facts = min(len(subject.facts) for subject in product_reviews.SUBJECTS)
    assert most("reviews", "sentences") == facts + 1
    assert data_parts.REVIEW_SENTENCE == product_reviews.LONGEST
    shortest = min(len(words) for words in product_reviews.OPINIONS.values())
    assert most("reviews", "opinions") == shortest
