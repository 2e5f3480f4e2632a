"""``mlflow.models.evaluate(…, evaluators="sightline")``: an audit as an evaluation of MLflow.

MLflow finds the class by an entry point and calls only two functions of it. So the class does not
inherit from MLflow, and nothing is imported here before an evaluation begins.
"""

from __future__ import annotations

from typing import Any

from sightline.core.errors import DataError, SpecError

_WRITTEN = 'evaluator_config={"sightline": {"model": "hf:my-classifier"}}'


class SightlineEvaluator:
    """Audits the model named in the configuration; the model that MLflow passes has
    no attention.
    """

    @classmethod
    def can_evaluate(cls, **_: Any) -> bool:
        """Accept every kind of model; `evaluate` reports what is missing."""
        return True

    def evaluate(self, *, dataset: Any, evaluator_config: dict[str, Any], **_: Any) -> Any:
        """Audit, log scores, verdict and report to the active run, and return the scores.

        ``evaluator_config`` has the ``model`` (as `sightline.audit` takes it), the column of the
        ``text`` where it is not called so, ``texts`` and ``ids`` of `sightline.log_audit`, and
        options of `sightline.audit`.
        """
        from mlflow.models import EvaluationResult  # noqa: PLC0415  (MLflow is running)

        from sightline.api.audit import audit  # noqa: PLC0415  (as late as it is needed)
        from sightline.api.log_audit import log_audit, scores_of  # noqa: PLC0415
        from sightline.data.assembly.in_memory import data_from  # noqa: PLC0415

        # MLflow passes the configuration of this evaluator, or, if one evaluator is named, all of
        # it.
        asked = dict(evaluator_config.get("sightline", evaluator_config))
        model, column = asked.pop("model", None), asked.pop("text", "text")
        texts, ids = bool(asked.pop("texts", False)), bool(asked.pop("ids", False))
        if model is None:
            raise SpecError(f"expected the model to audit, as {_WRITTEN}, got none", field="model")
        read, labels = _column(dataset.features_data, column), dataset.labels_data
        if labels is None:
            raise DataError('expected labels; name their column with targets="label"')
        data = data_from(read, labels, splits="all", name=dataset.name or "texts")
        found = audit(model, data, **asked)
        log_audit(found, texts=texts, ids=ids)
        return EvaluationResult(metrics=dict(scores_of(found)), artifacts={})


def _column(frame: Any, column: str) -> list[str]:
    """Return the texts of a data frame."""
    columns = list(getattr(frame, "columns", ()))
    if column not in columns:
        there = ", ".join(map(str, columns)) or "no columns"
        raise DataError(
            f"expected a data frame with a column {column!r}, got {there}; name the column of the "
            'texts as "text" in the configuration of the evaluator'
        )
    return list(frame[column])
