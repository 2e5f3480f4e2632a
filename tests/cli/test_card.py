"""`sightline card`: printed, or written to a file that is new."""

from pathlib import Path

import pytest
import yaml

from sightline.audits.audit_result import Audit
from sightline.experiments.multi_seed import save_several
from tests.cli.conftest import Call, Finished


def test_a_card_is_printed_as_report_writes_it(
    sightline: Call, finished: Finished, here: Path
) -> None:
    for ending in (".md", ".html"):
        assert sightline("report", finished.saved, "--card", f"one{ending}").code == 0
        done = sightline("card", finished.saved, "--out", f"two{ending}")
        assert (done.code, done.out) == (0, f"card: two{ending}\n")
        assert Path(f"two{ending}").read_bytes() == Path(f"one{ending}").read_bytes()
    assert sightline("card", finished.saved).out == Path("one.md").read_text()
    assert sightline("card", finished.saved, "--json").json == {
        "card": Path("one.md").read_text(),
        "out": None,
    }


def test_a_card_for_the_hub_begins_with_its_metadata(
    sightline: Call, finished: Finished, here: Path
) -> None:
    printed = sightline("card", finished.saved, "--hub").out
    assert sightline("card", finished.saved, "--hub", "--out", "audit.md").code == 0
    assert Path("audit.md").read_text() == printed
    _, metadata, section = printed.split("---\n", 2)
    (model,) = yaml.safe_load(metadata)["model-index"]
    assert model["results"][0]["metrics"][0]["type"] == "accuracy"
    assert "\n## Can this model" in section
    assert sightline("card", finished.saved).out.strip() in section


def test_a_readme_is_never_replaced(sightline: Call, finished: Finished, here: Path) -> None:
    Path("README.md").write_text("mine")
    for flags in ((), ("--hub",)):
        done = sightline("card", finished.saved, *flags, "--out", "README.md")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error: --out README.md: exists and is not replaced")
    assert Path("README.md").read_text() == "mine"


@pytest.mark.parametrize("arguments", [("--out", "card.txt"), ("--hub", "--out", "card.html")])
def test_a_card_ends_as_what_it_is(
    arguments: tuple[str, ...], sightline: Call, finished: Finished, here: Path
) -> None:
    done = sightline("card", finished.saved, *arguments)
    assert done.code == 2
    assert "expected a name that ends in .md" in done.err
    assert [*here.iterdir()] == []


def test_seeds_are_on_the_card(sightline: Call, finished: Finished, here: Path) -> None:
    one = Audit.load(finished.saved)
    save_several({0: one, 1: one}, Path("both"))
    shown = sightline("card", "both", "--hub").out
    assert shown.count("model-index") == 1
    assert len(shown) > len(sightline("card", finished.saved, "--hub").out)
