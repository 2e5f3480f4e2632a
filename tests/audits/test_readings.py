"""An attention source is chosen on a few texts by four criteria, and the texts that audit it have
no part in it.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch

from sightline.audits.attention_sources.choice_split import FEW, MOST, choosing_texts, quota
from sightline.audits.attention_sources.head_mixture import fitted, learned_shares
from sightline.audits.attention_sources.removal_effect import SourceRemoval
from sightline.audits.attention_sources.select_source import ChoiceSettings, _Search, choose
from sightline.audits.measure_pass import measure
from sightline.audits.run import audit
from sightline.core.errors import DataError, ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch, SupportsAttentionSources
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.measures.importance import deletion_importance
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.projections import renormalise, uniform
from sightline.verdict.transfer_estimates import pair_sums
from tests.audits import sources
from tests.reference import moving, ties
from tests.texts import examples, untrained

TEXTS = examples((7, 5, 4, 12, 6, 9, 8, 10))
NAMES = ("own", "flat", "against", "for")
SHOWN = {
    "own": "(layer=0,head=0)",
    "flat": "(layer=0,head=1)",
    "against": "(layer=0,head=mean)",
    "for": "(reading=x)",
}


@dataclass(frozen=True, eq=False)
class Many:
    """A built-in model that says it has four readings: its own, none, the least that words do, and
    the most.
    """

    model: AttentionClassifier
    choosing: bool = True
    learned: tuple[str, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    @property
    def origin(self) -> str:
        return "elsewhere"

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"embedding_grad", "decode", "token_logits"})

    @property
    def shows(self) -> str:
        return "something"

    @property
    def readings(self) -> tuple[str, ...]:
        return (*NAMES, *self.learned)

    @property
    def heads(self) -> tuple[str, ...]:
        return ("own", "flat")

    def description(self, name: str) -> str:
        return f"what is {name}"

    def read_all(self, batch: Batch) -> dict[str, torch.Tensor]:
        trace = self.model.trace(batch)
        lost = torch.from_numpy(deletion_importance(self.model, trace, {})["signed"])
        mask = batch.attendable
        shown = {"own": trace.attention, "flat": uniform(mask, trace.attention)}
        shown |= {"against": graded(-lost, mask), "for": graded(lost, mask)}
        return shown | {
            name: sum(shown[head] * share for head, share in self.shares) for name in self.learned
        }

    def under(self, name: str) -> "Many":
        return replace(self, choosing=False)

    def mixed(self, shares: dict[str, float]) -> "Many":
        return replace(self, learned=("mixture",), shares=tuple(shares.items()))


def graded(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Weigh words by their place in order of value, so that a reader sees each step: the first from
    the others, too.
    """
    place = (
        values.masked_fill(~mask, -torch.inf)
        .argsort(dim=1, descending=True, stable=True)
        .argsort(dim=1)
    )
    below = place / (mask.sum(dim=1, keepdim=True) - 1).clamp(min=1)
    return renormalise(torch.where(place == 0, 1.0, 0.9 - 0.8 * below).clamp(min=0.0) * mask, mask)


MODEL = Many(untrained("bilstm(hidden=6)+additive").double())


def asking(seed: int = 0, batch_size: int = 3) -> ChoiceSettings:
    return ChoiceSettings(seed, batch_size, lambda done, total: None, pair_sums, 50)


def chosen(
    texts: list[Example] = TEXTS, validation: list[Example] | tuple = (), seed: int = 0
) -> Any:
    assert isinstance(MODEL, SupportsAttentionSources)
    return choose(MODEL, texts, validation, asking(seed))


def test_each_number_is_that_of_single_runs() -> None:
    found = measure(MODEL, TEXTS, [SourceRemoval()], {}, Seeds(0), 3, lambda done, total: None)[
        "readings"
    ]
    assert isinstance(found, Measurement), found
    for row, text in enumerate(TEXTS):
        for name, shown in MODEL.read_all(MODEL.collate([text])).items():
            keys = Seeds(0).generator("erasure", text.index).random(len(text.tokens))
            order = ties.falling(moving.seen(shown[0].tolist(), text.index), keys)
            literal, _ = moving.erased(MODEL.model, text, order, text.tokens)
            assert found.values[name][row] == pytest.approx(literal, abs=1e-8), (
                f"{name} of {text.id}"
            )
        assert found.values["for"][row] == pytest.approx(found.values["most"][row])


def test_what_carries_most_is_chosen_and_the_others_are_told() -> None:
    result = chosen().description
    values = {one["reading"]: one["value"] for one in result["tried"]}
    assert result["chosen"] == "for"
    assert values["for"] == pytest.approx(1)
    assert values["for"] > values["own"] > values["against"]
    assert {one["reading"]: one["words"] for one in result["tried"]} == {
        name: f"what is {name}" for name in NAMES
    }
    assert all(
        one["n"] == result["texts"] and one["low"] <= one["value"] <= one["high"]
        for one in result["tried"]
    )


def test_the_texts_that_choose_are_not_those_that_are_left() -> None:
    found = chosen()
    assert found.description["texts"] + len(found.rest) == len(TEXTS)
    assert found.description["texts"] == sum(found.description["of_class"].values()) >= 3
    assert sum(found.description["left_of_class"].values()) == len(found.rest)
    assert all(one["n"] <= found.description["texts"] for one in found.description["tried"])
    turned = chosen(TEXTS[::-1])
    assert {text.id for text in turned.rest} == {text.id for text in found.rest}
    assert any(
        {text.id for text in chosen(seed=seed).rest} != {text.id for text in found.rest}
        for seed in (1, 2)
    )


def test_no_source_is_measured_on_the_texts_that_are_left() -> None:
    measured: list[set[str]] = []

    class Recording(ChoiceSettings):
        def measured(self, model: Any, texts: Any, measures: Any) -> Any:
            measured.append({text.id for text in texts})
            return super().measured(model, texts, measures)

    given = asking()
    recording = Recording(given.seed, given.batch_size, given.on_progress, given.pairs, given.least)
    rest = {text.id for text in choose(MODEL, TEXTS, (), recording).rest}
    tried = set().union(*measured[1:])
    assert (
        measured[0] == {text.id for text in TEXTS} == tried | rest
    )  # the first call asks for predictions alone
    assert not tried & rest


def test_what_the_others_find_does_not_say_who_chooses() -> None:
    """The draw sees predictions and clusters alone: of each class it is a random part."""
    predicted, clusters = np.repeat([0, 1], 100), np.arange(200)
    taken = [choosing_texts(predicted, clusters, seed, 50) for seed in range(300)]
    assert {tuple(np.bincount(predicted[one]).tolist()) for one in taken} == {(40, 40)}
    often = np.mean(taken, axis=0)
    assert abs(often - 0.4).max() < 0.13  # 4.5 standard errors


@pytest.mark.parametrize(
    ("texts", "wanted"), [(400, MOST), (90, 40), (75, 25), (60, FEW), (52, FEW), (20, 10), (7, 3)]
)
def test_a_class_keeps_the_texts_that_an_audit_needs(texts: int, wanted: int) -> None:
    assert quota(texts, 50) == wanted
    assert texts - wanted >= min(50, texts - FEW, texts // 2)


def test_copies_and_groups_are_not_torn_apart() -> None:
    clusters = np.arange(240) // 3
    predicted = np.arange(240) % 2  # clusters hold both classes
    taken = choosing_texts(predicted, clusters, 0, 50)
    assert (taken.reshape(80, 3) == taken.reshape(80, 3)[:, :1]).all()
    assert 60 <= taken.sum() <= 80
    texts = examples((6, 7, 8, 9) * 10)
    grouped = [replace(text, group=f"g{i // 4}") for i, text in enumerate(texts)]
    rest = chosen(grouped).rest
    left = {text.group for text in rest}
    assert 0 < len(left) < 10
    assert all(text in rest for text in grouped if text.group in left)


def test_too_few_texts_are_refused() -> None:
    with pytest.raises(
        DataError, match="expected at least 2 texts to choose an attention source and 2 to audit it"
    ):
        chosen(TEXTS[:3])


def test_where_deleting_says_nothing_no_reading_is_chosen() -> None:
    with pytest.raises(ModelError, match="no attention source could be compared"):
        choose(Many(untrained("mlp(hidden=6)+additive")), examples((1,) * 8), (), asking())


@pytest.mark.parametrize("world", sources.WORLDS)
def test_the_source_that_shows_the_reasons_is_chosen_and_classes_keep_their_texts(
    world: str,
) -> None:
    """By Removal alone, on half of the texts, another was chosen in 31 of 36 cases, and half of the
    classes had few.
    """
    model, texts = sources.made(world, 1)
    found = choose(model, texts, (), asking(1, 32))
    assert found.description["chosen"] == sources.RIGHT, found.description
    assert min(found.description["left_of_class"].values()) >= 50
    assert found.description["alike"] == []


def test_what_told_the_sources_apart_is_kept() -> None:
    by_criterion = {
        world: choose(*sources.made(world, 0), (), asking(0, 32)).description
        for world in ("tied", "one class")
    }
    assert by_criterion["tied"]["left_by"] == {
        "removal": 7,
        "worst_class": 7,
        "transfer": 1,
        "agreement": 1,
    }
    assert by_criterion["one class"]["left_by"] == {"removal": 7, "worst_class": 1}
    rows = {one["reading"]: one for one in by_criterion["tied"]["tried"]}
    assert rows[sources.RIGHT]["transfer"] > 0.6 > 0.5 > rows["(layer=0,head=0)"]["transfer"]
    rows = {one["reading"]: one for one in by_criterion["one class"]["tried"]}
    assert rows[sources.RIGHT]["worst_class"] > 0.6
    assert rows["(layer=0,head=0)"]["worst_class"] < 0.1
    assert rows["(layer=0,head=0)"]["value"] > rows[sources.RIGHT]["value"]


def test_a_mixture_is_learned_on_validation_texts_alone() -> None:
    result = chosen(validation=examples((6,) * 12, seed=5)).description
    assert result["learned_from"] == 12
    assert sum(result["shares"].values()) == pytest.approx(1)
    assert set(result["shares"]) <= {"own", "flat"}
    assert [one["reading"] for one in result["tried"]] == [*NAMES, "mixture"]


def test_the_shares_are_those_that_fit_what_words_cost() -> None:
    """By a search over the shares of two heads, on the texts themselves."""
    texts = examples(
        (6, 9, 7, 8), seed=0
    )  # counting what words speak against would choose the other head
    found = learned_shares(MODEL, texts, 3)
    shown, lost = [], []
    for text in texts:
        trace = MODEL.trace(MODEL.collate([text]))
        cost = np.clip(deletion_importance(MODEL.model, trace, {})["signed"][0], 0, None)
        lost.append(cost / cost.sum())
        read = MODEL.read_all(trace.batch)
        shown.append(np.stack([read["own"][0].numpy(), read["flat"][0].numpy()], axis=1))
    a, d = np.concatenate(shown), np.concatenate(lost)
    grid = np.linspace(0, 2, 201)
    errors = {(x, y): float(np.square(a @ [x, y] - d).sum()) for x in grid for y in grid}
    best = np.array(min(errors, key=errors.__getitem__))
    ours = np.array([found.get("own", 0.0), found.get("flat", 0.0)])
    assert ours == pytest.approx(best / best.sum(), abs=0.02)


def test_shares_are_scaled_to_one_and_none_is_below_zero() -> None:
    heads = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    assert fitted(heads, np.array([0.3, 0.6, 0.45])) == pytest.approx([1 / 3, 2 / 3])
    assert fitted(heads, np.array([0.6, -0.3, 0.15])).tolist() == [1.0, 0.0]


def test_heads_that_fit_nothing_make_no_mixture() -> None:
    assert fitted(np.array([[1.0], [1.0]]), np.zeros(2)).tolist() == [0.0]


def test_an_audit_chooses_and_audits_the_other_half() -> None:
    texts = tuple(examples((7,) * 12))
    data = Dataset("some", (), (), texts, ("class 0", "class 1"), {})
    found = audit(MODEL, data, seed=3)
    assert found.spec["readings"]["chosen"] == "for"
    left = choose(MODEL, texts, (), asking(3, 32)).rest
    assert [one.id for one in found.texts] == [text.id for text in left]
    notes = found.cards["data"]["notes"]
    assert any(
        note.startswith("the attention source was chosen on 6 of 12 texts") for note in notes
    )
    assert found.cards["model"]["reading"] == "something"


def test_sources_without_a_score_and_those_that_were_cut_are_counted() -> None:
    search = _Search(Many(MODEL.model), (), asking(), left=("a", "b", "c"))
    search._narrow("transfer", {"a": 0.5, "b": math.nan}, lambda *_: pytest.fail("compared"))
    assert (search.left, search.uncompared) == (("a",), 2)
    search._narrow("agreement", {"a": math.nan}, lambda *_: pytest.fail("compared"))
    assert (search.left, search.uncompared) == (("a",), 2)
