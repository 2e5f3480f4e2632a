"""Adam's steps in a weight that has no gradient, one by one."""

from math import sqrt

from sightline.training.adam_step import AdamStep


def steps_without_gradient(
    start: dict[str, float], since: int, missed: int, rule: AdamStep, epsilon: float
) -> dict[str, float]:
    """Kingma & Ba 2015, alg. 1, with g = 0, the maximum of Reddi et al. 2018 and the decay of
    Loshchilov & Hutter 2019.
    """
    weight, mean, square, largest = (
        start[n] for n in ("weight", "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    )
    for step in range(since + 1, since + missed + 1):
        mean, square = 0.9 * mean, 0.999 * square
        largest = max(largest, square)
        size = sqrt((largest if rule.amsgrad else square) / (1 - 0.999**step)) + epsilon
        weight = weight * (1 - rule.learning_rate * rule.weight_decay)
        weight -= rule.learning_rate * mean / (1 - 0.9**step) / size
    return {"weight": weight, "exp_avg": mean, "exp_avg_sq": square, "max_exp_avg_sq": largest}
