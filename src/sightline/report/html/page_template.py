"""The frame of a page: its templates, its stylesheet, its script, and a policy that allows nothing
else.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from sightline.report import sentences
from sightline.report.html.table_rows import interval_level, usual_method
from sightline.report.sanitize import visible

_SCRIPTS = (
    "blocks.js",
    "address.js",
    "listing.js",
    "words.js",
    "folds.js",
    "opened.js",
    "reveal.js",
    "select.js",
    "explorer.js",
)


def template(name: str) -> Template:
    """Load a template; all text that it writes is escaped and made visible."""
    return _environment().get_template(name)


def frame() -> dict[str, Any]:
    """Give the stylesheet, the script and the policy of a page."""
    style, script = _source("page.css"), _script()
    # Our own files; the policy has their hashes.
    return {"style": Markup(style), "script": Markup(script), "policy": _policy(style, script)}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("sightline.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["opened"] = sentences.opened
    environment.filters["usual_method"] = usual_method
    environment.filters["interval_level"] = interval_level
    environment.tests["numbered"] = _numbered
    return environment


def _shown(value: Any) -> Any:
    """Make every string of a template visible; markup is finished already."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _numbered(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


@cache
def _script() -> str:
    """Join our scripts into one without global names."""
    return "\n".join(['(() => {\n"use strict";', *map(_source, _SCRIPTS), "})();\n"])


def _policy(style: str, script: str) -> str:
    """Allow the stylesheet and the script by their hashes, an empty icon, and nothing else.

    In browsers that support them, trusted types refuse whatever would turn a string into markup.
    """
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for "
        "'script'"
    )


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode("utf-8")).digest()).decode(
        "ascii"
    )
