"""Slow, literal versions of how marked words are found: threshold by threshold, and over every
permutation.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, permutations

import numpy as np


def average_precision(scores: Sequence[float], marked: Sequence[bool]) -> float:
    """Σ (R_k − R_{k−1}) P_k, from the highest threshold to the lowest."""
    total, before = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        chosen = [mark for score, mark in zip(scores, marked, strict=True) if score >= threshold]
        recall = sum(chosen) / sum(marked)
        total += (recall - before) * sum(chosen) / len(chosen)
        before = recall
    return total


def f1_on_top(scores: Sequence[float], marked: Sequence[bool]) -> float:
    """F1 of as many words as are marked, averaged over every way to break ties."""
    count, found = sum(marked), []
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            hits = sum(marked[t] for t in order[:count])
            precision, recall = hits / count, hits / sum(marked)
            found.append(2 * precision * recall / (precision + recall) if hits else 0.0)
    return float(np.mean(found))


def by_chance(score: Callable, scores: Sequence[float], marked: Sequence[bool]) -> float:
    """Mean over every permutation of the scores."""
    return float(np.mean([score(order, marked) for order in permutations(scores)]))


def spans(words: Sequence[bool]) -> list[set[int]]:
    """Give the longest runs of words, as sets of places."""
    found: list[set[int]] = []
    for place, there in enumerate(words):
        if there and place and words[place - 1]:
            found[-1].add(place)
        elif there:
            found.append({place})
    return found


def iou_f1(chosen: Sequence[bool], marked: Sequence[bool]) -> float:
    """As ERASER's code has it: a chosen span is found by its best IOU; precision, recall, and their
    harmonic mean.
    """
    ours, theirs = spans(chosen), spans(marked)
    best = [max((len(a & b) / len(a | b) for b in theirs), default=0.0) for a in ours]
    found = sum(iou >= 0.5 for iou in best)
    precision, recall = found / len(ours) if ours else 0.0, found / len(theirs) if theirs else 0.0
    return 2 * precision * recall / (precision + recall) if found else 0.0


def iou_on_top(scores: Sequence[float], marked: Sequence[bool]) -> float:
    """IOU F1 of as many words as are marked, averaged over every way to break ties."""
    found = []
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            top = set(order[: sum(marked)])
            found.append(iou_f1([t in top for t in range(len(scores))], marked))
    return float(np.mean(found))
