"""What the cache gives back is what was read; damage is noticed; two writers do not harm each
other.
"""

import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.config.specs import OFFICIAL, DataSpec
from sightline.data import corpus_cache
from sightline.data.assembly.assemble import assemble
from sightline.data.assembly.corpus import Corpus
from sightline.data.assembly.split_rules import CLEAN
from sightline.data.corpus_cache import cache_folder, content_digest, read_corpus
from sightline.data.load_dataset import load
from sightline.experiments.load_models import load_to_audit
from tests.data.corpora import CORPORA, folder_of


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SIGHTLINE_CACHE", str(folder))
    return folder


def spec_of(kind: str, tmp_path: Path) -> DataSpec:
    return parse_data(f"{kind}:{folder_of(tmp_path / kind, CORPORA[kind])}")


def read(spec: DataSpec) -> Corpus:
    return read_corpus(spec, content_digest(spec))


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise AssertionError("the files were parsed again")

    forms = {kind: replace(form, read=fail) for kind, form in corpus_cache.FORMATS.items()}
    monkeypatch.setattr("sightline.data.corpus_cache.FORMATS", forms)


KEPT = [kind for kind in OFFICIAL if kind not in ("adr", "mimic", "cnn")]


@pytest.mark.parametrize("kind", KEPT)
def test_the_second_reading_parses_nothing_and_gives_the_same(kind, tmp_path, kept, monkeypatch):
    spec = spec_of(kind, tmp_path)
    first = read(spec)
    assert len(list(kept.rglob("*.npz"))) == 1
    forbid_reading(monkeypatch)
    again = read(spec)
    assert again == first
    assert [text.tokens for text in again.texts] == [text.tokens for text in first.texts]
    assert type(again.texts[0].line) is int


@pytest.mark.parametrize("kind", ["imdb", "eraser", "snli"])
def test_words_beyond_the_longest_length_are_counted_and_not_read(kind, tmp_path, kept):
    spec = replace(spec_of(kind, tmp_path), max_tokens=3)
    whole, cut = read(spec), read_corpus(spec, content_digest(spec), 3)
    assert max(len(text.tokens) for text in whole.texts) > 3
    assert max(len(text.tokens) for text in cut.texts) == 3
    assert [text.lengths for text in cut.texts] == [text.lengths for text in whole.texts]
    wanted = assemble(kind, whole, spec, CLEAN, 0)
    found = assemble(kind, cut, spec, CLEAN, 0)
    assert found.test == wanted.test
    assert found.card == wanted.card


def test_an_audit_of_a_published_corpus_holds_no_text_that_it_does_not_look_at(tmp_path, kept):
    spec = spec_of("imdb", tmp_path)
    audited = load_to_audit(spec, 0)
    whole = load(spec, 0)
    assert (audited.train, audited.validation) == ((), ())
    assert audited.test == whole.test
    assert audited.card == whole.card
    learning = load_to_audit(spec, 0, measures=("input_information",))
    assert learning.train == whole.train


@pytest.mark.parametrize("kind", ["adr", "mimic", "cnn"])
def test_what_may_not_be_passed_on_or_is_as_soon_read_again_leaves_no_copy(kind, tmp_path, kept):
    assert read(spec_of(kind, tmp_path)).texts
    assert not list(kept.rglob("*"))


def test_another_recipe_option_or_byte_is_another_entry(tmp_path, kept):
    spec = spec_of("babi", tmp_path)
    for other in (spec, replace(spec, recipe="paper"), parse_data(f"{spec}(task=2)")):
        read(other)
    assert len(list(kept.rglob("*.npz"))) == 3
    file = next(Path(spec.path).rglob("*train.txt"))
    file.write_text(file.read_text().replace("garden", "cellar"))
    assert "cellar" in {word for text in read(spec).texts for word in text.tokens}


def test_a_corpus_that_has_moved_is_named_where_it_is_now(tmp_path, kept, monkeypatch):
    spec = spec_of("20news", tmp_path)
    read(spec)
    there = tmp_path / "there" / "20news"
    there.parent.mkdir()
    Path(spec.path).rename(there)
    forbid_reading(monkeypatch)
    assert all(Path(text.file).is_file() for text in read(replace(spec, path=str(there))).texts)


def test_any_damage_is_noticed_and_mended(tmp_path, kept):
    spec = spec_of("eraser", tmp_path)
    first = read(spec)
    (file,) = kept.rglob("*.npz")
    whole = file.read_bytes()
    for place in range(0, len(whole), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        assert read(spec) == first, place
    for share in (0, 0.5, 0.99):
        file.write_bytes(whole[: int(share * len(whole))])
        assert read(spec) == first
        assert corpus_cache.read_kept(file, spec.path) == first


def test_nothing_is_kept_where_that_is_asked_or_cannot_be(tmp_path, monkeypatch):
    spec = spec_of("sst", tmp_path)
    monkeypatch.setenv("SIGHTLINE_CACHE", "")
    assert cache_folder() is None
    first = read(spec)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SIGHTLINE_CACHE", str(tmp_path / "file"))
    assert read(spec) == first


def test_the_folder_is_that_of_the_standard(monkeypatch):
    monkeypatch.delenv("SIGHTLINE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/cache")
    assert cache_folder() == Path("/some/cache/sightline")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/ann")
    assert cache_folder() == Path("/home/ann/.cache/sightline")


def _read_in_child(spec: DataSpec, folder: str, barrier: object) -> int:
    os.environ["SIGHTLINE_CACHE"] = folder
    barrier.wait()
    return len(load(spec, 0).train)


def test_two_processes_may_start_at_once(tmp_path, kept):
    spec = spec_of("imdb", tmp_path)
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(2) as pool:
        barrier = manager.Barrier(2)
        counts = pool.starmap(_read_in_child, [(spec, str(kept), barrier)] * 2)
    assert counts[0] == counts[1] == len(load(spec, 0).train)
    assert [file.suffix for file in (kept / "corpora").iterdir()] == [".npz"]
