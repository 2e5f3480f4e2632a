"""An audit at the end of a notebook's cell: verdict and findings, harmless and without influence on
what is around.
"""

from dataclasses import replace

from sightline.audits.audit_result import Audit
from tests.report.audits import audit, by_class, compared, hostile
from tests.report.pages import Page


def block(case: Audit) -> Page:
    return Page(case._repr_html_())


def test_the_block_tells_the_verdict_and_every_finding_with_its_interval_and_n() -> None:
    result = audit()
    text = block(result).text().replace("\xa0", " ")
    assert "Attention can be shown as an explanation of this model, with caveats." in text
    for finding in result.findings:
        assert finding.code in text
        assert finding.name in text
    assert "0.430.38–0.48872" in text.replace("\n", "")
    assert "24 texts audited" in text
    assert 'audit.to_html("report.html")' in text


def test_the_block_names_classes_and_maps_as_the_page_does() -> None:
    text = block(compared(by_class())).text().replace("\xa0", " ")
    for words in (
        "explanation of this model for texts predicted 'positive', with caveats.",
        "Attention must not be shown as an explanation of this model for texts predicted 'negative'.",
        (
            "For texts predicted 'negative': the highlighted words do not take the prediction with "
            "them when copied into a text of another class."
        ),
        "Accuracy 82 % (95 % CI 77–86 %, n = 872; majority class 51 %).",
        (
            "How much each word matters: attention for texts predicted 'positive', or weight × logit. "
            "Scores of the words of weight × logit: carried into another text 0.55"
        ),
    ):
        assert words in " ".join(text.split())


def test_findings_that_are_context_come_last_and_say_so() -> None:
    result = audit()
    turned = replace(result, findings=result.findings[::-1])
    text = block(turned).text()
    assert text.index("SL-402") < text.index("SL-201")
    assert text.count("(informational)") == 2


def test_the_block_runs_nothing_and_styles_nothing_but_itself() -> None:
    for message in (audit(), hostile()):
        page = block(message)
        assert page.torn == []
        for tag, attributes in page.tags:
            assert tag not in {"script", "style", "link", "img", "iframe"}
            assert set(attributes) <= {"style", "scope", "aria-hidden"}
            assert "url(" not in attributes.get("style", "")
            assert "position" not in attributes.get("style", "")


def test_the_texts_are_not_in_it() -> None:
    assert audit().texts[0].text not in block(audit()).text()


def test_it_is_small() -> None:
    assert len(audit()._repr_html_()) < 20_000
