"""One door for every kind of data: a spec and a seed in, a `Dataset` out."""

from __future__ import annotations

from sightline.data.corpora.assemble import assemble
from sightline.data.corpora.cache import read_corpus
from sightline.data.corpora.table import load_table
from sightline.data.dataset import Dataset
from sightline.data.official.formats import FORMATS, source_digest
from sightline.data.planted.generated import generate, read_options
from sightline.data.sources.rows import table_digest
from sightline.data.vocabulary import Vocabulary
from sightline.errors import DataError, SpecError
from sightline.spec.values import OFFICIAL, DataSpec


def load(spec: DataSpec, seed: int) -> Dataset:
    """Read a table or a published corpus, or generate a planted one; the same spec, files and seed, the same splits."""
    if spec.kind in OFFICIAL:
        return _load_official(spec, seed)
    if spec.recipe == "paper":
        raise SpecError(f"--recipe paper: {spec} is not a published corpus, so no paper has a recipe for it; use clean")
    if spec.kind != "planted":
        _check_unchanged(spec, table_digest(spec.path) if spec.digest else "")
        return load_table(spec, seed)
    assert spec.part is not None, "a planted corpus has a part"
    if (longest := read_options(spec.part).longest) > spec.max_tokens:
        raise SpecError(f"{spec}: texts have up to {longest} words, above max_tokens={spec.max_tokens}; lower length")
    return generate(spec.part, seed)


def fit_vocabulary(dataset: Dataset, spec: DataSpec) -> Vocabulary:
    """Know the words of training, as often as the spec asks for, or a paper's recipe where that says more."""
    return Vocabulary.fit(dataset.train, dataset.card.get("min_count", spec.min_count))


def _load_official(spec: DataSpec, seed: int) -> Dataset:
    paper = FORMATS[spec.kind].paper if spec.recipe == "paper" else None
    if spec.recipe == "paper" and paper is None:
        raise SpecError(f"--recipe paper: no paper here has a recipe for {spec.kind}; use clean")
    if spec.max_tokens < 1:
        raise SpecError(f"max_tokens: expected at least 1, got {spec.max_tokens}")
    digest = source_digest(spec)
    _check_unchanged(spec, digest)
    return assemble(read_corpus(spec, digest), spec, paper, seed)


def _check_unchanged(spec: DataSpec, digest: str) -> None:
    if spec.digest and spec.digest != digest:
        raise DataError("has changed since the run was named by its bytes; read the study again", spec.path)
