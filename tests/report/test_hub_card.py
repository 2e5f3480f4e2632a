"""The section of a model card: what the Hub reads of it, and that names in it are only text."""

from dataclasses import replace

import pytest
import yaml
from huggingface_hub.repocard_data import model_index_to_eval_results

from sightline.audits.audit_result import Audit
from sightline.core.results import Estimate
from sightline.report.card import card
from sightline.report.card_text import card_markdown
from sightline.report.text.hub_card import hub_card
from tests.report.audits import audit, compared, estimate, hostile


def parts(found: Audit) -> tuple[dict, str]:
    _, metadata, section = hub_card(found).split("---\n", 2)
    return yaml.safe_load(metadata), section.lstrip("\n")


def test_the_hub_reads_the_scores_and_no_verdict() -> None:
    found = compared()
    metadata, section = parts(found)
    assert [*metadata] == ["model-index"]
    name, results = model_index_to_eval_results(metadata["model-index"])
    assert name == "bilstm+additive+softmax"
    assert {(one.task_type, one.dataset_name, one.dataset_split) for one in results} == {
        ("text-classification", "reviews", "test")
    }
    accuracy, *scores = results
    assert (accuracy.metric_type, accuracy.metric_value) == (
        "accuracy",
        round(found.learned.accuracy.value, 4),
    )
    assert "n = 872" in accuracy.metric_name.replace("\xa0", " ")
    tested = [one for one in found.findings if one.bears and one.score is not None]
    assert len(tested) > 2
    assert len(tested) < len(found.findings)
    assert [one.metric_type for one in scores] == [f"sightline-{t.code.lower()}" for t in tested]
    for one, test in zip(scores, tested, strict=True):
        assert one.metric_value == pytest.approx(test.score.value, abs=5e-5)
        written = one.metric_name.replace("\xa0", " ")
        assert written.startswith(test.title)
        for word in ("95 % CI", f"n = {test.score.n}", "threshold 0.1"):
            assert word in written
    assert "shown" not in yaml.safe_dump(metadata)
    title, rest = section.split("\n", 1)
    assert title.startswith("## Can this model’s attention be shown")
    assert rest.strip() == card_markdown(card(found)).strip()


def test_a_number_that_is_none_is_left_out() -> None:
    undefined = replace(estimate(0.1), value=float("nan"))
    findings = tuple(replace(one, score=undefined) for one in audit().findings)
    found = replace(audit(), learned=None, findings=findings)
    assert hub_card(found).startswith("## ")
    some = replace(found, findings=(*findings[:-1], *compared().findings[3:4]))
    metadata, _ = parts(some)
    assert len(model_index_to_eval_results(metadata["model-index"])[1]) == 1
    zero = replace(compared().findings[3], score=Estimate(-1e-9, -0.1, 0.1, 9, ""))
    metadata, _ = parts(replace(found, findings=(zero,)))
    assert str(model_index_to_eval_results(metadata["model-index"])[1][0].metric_value) == "0.0"


@pytest.mark.parametrize(
    "name",
    [
        "a: b\n- c",
        "--- # &x *y",
        '"quoted" \\n',
        "nul \x00 \u2028 \x85 \ud800",
        "emoji 👩‍🚀",
        "yes",
    ],
)
def test_names_that_look_like_markup_are_text(name: str) -> None:
    base = hostile()
    cards = {**base.cards, "model": {"name": name}, "data": {"name": name}}
    found = replace(base, cards=cards, findings=compared().findings)
    metadata, section = parts(found)
    (model,) = metadata["model-index"]
    (result,) = model["results"]
    assert model["name"] == result["dataset"]["name"]
    assert isinstance(model["name"], str)
    assert not set(model["name"]) & set("\n\x00\u2028\x85\ud800")
    assert "<script" not in section
