"""Shapes in signatures are no comments: a test that passes another one fails."""

import importlib

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError

from sightline.core.protocols import Batch
from sightline.numerics.rank_agreement import top_count
from tests.shapes import CheckingLoader, modules_with_shapes

MODULES = [*modules_with_shapes()]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_with_shapes_is_checked(module: str) -> None:
    assert isinstance(importlib.import_module(module).__loader__, CheckingLoader)


def test_a_wrong_shape_of_a_function_is_refused() -> None:
    weights = torch.ones(2, 3, dtype=torch.float64).numpy()
    assert top_count(np.array([5, 20])).tolist() == [1, 2]
    with pytest.raises(TypeCheckError):
        top_count(weights)


def test_a_wrong_shape_of_a_value_is_refused() -> None:
    ids, mask = torch.zeros(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)
    with pytest.raises(TypeCheckError):
        Batch(ids, mask, mask, ids, labels=ids, index=ids[:, 0])
