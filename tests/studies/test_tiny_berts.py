"""Tiny BERTs whose truth is planted: which worlds they are, what names a run, where guides point,
and one whole run.
"""

from argparse import Namespace
from collections import Counter
from dataclasses import replace

import pytest
import tiny_berts
from tiny_berts import BERT_WORLDS, NOT_HERE, Berts, Planned, Planted, planned

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.core.example import Example
from sightline.models.attacks import Encoded
from sightline.studies.calibration.scenarios import WORLDS, Scenario


def test_every_world_of_the_calibration_is_there_or_left_out_with_a_reason() -> None:
    names = {world.name for world in WORLDS}
    here = {world.name for world in BERT_WORLDS}
    assert names - here == set(NOT_HERE)
    assert here - names == {"the head on the evidence", "the head on fillers"}
    assert {world.honest for world in BERT_WORLDS} == {True, False, None}
    assert any(world.fraud for world in BERT_WORLDS)
    like = {world.like for world in BERT_WORLDS} - {""}
    assert like <= here


def test_runs_are_listed_seed_by_seed_and_none_twice() -> None:
    runs = planned()
    assert len({run.key for run in runs}) == len(runs)
    assert Counter(run.label[:2] for run in runs) == {
        run.label[:2]: tiny_berts.SEEDS for run in runs
    }
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)


def test_runs_that_differ_in_the_audit_alone_share_a_training() -> None:
    runs = {run.label[:2]: run for run in planned(1)}
    needle, shown = runs["needle", tiny_berts.ONE], runs["random weights shown", tiny_berts.ONE]
    assert needle.training_key == shown.training_key
    assert needle.key != shown.key
    heads = (
        runs["the head on the evidence", tiny_berts.ONE],
        runs["the head on fillers", tiny_berts.ONE],
    )
    assert heads[0].training_key == heads[1].training_key != needle.training_key
    away = runs["away from the evidence", tiny_berts.TWO]
    assert (away.fit.epochs, away.fit.guide_weight) == (40, 0.3)
    assert (needle.fit.epochs, needle.fit.guide_weight) == (20, 1.0)


@pytest.mark.parametrize(
    ("guide", "words"), [("onto", [2]), ("away", [0, 1, 3]), ("first", [0]), ("last", [3])]
)
def test_a_guide_points_at_the_tokens_of_its_words(guide: str, words: list[int]) -> None:
    """[CLS] is token 0, so that word i is token i + 1."""
    text = Example("0", 0, "a b c d", ("a", "b", "c", "d"), None, 0)
    marked = replace(text, rationale=(False, False, True, False))
    wanted = tiny_berts._wanted([marked], guide, 6)  # type: ignore[arg-type]
    assert wanted[0].nonzero().flatten().tolist() == [word + 1 for word in words]
    unmarked = replace(text, rationale=(False,) * 4)
    assert tiny_berts._wanted([unmarked], guide, 6).any() == (guide in ("first", "last"))  # type: ignore[arg-type]


SMALL = Planted(
    Scenario("small", "as the needle", (4, 5, 6), (), data="needle(length=4,n=80)"), {None: "onto"}
)


DONE = Planned(SMALL, tiny_berts.ONE, 0)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Berts:
    """A store in which one run is done, whichever test of this file comes first."""
    store = Berts(tmp_path_factory.mktemp("berts"))
    assert not store.has(DONE)
    store.make(DONE)
    return store


def test_a_run_is_trained_once_audited_and_kept(
    store: Berts, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = DONE
    assert store.has(one)
    assert not store.has(replace(one, seed=1))
    summary = store.summary(one)
    assert summary.row == store.audit(one).verdict.row > 0
    assert (summary.seed, summary.state, summary.estimate("accuracy")) == (
        0, "done", store.audit(one).metrics["accuracy"],
    )  # fmt: skip
    monkeypatch.setattr(tiny_berts, "_fitted", None)  # what is kept is not trained again
    data = sightline.load(parse_data(f"planted:{SMALL.world.data}"), 0)
    store.trained(one, data)


def test_a_model_that_cannot_decode_answers_as_ever_whatever_is_shown_of_it(store: Berts) -> None:
    """What comes of a rollout cannot be put back as weights, and a map that misleads is shown of it
    all the same.
    """
    data = sightline.load(parse_data(f"planted:{SMALL.world.data}"), 0)
    model = sightline.transformer(*store.trained(DONE, data), reading="rollout")
    assert "decode" not in model.offers
    batch = model.collate(data.test[:4])
    shown, own = Encoded(model, data, 0).trace(batch), model.trace(batch)
    assert (shown.logits == own.logits).all()
    assert (shown.attention != own.attention).any()


def test_what_is_done_is_counted_and_what_is_planned_is_said(
    store: Berts, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(SMALL.world, models=tiny_berts.FLAT)
    monkeypatch.setattr(tiny_berts, "BERT_WORLDS", (small,))
    monkeypatch.setattr(
        tiny_berts,
        "planned",
        lambda seeds: [Planned(SMALL, tiny_berts.ONE, seed) for seed in (0, 1)],
    )
    flags = Namespace(store=store.root, seeds=None, dry_run=False, so_far=True)
    result = tiny_berts.tiny_berts(flags)
    assert result is not None
    assert (result["cells"], result["planned"]) == (1, 2)
    assert [(one["world"], one["n_cells"]) for one in result["groups"]] == [("small", 1)]
    assert result["gates"]
    nothing = Namespace(store=store.root / "elsewhere", seeds=None, dry_run=False, so_far=True)
    assert tiny_berts.tiny_berts(nothing) is None
