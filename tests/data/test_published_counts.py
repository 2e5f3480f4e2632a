"""The committed counts of the published corpora are what their files give, and every one that can be exact is."""

import json
import sys
from pathlib import Path

import pytest

from sightline.spec.values import OFFICIAL

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import published  # noqa: E402  (it needs the path above)

STORED = json.loads((ROOT / "docs" / "verified" / "data.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", published.CHEAP)
def test_the_committed_counts_are_those_of_the_files(name, real_data, monkeypatch):
    spec = published.spec_of(name)
    folder = real_data(spec.path.partition("/")[0]).parent
    monkeypatch.setattr(published, "FOLDER", folder)
    for recipe in published.RECIPES[name]:
        assert published.count(name, recipe) == STORED["corpora"][name][recipe]


def test_the_tables_of_the_papers_are_met_where_they_can_be():
    assert list(published.gates(STORED["corpora"])) == STORED["gates"]
    assert all(gate["holds"] for gate in STORED["gates"])
    assert len(STORED["gates"]) >= 49


def test_a_count_that_is_off_closes_its_gate():
    counted = json.loads(json.dumps(STORED["corpora"]))
    counted["sst"]["paper"]["splits"]["test"]["labels"]["negative"] -= 1
    counted["imdb"]["clean"]["found"]["train, negative"] = "12499 of 12500"
    off = [gate["name"] for gate in published.gates(counted) if not gate["holds"]]
    assert off == ["sst, paper: test, negative", "imdb, clean: records found, train, negative"]


def test_every_published_corpus_is_counted():
    assert {spec.partition(":")[0] for spec in published.PLACES.values()} == set(OFFICIAL)
    assert set(STORED["corpora"]) == set(published.PLACES) == set(published.REASONS) == set(published.PAPERS)
