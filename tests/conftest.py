"""What every test stands on: one torch thread, examples drawn alike each time, real data where
there are any, no unlisted skip.
"""

import gc
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from tests.shapes import check_shapes

ROOT = Path(__file__).resolve().parents[1]
SKIPS = Path(__file__).with_name("SKIPS.md")

check_shapes()
torch.set_num_threads(1)  # equal threads, equal bits

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep parsed corpora out of the user's own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGHTLINE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Find a published corpus by name, `real_data("sst")`; the test is skipped where it is not
    there.
    """
    folder = Path(os.environ.get("SIGHTLINE_DATA", ROOT.parent / "shared" / "data"))

    def find(name: str) -> Path:
        path = folder / name
        if not path.exists():
            pytest.skip(f"no real data at {path}: set SIGHTLINE_DATA to a folder that holds {name}")
        return path

    return find


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over all that stays to the end: modules, and thousands of
    tests.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not torch.accelerator.is_available():
        pytest.skip("no accelerator: torch finds only the processor")


def listed_reasons() -> tuple[str, ...]:
    """Beginnings of the reasons that SKIPS.md allows: the second cell of each row, between
    backticks.
    """
    return tuple(
        re.findall(
            r"^\|[^|]*\| `([^`]+)` \|", SKIPS.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when a skip is not listed. Under xdist only the controller has a reporter that
    has seen them all.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    reasons = {
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in reporter.stats.get("skipped", ())
    }
    unlisted = sorted(reason for reason in reasons if not str(reason).startswith(listed_reasons()))
    for reason in unlisted:
        reporter.write_line(
            f"\nskipped for a reason that tests/SKIPS.md does not list: {reason}", red=True
        )
    if unlisted:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
