"""What stands on the site and not in `docs`: the changelog, notebooks, the list for language models."""

import re
from pathlib import Path

import make_site
import nbformat
import pytest
from docs_tables import ROOT


@pytest.fixture(autouse=True)
def _aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_site, "PAGES", tmp_path)
    monkeypatch.setattr(make_site, "BUILD", tmp_path / "build")


def test_links_of_the_changelog_lead_to_pages_that_exist() -> None:
    links = re.findall(r"\]\(([\w/-]+\.md)[#)]", make_site.changelog())
    assert links
    assert [link for link in links if not (ROOT / "docs" / link).is_file()] == []


def test_the_list_for_language_models_names_the_pages_of_the_menu() -> None:
    nav = 'nav:\n  - Home: index.md\n  - Tests:\n      - "A: b": findings/SL-1.md\n'
    nav += "      - Decisions:\n          - One: decisions/0001-one.md\n"
    lines = make_site.llms(nav).splitlines()
    assert [line for line in lines if line.startswith("- ")] == [
        "- [Home](./)",
        "- [A: b](findings/SL-1/)",
    ]


def test_the_configuration_of_the_build_names_its_own_folders() -> None:
    assert f"docs_dir: {make_site.PAGES.name}" in make_site.config()


def test_a_notebook_is_written_with_what_its_cells_display(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_markdown_cell("# Title"),
        nbformat.v4.new_code_cell("print('a'); 'b'"),
        nbformat.v4.new_code_cell("from IPython.display import HTML; HTML('<p>c</p>')"),
    ]
    path = tmp_path / "one.ipynb"
    nbformat.write(notebook, path)
    page = make_site.tutorial(path, quick=False)
    assert page.startswith("# Title\n")
    assert "```text\na\n```" in page
    assert "```text\n'b'\n```" in page
    frames = re.findall(r'<iframe src="([\w.-]+)"', page)
    assert ["<p>c</p>" in (tmp_path / "tutorials" / one).read_text() for one in frames] == [True]
    assert "```text" not in make_site.tutorial(path, quick=True)


def test_a_report_of_the_gallery_is_copied_and_called_by_its_title(tmp_path: Path) -> None:
    (report := tmp_path / "r.html").write_text("<title>Two &lt;words&gt;</title>")
    page = make_site.gallery({"a/r.html": report})
    assert "[Two &lt;words&gt;](reports/a-r.html)" in page
    assert (tmp_path / "reports" / "a-r.html").is_file()


def test_a_frame_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b.html").write_text("")
    (tmp_path / "a" / "index.html").write_text('<iframe src="../b.html"><iframe src="c.html">')
    assert [*make_site.missing_frames(tmp_path)] == ["a/index.html: no file c.html for a frame"]


def test_a_formula_is_set_as_mathml() -> None:
    page = make_site.with_formulas("before\n\n```math\n\\frac{a}{b}\n```\n\n```text\nx\n```\n")
    assert re.search(r"<math [^>]*>.*<mfrac>.*<mi>a</mi>.*<mi>b</mi>.*</mfrac>.*</math>", page)
    assert "```text\nx\n```" in page
    assert "\\frac" not in page


def test_every_formula_of_the_pages_is_understood() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    formulas = [found for text in texts for found in make_site._FORMULA.findall(text)]
    assert len(formulas) > 10
    pages = [make_site.with_formulas(f"```math\n{formula}```\n") for formula in formulas]
    assert [page for page in pages if "\\" in re.sub("<[^>]+>", "", page)] == []
