"""Terminal, page, card and JSON of one audit say the same: each answer, effect, interval, count of
texts and δ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import unescape
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sightline._io.atomic_write import plain
from sightline.audits.audit_result import Audit
from sightline.audits.run import audit as audit_model
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import Measurement
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.experiments.pipeline import run
from sightline.models.classifier import build
from sightline.report.advice import first_of_all
from sightline.report.caption import caption
from sightline.report.card import card
from sightline.report.card_text import card_html, card_markdown
from sightline.report.first_screen import CAVEATS, MAPS, NOT_RUN, WHY, blocks, conclusions
from sightline.report.html.audit_page import in_notebook, render
from sightline.report.number_format import number
from sightline.report.number_format import score as written
from sightline.report.text.audit_summary import lines
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.map_selection import maps_of
from sightline.verdict.thresholds import default_thresholds
from tests.verdict.cases import PREDICTED, THRESHOLDS, N, agreement, outcomes, transplant

ANSWERS = "passed|failed|inconclusive|not run"
NUMBER = re.compile(r"−?(?:\d+(?:,\d{3})*(?:\.\d+)?|∞)|undefined")


@dataclass(frozen=True)
class Said:
    """What a surface says of a finding: numbers are value, low and high, as they are written."""

    answer: str
    numbers: tuple[str, ...]
    n: str


def demo(folder: Path) -> Audit:
    """The demo's audit on shorter texts, saved and read again."""
    data = parse_data("planted:needle(n=900,length=10,strength=0.9,ending=true)")
    spec = RunSpec(data, parse_model("mlp+additive"), FitSpec(), companions=("uniform", "frozen"))
    run(spec)[1].save(folder / "audit")
    return Audit.load(folder / "audit")


def untrained(limit: int = 60, *, one_class: bool = False) -> Audit:
    dataset = load(parse_data("planted:needle(n=300,length=9)"), 0)
    model = build(
        parse_model("mlp(hidden=6)+additive"), Vocabulary.fit(dataset.train), dataset.label_names, 0
    )
    if one_class:
        with torch.no_grad():
            model.decoder.affine.bias[0] += 100.0
    return audit_model(model, dataset, limit=limit)


def judged(**others: Measurement) -> Audit:
    """An audit of made-up measurements."""
    half = np.where(np.arange(N) < N // 2, PREDICTED, 1 - PREDICTED)
    taken = outcomes(agreement({}), PREDICTED, half) | others
    evidence = Evidence(taken, ("neg", "pos"), THRESHOLDS, 0)
    found = judge(evidence)
    return Audit(
        found.verdict, found.findings, {}, {}, taken, {"seed": 0}, {}, {},
        learned=found.learned, maps=maps_of(evidence),
    )  # fmt: skip


def below() -> Audit:
    """Attention on words with less than chance by every reference."""
    worse = agreement(dict.fromkeys(("gradient", "deletion", "free"), -0.08))
    flips = {
        "found.attention": np.full(N, -1.0),
        "found.shuffled": np.full((N, 2), -0.8),
        "found.best": np.zeros(N),
    }
    return judged(
        agreement=worse, flips=Measurement("flips", flips), transplant=transplant(0.1, 0.3)
    )


def nothing_moved() -> Audit:
    moved = transplant(names={"gradient": 0.5})
    gone = {
        name: np.full(one.shape, nan) if "." in name else one for name, one in moved.values.items()
    }
    return judged(transplant=replace(moved, values=gone))


PLANTED = {
    "guessing": untrained,
    "20 texts": lambda: untrained(20),
    "one class": lambda: untrained(one_class=True),
    "can be shown": judged,
    "below chance": below,
    "nothing moved": nothing_moved,
}
ROWS = {
    "guessing": None,
    "20 texts": 1,
    "one class": 1,
    "can be shown": 4,
    "below chance": 2,
    "nothing moved": None,
}


@pytest.fixture(scope="module", params=["demo", *PLANTED])
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Audit]:
    if request.param == "demo":
        return "demo", demo(tmp_path_factory.mktemp("demo"))
    return request.param, PLANTED[request.param]()


@pytest.fixture(scope="module")
def audit_under_test(case: tuple[str, Audit]) -> Audit:
    return case[1]


def clean(text: str) -> str:
    return text.replace("\xa0", " ")


def numbers(text: str) -> tuple[str, ...]:
    return tuple(NUMBER.findall(text))


def by_json(audit: Audit) -> dict[str, Said]:
    return {
        one["code"]: Said(one["result"], *_of_json(one["score"]))
        for one in plain(audit.to_json())["findings"]
    }


def _of_json(score: Mapping[str, Any] | None) -> tuple[tuple[str, ...], str]:
    if score is None:
        return (), ""
    if score["value"] is None:
        return ("undefined",), f"{score['n']:,}"
    ends = [score[end] for end in ("value", "low", "high")]
    return tuple(written(one) for one in ends if one is not None), f"{score['n']:,}"


ROW = re.compile(rf"  ({ANSWERS}) +.*? \((SL-\d+)\)  +(\S.*?)(?:  +([\d.]+))?(?:  +([\d,]+))?")
"""A test in the terminal: result, name and code, score, threshold and texts."""


def by_terminal(audit: Audit) -> dict[str, Said]:
    found = [match for line in verbose(audit) if (match := ROW.fullmatch(clean(line)))]
    return {
        code: Said(answer, _ends(score), n or "")
        for answer, code, score, _, n in (m.groups() for m in found)
    }


def verbose(audit: Audit) -> list[str]:
    return lines(audit, verbose=True)


def _ends(score: str) -> tuple[str, ...]:
    return ("undefined",) if "undefined" in score else numbers(score)


def by_card(audit: Audit) -> dict[str, Said]:
    row = re.compile(rf"\| .* \((SL-\d+)\) \| ({ANSWERS}) \| (.*) \|")
    found: dict[str, Said] = {}
    for line in clean(card_markdown(card(audit))).splitlines():
        if match := row.fullmatch(line):
            code, answer, score = match.groups()
            *known, n = numbers(score.replace("95 % CI", "")) or ("",)
            unknown = "undefined" in score or "not measured" in score
            ends = ("undefined",) if unknown else tuple(known)
            found[code] = Said(answer, ends, "0" if "not measured" in score else n)
    return found


def text_of(html: str) -> str:
    return clean(" ".join(unescape(re.sub(r"<[^>]+>", "", html)).split()))


def by_page(html: str) -> dict[str, Said]:
    """Read the table of the findings that bear on the verdict."""
    rows = re.findall(
        r'<tr><th scope="row"><a href="#sl-[^"]+">.*?</a> \((SL-\d+)\)(.*?)</tr>',
        html,
        flags=re.DOTALL,
    )
    found = {}
    for code, rest in rows:
        answer, score, span, _, n, _ = (
            text_of(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", rest, flags=re.DOTALL)
        )
        ends = _ends(f"{score} {span}")
        found[code] = Said(re.search(ANSWERS, answer)[0], ends, n.replace("—", ""))
    return found


def articles(html: str) -> dict[str, str]:
    found = re.findall(
        r'<article class="finding" id="(sl-\d+)".*?</article>', html, flags=re.DOTALL
    )
    bodies = re.split(r'<article class="finding" id="sl-\d+"', html)[1:]
    return {
        code.upper(): text_of(body.partition("</article>")[0])
        for code, body in zip(found, bodies, strict=True)
    }


def test_each_finding_is_the_same_everywhere(audit_under_test: Audit) -> None:
    expected = by_json(audit_under_test)
    assert len(expected) == len(audit_under_test.findings)
    assert by_terminal(audit_under_test) == expected
    bearing = {one.code: expected[one.code] for one in audit_under_test.findings if one.bears}
    assert by_page(render(audit_under_test)) == bearing
    assert by_card(audit_under_test) == bearing


def test_delta_is_the_same_everywhere(audit_under_test: Audit) -> None:
    deltas = {
        one["code"]: f"{one['threshold']:g}"
        for one in plain(audit_under_test.to_json())["findings"]
    }
    said = {
        match[2]: match[4]
        for line in verbose(audit_under_test)
        if (match := ROW.fullmatch(clean(line)))
    }
    assert said == deltas
    page = articles(render(audit_under_test))
    for finding in audit_under_test.findings:
        if finding.score is not None and finding.score.value == finding.score.value:
            below = finding.score.high < 0
            assert below or f"threshold, {deltas[finding.code]}" in page[finding.code]
    methods = dict(re.findall(r"(SL-\d+) ([\d.]+)", card(audit_under_test).methods))
    assert {code: deltas[code] for code in methods} == methods


def test_the_article_of_a_finding_has_its_answer_and_its_score_with_more_digits(
    audit_under_test: Audit,
) -> None:
    page = articles(render(audit_under_test))
    assert page.keys() == {finding.code for finding in audit_under_test.findings}
    for finding in audit_under_test.findings:
        assert re.search(f"[●✕◐–] ({ANSWERS})", page[finding.code])[1] == finding.result
        found = finding.score
        if found is not None and found.low == found.low:
            value, low, high = (number(one) for one in (found.value, found.low, found.high))
            assert f"{value} [{low}, {high}], n = {found.n:,}" in page[finding.code]


def test_the_verdict_is_the_same_everywhere(audit_under_test: Audit) -> None:
    headline = plain(audit_under_test.to_json())["headline"]
    opened = headline[0].upper() + headline[1:]
    said = [one.text for one in conclusions(audit_under_test)]
    printed = " ".join(" ".join(lines(audit_under_test)).split())
    page, block = (
        unescape(one) for one in (render(audit_under_test), in_notebook(audit_under_test))
    )
    assert printed.startswith(f"VERDICT {' '.join(said)}")
    assert card(audit_under_test).facts["Verdict"] == opened
    assert f"<title>{headline} " in page
    for sentence in said:
        assert sentence in page
        assert sentence in block


def test_no_surface_counts_no_texts_or_says_what_another_part_denies(
    audit_under_test: Audit,
) -> None:
    html = render(audit_under_test)
    for surface in (
        "\n".join(lines(audit_under_test)),
        html,
        in_notebook(audit_under_test),
        card_markdown(card(audit_under_test)),
        card_html(card(audit_under_test)),
    ):
        assert "undefined (0 texts)" not in clean(surface)
        assert not (
            "Show the attention map." in surface and "Do not show the attention map" in surface
        )
    lists = card(audit_under_test).lists
    if audit_under_test.verdict.level == "can be shown":
        assert "Caveats" not in lists
        assert lists.get("Not run") or not audit_under_test.verdict.reasons
    page = articles(html)
    for finding in audit_under_test.findings:
        if finding.score is not None and finding.score.high < 0:
            for words in (finding.reason, page[finding.code]):
                assert "lies below the threshold" not in words
                few = finding.score.n < default_thresholds().fewest(
                    finding.code
                )  # too few say nothing, however low they lie
                said = (
                    (
                        "more texts would settle it"
                        if words == finding.reason
                        else "is on fewer than"
                    )
                    if few
                    else "worse than chance"
                )
                assert said in words or finding.code == "SL-001"


def test_where_nothing_can_be_concluded_one_line_says_so(case: tuple[str, Audit]) -> None:
    name, message = case
    assert ROWS.get(name) in (None, message.verdict.row)
    only = first_of_all(message)
    assert bool(only) == (name in ("guessing", "20 texts", "one class"))
    named = {block.name: block.sentences for block in blocks(message)}
    may_be_shown = card(message).lists.get("Which map may be shown", ())
    if only:
        assert named[WHY] == (only,)
        assert not {MAPS, CAVEATS, NOT_RUN} & named.keys()
        assert may_be_shown == ()
        assert only in caption(message)
    else:
        assert MAPS in named
        assert may_be_shown


def test_what_was_not_measured_of_maps_is_called_so() -> None:
    result = nothing_moved()
    assert [row.chosen for row in result.maps] == [False] * len(result.maps)
    assert result.maps
    said = card(result).lists["Which map may be shown"]
    assert "How much each word matters: not measured on these texts." in said
    assert not any("The best was" in one for one in said)


def test_a_map_from_an_older_audit_that_was_chosen_without_a_number_is_not_the_best() -> None:
    result = nothing_moved()
    first, *others = result.maps
    older = replace(result, maps=(replace(first, chosen=True), *others))
    assert card(older).lists == card(result).lists
