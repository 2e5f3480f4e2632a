"""Settings of a training as they are typed."""

import pytest

from sightline.api.model_source import choose
from sightline.api.run_options import TrainingOptions
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SpecError
from sightline.experiments.fit_settings import read_settings

DATA = parse_data("planted:needle")


def test_every_kind_of_setting_is_read() -> None:
    typed = [
        "fit.amsgrad=true",
        "draw=2",
        "adversary-weight = 1e-2",
        "keep=auc",
        "from_base=decoder,encoder",
        "guide=away",
        "guide_words=good, bad",
    ]
    assert read_settings(typed) == {
        "amsgrad": True,
        "draw": 2,
        "adversary_weight": 0.01,
        "keep": "auc",
        "from_base": ("encoder", "decoder"),
        "guide": "away",
        "guide_words": ("good", "bad"),
    }


def test_they_come_over_the_preset() -> None:
    chosen = choose(
        DATA,
        "mlp",
        TrainingOptions(preset="jain2019", epochs=3, fit=["keep=loss", "adversary=jsd"]),
    )
    assert (
        chosen.spec.fit == build_specs("mlp", "jain2019", epochs=3, keep="loss", adversary="jsd")[1]
    )


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("epochs", "expected NAME=VALUE, such as gradient_clipping=5; got 'epochs'"),
        ("epoch=3", "unknown 'epoch'; the nearest is fit.epochs; sightline list fields names all"),
        ("seed=3", "unknown 'seed'"),
        ("epochs=many", "epochs: expected a whole number, got 'many'"),
        ("learning_rate=-1", "learning_rate: expected a number above 0, got -1"),
        ("keep=best", "keep: expected loss or auc or accuracy, got 'best'"),
        ("from_base=head", "from_base"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(typed: str, message: str) -> None:
    with pytest.raises(SpecError) as error:
        read_settings([typed])
    assert message in str(error.value)
    assert error.value.field == "fit"


def test_a_setting_is_given_once() -> None:
    with pytest.raises(SpecError, match="draw is given twice"):
        read_settings(["draw=1", "draw=2"])
    with pytest.raises(SpecError, match="epochs is given twice, there and by epochs="):
        choose(DATA, "mlp", TrainingOptions(epochs=3, fit=["epochs=4"]))
