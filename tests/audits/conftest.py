"""A model that several files of this folder audit, trained once."""

import pytest

import sightline


@pytest.fixture(scope="session")
def needle():
    data = sightline.load("planted:needle(n=1200,length=10)")
    model = sightline.train(data, "mlp(hidden=16)+additive", companions="none", epochs=8)
    return model, data
