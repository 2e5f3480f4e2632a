"""A query in a process of its own: it can be stopped at any moment, and takes no more memory than
it may.
"""

import json
import os
import re
import signal
import threading
from pathlib import Path

import pytest

from sightline.cli.signals import Terminated, heed_stops, stopped
from sightline.core.errors import SpecError
from sightline.experiments.sql.memory_limit import usual_memory
from sightline.experiments.sql.query_process import ask_apart
from sightline.experiments.store import Store
from tests.living import wait_for, workers_of

ROOMY = 2**30
DEAF = "SELECT levenshtein(repeat('x', 1000000), repeat('y', 1000000))"
"""One call of one function, of many minutes, within which DuckDB does not look for an interrupt."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Store(tmp_path / "store").root


def printed(root: Path, query: str, form: str = "json", memory: int = ROOMY) -> str:
    pieces: list[str] = []
    ask_apart(root, query, form, memory, pieces.append)
    return "".join(pieces)


def test_what_is_handed_back_is_the_answer_and_its_rows_are_counted(root: Path) -> None:
    long = "SELECT range AS n, repeat('é', 100) AS t FROM range(30000)"  # of more than one piece
    parts: list[bytes] = []
    assert ask_apart(root, long, ".csv", ROOMY, parts.append) == 30000
    assert len(parts) > 1
    assert b"".join(parts).decode() == "n,t\r\n" + "".join(
        f"{n},{'é' * 100}\r\n" for n in range(30000)
    )
    assert json.loads(printed(root, "SELECT 1 AS one")) == [{"one": 1}]
    assert printed(root, "SELECT 0.123456::DOUBLE AS one", "lines") == "one\n0.123\n1 row"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT repeat('x', 4000000000)",
        "SELECT range(400000000)",
        "SELECT * FROM range(1000000000) ORDER BY hash(range)",
        "SELECT string_agg(repeat('y', 1000), ',') FROM range(100000000)",
    ],
)
def test_a_query_that_needs_more_memory_than_it_may_is_refused_in_a_line(
    root: Path, query: str
) -> None:
    with pytest.raises(SpecError, match=r"^memory: .* 64 MiB") as caught:
        printed(root, query, memory=2**26)
    assert (caught.value.field, "\n" in str(caught.value)) == ("memory", False)


def test_the_answer_itself_is_held_to_the_memory(root: Path) -> None:
    """DuckDB has room for it: what would be too large is the text that is made of it."""
    with pytest.raises(SpecError, match=r"^memory: "):
        printed(root, "SELECT repeat('x', 100) AS a, range FROM range(3000000)", memory=2**29)


def test_a_query_has_some_memory_where_nobody_says_how_much() -> None:
    assert 2**28 <= usual_memory() < 2**50


@pytest.mark.parametrize(
    ("sent", "stop"),
    [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_a_query_that_is_deaf_is_stopped_as_any_other_work(
    root: Path, sent: int, stop: type[BaseException]
) -> None:
    def send() -> None:
        wait_for(lambda: any(map(seconds_of, workers_of(os.getpid()))))
        os.kill(os.getpid(), sent)

    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    heed_stops()
    threading.Thread(target=send).start()
    try:
        printed(root, DEAF)
    except (KeyboardInterrupt, Terminated) as error:
        stopped()  # while it is being handled: once it is not, it would be raised again
        raised = type(error)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert raised is stop
    assert workers_of(os.getpid()) == []


def seconds_of(process: int) -> bool:
    """Tell whether a process has computed for two seconds, more than its start takes."""
    try:
        used = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return False
    return sum(map(int, used)) > 2 * os.sysconf("SC_CLK_TCK")


def test_a_process_that_is_killed_is_told_and_nothing_hangs(root: Path) -> None:
    def kill() -> None:
        wait_for(lambda: bool(workers_of(os.getpid())))
        for process in workers_of(os.getpid()):
            os.kill(process, signal.SIGKILL)

    threading.Thread(target=kill).start()
    with pytest.raises(SpecError, match="its process ended with SIGKILL"):
        printed(root, DEAF)


@pytest.mark.parametrize(
    "query",
    ["COPY (SELECT 1) TO 'out'", "SELECT * FROM 'secret.csv'", "SELECT 1; SELECT 2", "SELEC"],
)
def test_what_is_refused_is_refused_there_as_well(
    root: Path, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent)
    (root.parent / "secret.csv").write_text("told\nhidden-cargo\n")
    with pytest.raises(SpecError, match=r"^sql: ") as caught:
        printed(root, query)
    assert not re.search("hidden-cargo", str(caught.value))
    assert not (root.parent / "out").exists()
