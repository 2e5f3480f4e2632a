"""Clusters of texts: copies and near copies of each other, and texts of one group."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int, Num

Array = np.ndarray

COUNT_AS_ONE = "copies, near copies and texts of one group count as one"
"""What a cluster is, in words."""
AS_ONE = f"; {COUNT_AS_ONE}"
"""Follows a number of texts that is smaller for it."""


def numbered(clusters: Int[Array, " N"]) -> Int[Array, " N"]:
    """Number clusters from 0 by their first texts, so that texts that stand alone keep their order.

    >>> numbered(np.array([7, 3, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, members = np.unique(clusters, return_index=True, return_inverse=True)
    return np.asarray(first.argsort().argsort()[members])


def numbered_in_order(clusters: Int[Array, " N"]) -> Int[Array, " N"]:
    """Number clusters from 0 in the order of the numbers they have, so that sorting them by either
    gives the same result.

    >>> numbered_in_order(np.array([70, 30, 70, 50])).tolist()
    [2, 0, 2, 1]
    """
    return np.asarray(np.unique(clusters, return_inverse=True)[1])


def group_sums(values: Num[Array, "N *S"], members: Int[Array, " N"]) -> Float[Array, "G *S"]:
    """Add up the rows of each cluster; ``members`` numbers the clusters from 0."""
    sums = np.zeros((int(members.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, members, values)
    return sums
