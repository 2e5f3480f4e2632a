"""Recognise files that sightline wrote by what is in them: a repeated command replaces its own
output, and no file of the user.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from pathlib import Path

_START, _END = 2**20, 2**12
"""Bytes at the start and at the end of a file in which it shows whose it is."""

CARD = rb"(\*\*|<article>\n<h2>)(Attention audit: |Audit of |Attention by label )"
SUITES = rb'<testsuites( />|>\s*<testsuite name="sightline)'
PAGE = (
    rb'\s*<!DOCTYPE html>\s<html lang="en">\s<head>\s<meta charset="utf-8">\s'
    rb'<meta http-equiv="Content-Security-Policy" .*?<title>[^<]* \xe2\x80\x93 sightline( audit| demo)?</title>'
)
PREDICTIONS = (
    rb'line,(id,)?predicted(,("probability of ([^"]|"")*"|probability of [^",\r\n]*))+\r?\n'
    rb'|{"line": \d+, ("id": "[^\n]*", )?"predicted": [^\n]*, "probabilities": {[^\n]*}(, "cut": \d+)?}\n'
)
RUNS = rb"key,state,data,model,seed,number,value,low,high,n,seconds,setting\r?\n"
VECTORS = rb"[^ \n]+( -?\d+\.\d{6})+\n"
TABLES: Mapping[str, bytes] = {
    ".csv": rb'(("([^"]|"")*"|[^",\r\n]*),)*column,value,low,high,n,seeds,runs,note,method(,sd)?\r?\n',
    ".md": rb"\*\*[^\n]+\*\*\n\n\| [^\n]* \|\n\|( :--- \|)*( ---: \|)+\n",
    ".tex": rb"% \\usepackage{booktabs}\n\\begin{table}\n\\centering\n(\\addtocounter|\\caption)",
}
"""Tables of results, by their endings."""
_WIDE = rb'<svg [^>]*width="468pt"[^>]*>\s*<title>[^<]*</title>\s*<metadata>\s*<rdf:RDF[^>]*>\s*<cc:Work>'
FIGURES: Mapping[str, bytes] = {
    ".png": rb"\x89PNG\r\n\x1a\n.{29}(tEXt|iTXt)Title\0",
    ".svg": (
        rb"<\?xml [^>]*>\s*<!DOCTYPE svg [^>]*>\s*" + _WIDE + rb"\s*<dc:type[^>]*/>\s*"
        rb"<dc:title>[^<]*</dc:title>\s*<dc:format>[^<]*</dc:format>\s*</cc:Work>"
    ),
    ".pdf": rb"%PDF-.*?/MediaBox\s\[\s0\s0\s468\s.*\n<<\s/Title\s\(.*\)\s>>\nendobj\nxref\n",
}
"""Figures, by their endings: of the width that is drawn here, with a title and without the name of
the program and the date that matplotlib adds otherwise."""


def is_ours(path: Path, pattern: bytes) -> bool:
    """Tell whether a file has a pattern of this module, packed or not; an empty one is as good as
    none.
    """
    with path.open("rb") as file:
        found = file.read(_START)
        if file.read(1):
            file.seek(-_END, 2)
            found += file.read()
    if found.startswith(b"\x1f\x8b"):
        try:
            found = zlib.decompressobj(31).decompress(found, _START)
        except zlib.error:
            return False
    return not found or re.match(pattern, found, re.DOTALL) is not None
