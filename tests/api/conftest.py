"""One small model, trained once on a planted corpus, as `sightline.train` gives it."""

import pytest

import sightline
from sightline.audits.audit_result import Audit
from sightline.data.dataset import Dataset
from sightline.experiments.pipeline import Trained

CORPUS = "planted:needle(n=120,length=6)"
MODEL = "mlp(hidden=4)+additive"


@pytest.fixture(scope="package")
def data() -> Dataset:
    return sightline.load(CORPUS)


@pytest.fixture(scope="package")
def model(data: Dataset) -> Trained:
    return sightline.train(data, MODEL, epochs=2)


@pytest.fixture(scope="package")
def audit(model: Trained, data: Dataset) -> Audit:
    return sightline.audit(model, data, limit=8, full=True)
