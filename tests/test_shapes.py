"""Shapes in signatures are no comments: a test that passes another one fails."""

import importlib
from dataclasses import dataclass

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


@checked("values", "return")
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
        with pytest.raises(TypeCheckError, match="parameters"):
            _first(give=[fits], values=fits)
        assert _first(give=[fits], values=values) is fits
        with pytest.raises(TypeCheckError, match="return value"):
            _first(values, [np.ones(2, dtype=int)])
        with pytest.raises(TypeCheckError, match="return value"):
            _first(np.ones((5, 3)), [fits])
        assert _first(values, [fits]) is fits


@checked("return")
def _wide(rows: np.ndarray, m: int) -> Float[np.ndarray, "N {m}"]:
    return rows


def test_a_shape_that_names_a_number_is_checked_for_each_number() -> None:
    assert _wide(np.ones((4, 2)), 2).shape == (4, 2)
    with pytest.raises(TypeCheckError):
        _wide(np.ones((4, 2)), 3)


@checked("rows", "more")
def _any(name: str, rows: Float[np.ndarray, "N T"], **more: Float[np.ndarray, " N"]) -> str:
    return name


def test_arguments_are_checked_by_place_and_by_name() -> None:
    fits, other = np.ones((2, 3)), np.ones(2)
    for _ in range(2):
        assert [_any("a", fits), _any("a", rows=fits, one=other)] == ["a", "a"]
        for wrong in ({"rows": other}, {"rows": fits, "one": other, "two": np.ones(3)}):
            with pytest.raises(TypeCheckError):
                _any("a", **wrong)


@checked("ids")
@dataclass
class _Base:
    ids: Float[np.ndarray, " N"]


@checked("mask")
@dataclass
class _More(_Base):
    mask: Float[np.ndarray, " N"]


def test_fields_of_a_base_are_checked_with_its_own() -> None:
    for _ in range(2):
        assert _More(np.ones(2), np.ones(2)).ids.shape == (2,)
        with pytest.raises(TypeCheckError):
            _More(np.ones(3), np.ones(2))


def test_a_function_that_is_made_again_is_checked_by_what_is_known_of_its_code() -> None:
    def made(give: np.ndarray) -> object:
        @checked("values", "return")
        def inner(values: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
            return give

        return inner

    values = np.ones(2)
    assert made(values)(values) is values
    with pytest.raises(TypeCheckError):
        made(np.ones(3))(values)
