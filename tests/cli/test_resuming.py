"""A command that trains is stopped, says what is kept and where, and goes on to the bytes of one
that was not.
"""

import json
from pathlib import Path

import pytest

from sightline.api import resume
from sightline.api.cost_forecast import QuickEstimate
from sightline.api.run_options import TO_THE_END
from sightline.cli import progress
from sightline.cli.dry_run import LESS_KEPT, about_audit
from sightline.experiments import checkpoints
from sightline.experiments.checkpoints import EACH_STEP
from sightline.models.model_storage import load_classifier
from tests.cli.conftest import TINY, Call


def stop(monkeypatch: pytest.MonkeyPatch, method: str, when: tuple[str, int]) -> None:
    """Let Ctrl-C come as an epoch, or a text, is told."""
    usual = getattr(progress.Lines, method)

    def record(self: progress.Lines, *args: object) -> None:
        usual(self, *args)
        if (args[0], getattr(args[1], "number", args[1])) == when:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.Lines, method, record)


LOUD = tuple(word for word in TINY if word != "--quiet")


def test_a_stopped_training_is_kept_and_goes_on(
    sightline: Call, here: Path, table: Path, monkeypatch
) -> None:
    command = ("train", "--data", table, *LOUD, "--out", "m")
    assert sightline(*command[:-1], "whole").code == 0
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "PACE", EACH_STEP)
        stop(patch, "epoch", ("control model (uniform attention)", 1))
        stopped = sightline(*command)
    assert stopped.code == 130
    assert (
        "what is trained is kept in m.partial, and the same command resumes from there"
        in stopped.err
    )
    assert sorted(path.name for path in here.iterdir()) == ["m.partial", "whole"]
    again = sightline(*command)
    assert again.code == 0
    assert "resuming from what is kept in m.partial" in again.err
    assert "training model" not in again.err
    assert sorted(path.name for path in here.iterdir()) == ["m", "whole"]
    for file in ("model.safetensors", "model.json", "companions/uniform/model.safetensors"):
        assert Path("m", file).read_bytes() == Path("whole", file).read_bytes()
    assert load_classifier("m")[1]["fit"]["epochs"][0]["number"] == 1


def test_a_stopped_audit_keeps_its_model(
    sightline: Call, here: Path, table: Path, monkeypatch
) -> None:
    command = ("audit", "--data", table, *LOUD, "--save")
    assert sightline(*command, "whole").code == 0
    with monkeypatch.context() as patch:
        stop(patch, "texts", (18, 18))
        assert sightline(*command, "a").code == 130
    assert Path("report.html.partial").is_dir()
    again = sightline(*command, "a")
    assert again.code == 0
    assert "epoch" not in again.err.replace("--epochs", "").replace("cap on epochs", "")
    assert not Path("report.html.partial").exists()
    for file in ("arrays.npz", "texts.jsonl"):
        assert Path("a", file).read_bytes() == Path("whole", file).read_bytes()
    one, other = (
        json.loads(Path(folder, "audit.json").read_text())["findings"] for folder in ("a", "whole")
    )
    assert one == other


def test_what_other_settings_trained_is_not_used_and_stays(
    sightline: Call, here: Path, table: Path, monkeypatch
) -> None:
    command = ("train", "--data", table, *LOUD, "--out", "m")
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "PACE", EACH_STEP)
        stop(patch, "epoch", ("model", 1))
        assert sightline(*command).code == 130
    other = sightline(*command, "--seed", "1", "--controls", "none")
    assert other.code == 0
    assert (
        "what is kept in m.partial was trained with other settings or data: it is not used, "
        "and stays"
    ) in other.err
    assert "resuming from" not in other.err
    again = sightline(*command)
    assert "note: --out m holds a saved model, which is replaced" in again.err
    assert "resuming from what is kept in m.partial" in again.err
    assert not Path("m.partial").exists()


def test_what_fails_before_anything_is_trained_leaves_nothing(
    sightline: Call, here: Path, table: Path
) -> None:
    assert sightline("train", "--data", table, "--text", "no", *TINY, "--out", "m").code == 2
    assert sightline("train", "--data", "absent.csv", *TINY, "--out", "m").code == 2
    assert not any(here.iterdir())


def test_a_folder_that_is_something_else_is_left_alone(
    sightline: Call, here: Path, table: Path
) -> None:
    Path("m.partial").mkdir()
    Path("m.partial/mine").write_text("mine")
    refused = sightline("train", "--data", table, *TINY, "--out", "m")
    assert refused.code == 2
    assert "m.partial: exists and is not a store" in refused.err
    assert [path.name for path in Path("m.partial").iterdir()] == ["mine"]
    assert not Path("m").exists()


def test_a_stopped_look_is_kept_and_resumes(
    sightline: Call, here: Path, table: Path, monkeypatch
) -> None:
    def stop_at_a_look(self: progress.Lines, state: object) -> None:
        raise KeyboardInterrupt

    command = ("audit", "--data", table, *LOUD, "--max-texts", "18", "--save", "a")
    with monkeypatch.context() as patch:
        patch.setattr(progress.Lines, "look", stop_at_a_look)
        stopped = sightline(*command)
    assert stopped.code == 130
    assert "are kept in report.html.partial-looks" in stopped.err
    (kept,) = Path("report.html.partial-looks").rglob("looks.npz")
    measured = kept.read_bytes()
    other = sightline("audit", "--data", table, *LOUD, "--max-texts", "12")
    assert other.code == 0
    (aside,) = Path("report.html.partial-looks").rglob("*looks.npz")
    assert aside.read_bytes() == measured
    assert "stay in report.html.partial-looks" in other.err
    again = sightline(*command)
    assert again.code == 0
    assert "are kept in report.html.partial-looks" in again.err
    assert not Path("report.html.partial-looks").exists()
    about = json.loads(Path("a", "audit.json").read_text())["spec"]["sequential"]
    assert (about["planned"], about["texts"]) == (18, 18)


def test_an_estimate_says_whether_kept_looks_take_less() -> None:
    once = QuickEstimate(200, 900.0, (114, 600.0))
    new, resumed = (
        about_audit("m", once, 0, TO_THE_END, resumes=resumes) for resumes in (False, True)
    )
    assert LESS_KEPT not in new
    assert LESS_KEPT in resumed


@pytest.mark.parametrize(
    "flags", [("--budget", "soon"), ("--budget", "0s"), ("--full", "--budget", "5m")]
)
def test_a_budget_that_says_nothing_is_refused(
    sightline: Call, here: Path, table: Path, no_training, flags
) -> None:
    assert sightline("audit", "--data", table, *TINY, *flags).code == 2


def test_a_file_where_looks_would_be_kept_is_refused_before_the_training(
    sightline: Call, here: Path, table: Path
) -> None:
    (here / "report.html.partial-looks").write_text("mine")
    done = sightline("audit", "--data", table, *LOUD, "--out", "report.html")
    assert (done.code, done.out) == (2, "")
    assert "report.html.partial-looks" in done.err
    assert [path.name for path in here.iterdir()] == ["report.html.partial-looks"]


def test_looks_stay_where_the_budget_ended_the_audit(
    sightline: Call, here: Path, table: Path, monkeypatch
) -> None:
    command = ("audit", "--data", table, *LOUD, "--max-texts", "18")
    with monkeypatch.context() as patch:
        # These few texts are settled within any budget.
        patch.setattr(resume, "ended_by_budget", lambda audit: True)
        short = sightline(*command)
    assert short.code == 0
    assert "its looks stay in report.html.partial-looks" in short.err
    assert [*Path("report.html.partial-looks").rglob("looks.npz")]
    assert not Path("report.html.partial").exists()
    longer = sightline(*command)
    assert "are kept in report.html.partial-looks" in longer.err
    assert not Path("report.html.partial-looks").exists()
