"""The published formats by their name in a data spec, such as ``sst:DIR``."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.config.specs import DataSpec
from sightline.data.assembly.corpus_format import Format
from sightline.data.corpora import (
    adr,
    ag_news,
    babi,
    cnn_news,
    eraser,
    imdb,
    mimic,
    newsgroups,
    snli,
    sst,
)
from sightline.data.readers.archives import digest

FORMATS: Mapping[str, Format] = {
    "sst": sst.FORMAT,
    "imdb": imdb.FORMAT,
    "agnews": ag_news.FORMAT,
    "20news": newsgroups.FORMAT,
    "snli": snli.FORMAT,
    "babi": babi.FORMAT,
    "eraser": eraser.FORMAT,
    "adr": adr.FORMAT,
    "mimic": mimic.FORMAT,
    "cnn": cnn_news.FORMAT,
}


def source_digest(spec: DataSpec) -> str:
    """Give the SHA-256 of the files of a published corpus."""
    form = FORMATS[spec.kind]
    return digest(spec.path, form.wanted(spec.options()), form.largest)
