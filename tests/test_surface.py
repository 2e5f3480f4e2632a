"""The public names, the error tree, and seeds that depend on nothing else."""

import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

import sightline
from sightline.core import errors
from sightline.core.seeds import Seeds, seed_for


def test_public_names() -> None:
    assert sightline.__all__ == [
        "Audit",
        "LabelAudits",
        "SightlineError",
        "answers",
        "audit",
        "audit_labels",
        "compare",
        "data_from",
        "label_view",
        "load",
        "log_audit",
        "look",
        "predict",
        "prompted",
        "study",
        "table",
        "tap",
        "train",
        "transformer",
        "wrap",
    ]
    assert dir(sightline) == sorted([*sightline.__all__, "__version__"])
    assert all(getattr(sightline, name).__name__ == name for name in sightline.__all__)
    assert sightline.__version__ == version("sightline-audit")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sightline.nothing


def test_importing_the_package_does_not_import_torch() -> None:
    code = (
        "import sys, sightline, sightline.core.results, sightline.config; print('torch' in "
        "sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )


def test_every_error_of_ours_is_drawn_in_the_tree() -> None:
    ours = [
        e
        for e in vars(errors).values()
        if isinstance(e, type) and issubclass(e, errors.SightlineError)
    ]
    assert len(ours) == 8
    assert all(e.__name__ in errors.__doc__ for e in ours)
    assert str(errors.DataError("bad", "f.csv", 3)) == "f.csv:3: bad"
    assert str(errors.DataError("bad", "f.csv")) == "f.csv: bad"


def test_seeds_depend_on_their_arguments_alone() -> None:
    assert seed_for(0, "a", 1) == seed_for(0, "a", 1)
    assert (
        len(
            {
                seed_for(s, stage, i)
                for s in range(3)
                for stage in ("a", "b", "a1")
                for i in (1, 11, "1 1")
            }
        )
        == 27
    )
    assert 0 <= seed_for(5, "x") < 2**63
    draws = [Seeds(0).generator("a", i).random() for i in range(300)]
    assert np.mean(draws) == pytest.approx(0.5, abs=0.06)
