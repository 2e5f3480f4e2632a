"""Shapes in signatures are no comments: a test that passes another one fails."""

import importlib

import numpy as np
import pytest
import torch
from jaxtyping import Float, TypeCheckError

from sightline.core.protocols import Batch
from sightline.numerics.rank_agreement import top_count
from tests.shapes import CheckingLoader, checked, modules_with_shapes

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


@checked
def _first(values: Float[np.ndarray, "N T"], give: list[np.ndarray]) -> Float[np.ndarray, " N"]:
    return give[0]


def test_each_combination_of_shapes_is_checked_also_after_one_that_fits() -> None:
    values, fits = np.ones((2, 3)), np.ones(2)
    for _ in range(3):
        assert _first(values, [fits]) is fits
    for _ in range(2):
        with pytest.raises(TypeCheckError, match="return value"):
            _first(values, [np.ones(3)])
        with pytest.raises(TypeCheckError, match="parameters"):
            _first(fits, [fits])
        with pytest.raises(TypeCheckError, match="return value"):
            _first(values, [np.ones(2, dtype=int)])
        with pytest.raises(TypeCheckError, match="return value"):
            _first(np.ones((5, 3)), [fits])
        assert _first(values, [fits]) is fits


@checked
def _wide(rows: np.ndarray, m: int) -> Float[np.ndarray, "N {m}"]:
    return rows


def test_a_shape_that_names_a_number_is_checked_for_each_number() -> None:
    assert _wide(np.ones((4, 2)), 2).shape == (4, 2)
    with pytest.raises(TypeCheckError):
        _wide(np.ones((4, 2)), 3)


def test_a_function_that_is_made_again_is_checked_by_what_is_known_of_its_code() -> None:
    def made(give: np.ndarray) -> object:
        @checked
        def inner(values: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
            return give

        return inner

    values = np.ones(2)
    assert made(values)(values) is values
    with pytest.raises(TypeCheckError):
        made(np.ones(3))(values)
