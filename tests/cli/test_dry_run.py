"""The numbers of an estimate before anything runs: their sums and their units."""

import json
from types import SimpleNamespace

import pytest

from sightline.api.study_forecast import StudyForecast
from sightline.cli.dry_run import show_forecast
from sightline.cli.study_loop import _lacking, _show_plan
from sightline.experiments.forecast_result import Forecast

FORECAST = Forecast(
    seconds_training=1000.0,
    seconds_audit=120.0,
    peak_bytes=3 * 2**30,
    basis="so",
    seconds_epoch=100.0,
    epochs=(2, 10),
    seconds_reading=30.0,
    seconds_start=7.0,
    seconds_judging=3.0,
    seconds_page=40.0,
)


@pytest.mark.parametrize(
    ("audits", "least", "most", "words"),
    [
        (True, 400.0, 1200.0, "in all: 7 min to 20 min"),
        (False, 237.0, 1037.0, "in all, without the audit: 4 min to 17 min"),
    ],
)
def test_a_command_takes_the_sum_of_its_parts(
    audits: bool, least: float, most: float, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_forecast(FORECAST, True, audits=audits)
    told = json.loads(capsys.readouterr().out)
    assert (told["seconds_least"], told["seconds"]) == (least, most)
    show_forecast(FORECAST, False, audits=audits)
    lines = capsys.readouterr().out.splitlines()
    assert words in lines
    assert {
        "start: about 7 s",
        "reading: about 30 s",
        "measuring: about 2 min",
        "judging and page: about 43 s",
        "memory: about 3,072 MiB",
    } <= {*lines}


def test_a_plan_has_its_hours_and_mebibytes(capsys: pytest.CaptureFixture[str]) -> None:
    grid = SimpleNamespace(keys=("ab", "cd"), labels=(("sst", "0"), ("sst", "1")))
    plan = StudyForecast(2, 1, 0, 1, 4, 2.0, 0.5, 3 * 2**20, "so", {"ab": None})  # type: ignore[dict-item]
    _show_plan(SimpleNamespace(grid=grid), plan, False)  # type: ignore[arg-type]
    assert capsys.readouterr().out.splitlines() == [
        "done    sst, 0",
        "to run  sst, 1",
        "2 runs, 1 done, 0 failed, 1 to run",
        "time on 4 workers: 30 min to 2.0 h, start and all (so)",
        "disk: about 3 MiB",
    ]


def test_what_a_study_lacks_is_counted_by_reason() -> None:
    failed, elsewhere = _lacking(9, 2, 3)
    assert failed.startswith("2 of 9 runs failed")
    assert elsewhere.startswith("3 of 9 runs are being made")
    assert [line.startswith("1 of 9 runs is") for line in _lacking(9, 0, 1)] == [True]
    assert _lacking(9, 0, 0) == []
