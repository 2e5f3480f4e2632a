"""Which pages are too long or too far, and how clicks are counted."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import page_sizes
import pytest
from docs_tables import ROOT
from page_sizes import PageSize


def test_clicks_are_those_of_the_shortest_way() -> None:
    links = {"": [("tab", 1), ("deep", 3)], "tab": [("deep", 1), ("", 1)], "alone": [("", 1)]}
    assert page_sizes.clicks_from("", links) == {"": 0, "tab": 1, "deep": 2}


@pytest.mark.parametrize(
    ("size", "complaints"),
    [
        (PageSize("verdict", 5.0, 2), 0),
        (PageSize("verdict", 5.01, 2), 1),
        (PageSize("tables/worlds", 40.0, 2), 0),
        (PageSize("tables", 40.0, 2), 1),
        (PageSize("tables/worlds", 40.0, 3), 1),
        (PageSize("verdict", 6.0, None), 2),
    ],
)
def test_long_and_far_pages_are_named(size: PageSize, complaints: int) -> None:
    assert len([*size.complaints()]) == complaints


def test_every_pattern_of_long_pages_has_a_page() -> None:
    places = [
        path.relative_to(ROOT / "docs").as_posix().removesuffix(".md").removesuffix("/index")
        for path in (ROOT / "docs").rglob("*.md")
    ]
    places.append("changelog")  # written when the site is built
    assert [
        pattern
        for pattern in page_sizes.LONG_PAGES
        if not any(page_sizes.fnmatch(place, pattern) for place in places)
    ] == []


@pytest.mark.browser
@pytest.mark.skipif(not page_sizes.CHROMIUM.exists(), reason="no chromium")
def test_a_built_page_is_measured_with_its_links(tmp_path: Path) -> None:
    def page(place: str, height: int, body: str) -> None:
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "index.html").write_text(
            f'<body style="margin:0"><div class="md-content" style="height:{height}px">'
            f'<article>{body}</article></div><div class="md-footer"></div>'
        )

    page("", 900, '<a href="a/index.html#x">a</a>')
    page("a", 4600, '<a href="../b/index.html">b</a>')
    page("b", 450, "")
    # In a thread of its own: another test of this process may have left a browser open in ours.
    with ThreadPoolExecutor(1) as aside:
        found = aside.submit(lambda: [*page_sizes.measured(tmp_path)]).result()
    sizes = {one.place: (one.screens, one.clicks) for one in found}
    assert sizes == {"": (1.0, 0), "a": (pytest.approx(4600 / 900), 1), "b": (0.5, 2)}
