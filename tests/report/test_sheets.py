"""Four printings of one table: none loses a number or a reason, and none obeys the words in it."""

import csv
import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from sightline.api.store_runs import runs_as_csv
from sightline.core.results import Table, TableCell
from sightline.experiments.store import Summary
from sightline.report.sanitize import one_line, visible
from sightline.report.tables.csv_table import to_csv
from sightline.report.tables.latex_table import to_latex
from sightline.report.tables.markdown_table import to_markdown
from sightline.report.tables.terminal_table import to_text
from tests.snapshots import same_text

SEEN = TableCell(0.5, 0.25, 0.9996, 1200, (0, 1), ("ab12", "cd34"))
WORD = TableCell("failed", seeds=(0,), runs=("ab12",))
LOST = TableCell(None, note="seed 3 failed: loss is not a number")
TABLE = Table(
    title="Need by model",
    columns=("need", "verdict"),
    rows=(
        (SEEN, WORD),
        (TableCell(-1234.5, n=7), LOST),
        (LOST, TableCell(math.nan, math.nan, math.nan, 0)),
    ),
    row_names=(("sst", "bilstm"), ("sst", "cnn"), ("imdb", "bilstm")),
    row_axes=("data", "encoder"),
    notes=("2 of 8 runs are missing",),
)
HOSTILE = [
    r"\input{/etc/passwd} {x} $y$ & # ^ _ ~ %",
    "a|b`c`<script>alert(1)</script>\n| new | row |\r\n",
    "\\|",
    "\\",
    "ends with a backslash\\",
    "**bold** _it_ [link](javascript:x) ![i](u) <b> &amp; https://example.org",
    "=1+1",
    '+cmd|" /C calc"!A0',
    "-2",
    "@SUM(A1)",
    "\t=1",
    "＝1",
    "[4cm] after a row",
    "* after a row",
    'quote " comma , semicolon ;',
    "\x1b[2J\u202e\x00",
    "漢字 in two columns",
    "}{",
    "",
    " ",
]
PRINTERS = [to_text, to_markdown, to_csv, to_latex]
texts = (
    st.sampled_from(HOSTILE)
    | st.text(st.characters(), max_size=12)
    | st.text("\\|`<>{}$&#^_~%[]*=-\n\r ", max_size=8)
)


def everywhere(text: str) -> Table:
    """Put one text wherever a table has a place for text."""
    cells = (TableCell(text, note=text, runs=(text,)), TableCell(None, note=text))
    return Table(text, (text, text), (cells, cells), ((text,), (text,)), (text,), (text,))


# ---------------------------------------------------------------- shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": TABLE.rows[:2]}, "2 rows, but 3 row names"),
        ({"columns": ("need",)}, "row 0: expected 1 cells, a column each, got 2"),
        ({"row_axes": ("data",)}, "row 0: expected 1 names, an axis each, got 2"),
        ({"rows": (*TABLE.rows[:2], (SEEN,))}, "row 2: expected 2 cells, a column each, got 1"),
        (
            {"row_names": (*TABLE.row_names[:1], ("a", "b", "c"), ("d", "e"))},
            "row 1: expected 2 names",
        ),
    ],
)
def test_a_table_has_one_shape(change: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TABLE, **change)


@pytest.mark.parametrize("ends", [(0.1, None), (None, 0.1)])
def test_an_interval_has_two_ends(ends: tuple[float | None, float | None]) -> None:
    with pytest.raises(ValueError, match="two ends or none"):
        TableCell(0.1, *ends)


# ---------------------------------------------------------------- all printings


@pytest.mark.parametrize("printed", PRINTERS)
def test_a_missing_cell_keeps_its_reason(printed: Callable[[Table], str]) -> None:
    message = printed(TABLE).replace("{}", "")
    assert "seed 3 failed: loss is not a number" in message.replace("\\:", ":")
    assert "undefined" in message
    assert "no reason given" in printed(
        replace(TABLE, rows=((TableCell(None), WORD), *TABLE.rows[1:]))
    )


@pytest.mark.parametrize("printed", PRINTERS)
def test_the_same_table_is_the_same_text(printed: Callable[[Table], str]) -> None:
    assert printed(TABLE) == printed(replace(TABLE))


@pytest.mark.parametrize("printed", PRINTERS)
def test_a_table_without_rows_can_be_printed(printed: Callable[[Table], str]) -> None:
    assert "encoder" in printed(replace(TABLE, rows=(), row_names=()))


@given(texts)
def test_every_printing_can_be_written_to_a_file(text: str) -> None:
    for printed in PRINTERS:
        printed(everywhere(text)).encode("utf-8")


@pytest.mark.parametrize("printed", [to_text, to_markdown, to_latex])
def test_what_the_table_lacks_is_said(printed: Callable[[Table], str]) -> None:
    assert "Note: 2 of 8 runs are missing" in printed(TABLE)


# ---------------------------------------------------------------- terminal


def test_text_by_hand() -> None:
    same_text("report", to_text(TABLE).splitlines())


@given(texts)
def test_columns_align_whatever_is_in_them(text: str) -> None:
    names = ((text, "x"), ("y", text), ("z", "z"))
    rows = (
        to_text(replace(TABLE, columns=(text, "last"), row_names=names))
        .split("\n\n")[1]
        .splitlines()
    )
    last = ("last", "-" * len("failed"), "failed", "— (1)", "— (2)")
    assert all(row.endswith(word) for row, word in zip(rows, last, strict=True))
    assert len({cell_len(row[: -len(word)]) for row, word in zip(rows, last, strict=True)}) == 1


@given(texts)
def test_a_terminal_is_given_nothing_to_obey(text: str) -> None:
    result = to_text(everywhere(text))
    assert not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", result
    )


def test_a_narrow_terminal_gets_the_columns_below_each_other() -> None:
    result = to_text(TABLE, width=50)
    assert all(cell_len(line) <= 50 for line in result.splitlines())
    assert result.count("encoder") == 2
    assert result.count("bilstm") == 4
    assert (
        " ".join(to_text(TABLE, width=10).split()).count("0.500 [0.250, 1.000], n = 1,200") == 1
    )  # never cut
    assert to_text(TABLE, width=200) == to_text(TABLE)


# ---------------------------------------------------------------- Markdown


def unescaped_pipes(line: str) -> int:
    return len(re.findall(r"\|", re.sub(r"\\.", "", line)))


@given(texts)
def test_markdown_rows_have_the_same_number_of_cells_whatever_is_in_them(text: str) -> None:
    table = everywhere(text)
    lines = [line for line in to_markdown(table).splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert {unescaped_pipes(line) for line in lines} == {4}


@given(texts)
def test_markdown_is_read_back_as_the_words_that_went_in(text: str) -> None:
    read = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .parse(to_markdown(everywhere(text)))
    )
    inline = [token.children or [] for token in read if token.type == "inline"]
    marked = {child.type for children in inline for child in children} - {
        "text",
        "text_special",
        "strong_open",
        "strong_close",
    }
    assert not marked  # no link, image, code, emphasis or HTML
    cells = ["".join(child.content for child in children) for children in inline]
    shown = one_line(text)
    table = cells[1:-2] if shown else cells[:-1]
    assert shown in cells[-1]
    assert table[:3] == [shown] * 3
    assert len([token for token in read if token.type == "td_open"]) == 6


def test_markdown_numbers_carry_their_interval() -> None:
    assert (
        "| sst | bilstm | 0.500 [0.250, 1.000], n = 1,200 | failed |"
        in to_markdown(TABLE).splitlines()
    )


# ---------------------------------------------------------------- LaTeX


@pytest.mark.parametrize(
    ("sign", "escaped"),
    [
        ("\\", r"\textbackslash{}"),
        ("{", r"\{"),
        ("}", r"\}"),
        ("$", r"\$"),
        ("&", r"\&"),
        ("#", r"\#"),
        ("^", r"\textasciicircum{}"),
        ("_", r"\_"),
        ("~", r"\textasciitilde{}"),
        ("%", r"\%"),
        ("[", "{[}"),
        ("*", "{*}"),
        ("---", "-{}-{}-"),
        ("<", r"\textless{}"),
    ],
)
def test_latex_escapes(sign: str, escaped: str) -> None:
    result = to_latex(everywhere(f"a{sign}b"))
    assert (
        result.count(f"a{escaped}b") == 10
    )  # title, axis, two columns, two names, two words, two notes
    assert f"\\caption{{a{escaped}b}}" in result
    assert f"\na{escaped}b & a{escaped}b" in result
    assert f"}} a{escaped}b\n" in result


COMMANDS = (
    r"\A% "
    r"\\usepackage\b|\\(?:begin|end|caption|label|centering|toprule|midrule|bottomrule|par|medskip|footnotesize|linewidth|allowbreak|geq|leq|delta|lambda|tau|infty)\b|\\text\w+|\\[\\,]"
)


@given(texts)
def test_latex_stays_a_table_whatever_is_in_it(text: str) -> None:
    result = to_latex(everywhere(text))
    bare = re.sub(r"\\[{}$&#_%]", "", result)  # what is escaped is text
    left = re.sub(COMMANDS, "", bare)
    assert not re.search(r"[\\#%^_~]", left)
    assert bare.count("$") % 2 == 0
    depth = 0
    for brace in re.findall("[{}]", bare):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    rows = [line for line in bare.splitlines() if line.endswith("\\\\")]
    assert [row.count("&") for row in rows] in (
        [2] * 3,
        [1] * 6,
    )  # where it is too wide, a column below the other
    assert not any(re.match(r"\s*[\[*]", row) for row in rows)  # an option of the line end before


def test_latex_by_hand() -> None:
    same_text("report", to_latex(TABLE).splitlines())


def test_a_label_is_of_letters_that_ref_takes_and_left_out_where_there_are_none() -> None:
    assert "\\label{tab:who-needs-it-2}" in to_latex(replace(TABLE, title="Who_needs {it}? \\2"))
    assert "\\label" not in to_latex(replace(TABLE, title="漢字"))


def long_table(rows: int, *columns: Sequence[str]) -> Table:
    cells = tuple(
        tuple(TableCell(column[i % len(column)]) for column in columns) for i in range(rows)
    )
    names = tuple((f"row {i}",) for i in range(rows))
    titles = tuple(f"column {i}" for i in range(len(columns)))
    return Table("Long", titles, cells, names, ("name",), ("a note",))


@pytest.mark.parametrize(("rows", "floats"), [(34, 1), (35, 2), (69, 2), (70, 3), (0, 1)])
def test_a_table_longer_than_a_page_is_several_floats_of_one_number(rows: int, floats: int) -> None:
    result = to_latex(long_table(rows, ("x",)))
    assert result.count("\\begin{table}") == result.count("\\end{table}") == floats
    assert result.count("\\addtocounter{table}{-1}\n\\caption{Long (continued)}") == floats - 1
    assert result.count("\\label{tab:long}") == result.count("a note") == 1
    assert re.findall(r"row (\d+) & x", result) == [str(i) for i in range(rows)]
    assert result.count("name & column 0 ") == result.count("\\begin{tabular}")
    assert max(map(len, (part.splitlines() for part in result.split("\\end{table}")))) <= 50


def test_notes_that_do_not_fit_below_a_table_get_a_float() -> None:
    table = replace(long_table(30, ("x",)), notes=("word " * 80,) * 3)
    *_, last = to_latex(table).split("\\begin{table}")
    assert "tabular" not in last
    assert last.count("Note: word") == 2


def test_columns_that_continue_below_leave_out_rows_without_an_entry() -> None:
    wide = "x" * 60
    first, second = to_latex(long_table(6, (wide, ""), (wide, "", ""))).split("\\begin{tabular}")[
        1:
    ]
    assert re.findall(r"row (\d)", first) == list("012345")
    assert re.findall(r"row (\d)", second) == ["0", "3"]
    missing = long_table(6, (wide,), (wide, ""))
    rows = tuple((one, two if two.value else LOST) for one, two in missing.rows)
    kept = to_latex(replace(missing, rows=rows)).split("\\begin{tabular}")[2]
    assert re.findall(r"row (\d)", kept) == list("012345")  # a reason is an entry


# ---------------------------------------------------------------- CSV


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_csv_has_a_line_for_each_cell() -> None:
    first, second, *_ = rows = read(to_csv(TABLE))
    assert len(rows) == 6
    assert first == {
        "data": "sst",
        "encoder": "bilstm",
        "column": "need",
        "value": "0.5",
        "low": "0.25",
        "high": "0.9996",
        "n": "1200",
        "seeds": "0 1",
        "runs": "ab12 cd34",
        "note": "",
        "method": "",
    }
    assert (second["column"], second["value"], second["low"], second["n"]) == (
        "verdict",
        "failed",
        "",
        "",
    )
    assert (rows[3]["value"], rows[3]["note"]) == ("", LOST.note)
    assert (rows[5]["value"], rows[5]["note"]) == ("", "undefined")


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_csv_numbers_are_read_back_as_they_were(value: float, end: float) -> None:
    (row,) = read(to_csv(Table("", ("c",), ((TableCell(value, end, end),),), ((),), ())))
    assert (float(row["value"]), float(row["low"])) == (value, end)


def test_csv_numbers_of_numpy_are_numbers() -> None:
    (row,) = read(to_csv(Table("", ("c",), ((TableCell(np.float64(-0.1)),),), ((),), ())))
    assert row["value"] == "-0.1"  # a number, so no quotation mark either


@given(st.lists(texts, min_size=3, max_size=3))
def test_csv_texts_are_read_back_as_they_are_shown(words: list[str]) -> None:
    name, value, note = words
    table = Table("", ("c",), ((TableCell(value, note=note),),), ((name,),), ("axis",))
    (row,) = read(to_csv(table))
    for text, field in ((name, row["axis"]), (value, row["value"]), (note, row["note"])):
        assert field.removeprefix("'") == visible(text)
        number = re.fullmatch(r"[+-][0-9]+(\.[0-9]+)?", field)
        assert number or field.lstrip()[:1] not in set("=+-@＝＋－＠")
        assert field == visible(text) or visible(text).lstrip()[0] in "'=+-@＝＋－＠"


@pytest.mark.parametrize(
    "formula", ["=1+1", "+a", "-1-1", "@SUM(A1)", " =1", "\t=1", "\n@A1", "＝1"]
)
def test_a_spreadsheet_is_given_nothing_to_run(formula: str) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(everywhere(formula)), newline="")))
    assert {field for row in rows for field in row if formula.strip() in field} == {f"'{formula}"}


def test_csv_gives_every_text_back_also_where_it_begins_with_a_quotation_mark() -> None:
    words = ("=1+1", "'=1+1", "''=1+1", "'s", "-1", "'-1", "+1.5", "film")
    one = Summary("ab12", "", "m", 0, "done", 1.0)
    runs = [replace(one, data=word, setting=word) for word in words]
    written = {
        "table": to_csv(Table("", words, ((TableCell(None),) * len(words),), ((),), ())),
        "runs": runs_as_csv(runs),
    }
    for name, column in (("table", "column"), ("runs", "data"), ("runs", "setting")):
        fields = [row[column] for row in read(written[name])]
        assert [field.removeprefix("'") for field in fields] == [*words]


@given(texts)
def test_csv_lines_all_have_the_same_fields(text: str) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(everywhere(text)), newline=""), strict=True))
    assert [len(row) for row in rows] == [10] * 5
    assert to_csv(everywhere(text)).endswith("\r\n")


# ---------------------------------------------------------------- partial tables


@pytest.mark.parametrize("form", [to_text, to_markdown, to_latex])
@pytest.mark.parametrize("title", ["Need by model", ""])
def test_a_partial_table_says_so_in_its_title(form, title):
    lacks = replace(TABLE, title=title, partial="2 missing, of 8 cells")
    said = form(lacks).replace("\\", "")
    assert (
        f"{title} (partial: 2 missing, of 8 cells)" if title else "partial: 2 missing, of 8 cells"
    ) in said
    assert "partial" not in form(TABLE)
