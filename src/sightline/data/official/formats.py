"""The published formats by the name a data spec has for them, ``sst:DIR``."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.data.corpora.format import Format
from sightline.data.official import adr, agnews, babi, cnn, eraser, imdb, mimic, newsgroups, snli, sst
from sightline.data.sources.packed import digest
from sightline.spec.values import DataSpec

FORMATS: Mapping[str, Format] = {
    "sst": sst.FORMAT,
    "imdb": imdb.FORMAT,
    "agnews": agnews.FORMAT,
    "20news": newsgroups.FORMAT,
    "snli": snli.FORMAT,
    "babi": babi.FORMAT,
    "eraser": eraser.FORMAT,
    "adr": adr.FORMAT,
    "mimic": mimic.FORMAT,
    "cnn": cnn.FORMAT,
}


def source_digest(spec: DataSpec) -> str:
    """Give the SHA-256 by which the files of a published corpus are known."""
    form = FORMATS[spec.kind]
    return digest(spec.path, form.wanted(spec.options()), form.largest)
