"""Loads models from elsewhere by name: the user's own functions, and models of transformers."""

from __future__ import annotations

from sightline.adapters.answers_model import AnswersModel, answers
from sightline.adapters.factory import load_factory, named_object, without_arguments
from sightline.adapters.validate_outputs import call_user_code
from sightline.config.spec_syntax import ANSWERS, HF_CAUSAL, PY
from sightline.core.errors import ModelError
from sightline.core.protocols import Auditable


def load_elsewhere(spec: str, device: str = "cpu") -> Auditable:
    """Load the model that ``py:package.module:factory``, ``answers:package.module:function``,
    ``hf:FOLDER`` or ``hf-causal:FOLDER(…)`` names.

    A model of the user's own code stays on its device; a model that transformers loads is moved to
    ``device``.
    """
    if spec.startswith(PY):
        return load_factory(spec)
    if spec.startswith(ANSWERS):
        return load_answers(spec)
    if spec.startswith(HF_CAUSAL):
        from sightline.adapters.huggingface.causal_model import load_causal  # noqa: PLC0415  (an extra)

        return load_causal(spec, device)
    from sightline.adapters.huggingface.from_pretrained import load_huggingface  # noqa: PLC0415  (an extra)

    return load_huggingface(spec, device)


def load_answers(spec: str) -> AnswersModel:
    """Make a model of a function that has ``labels``, or of a fitted scikit-learn classifier. The
    result of `answers` is also accepted: the object itself, or a function without arguments that
    returns it.
    """
    found = named_object(spec, ANSWERS, "function")
    if hasattr(found, "predict_proba") and hasattr(found, "classes_"):  # as of scikit-learn
        classes = [str(name) for name in found.classes_]
        return answers(found.predict_proba, labels=classes, name=spec.removeprefix(ANSWERS))
    labels = getattr(found, "labels", None)
    if not isinstance(found, AnswersModel) and labels is None and callable(found):
        if not without_arguments(found):
            raise ModelError(
                f"{spec}: expected a function with labels, got one without",
                change=(
                    "set the names of its classes, such as predict.labels = ('bad', 'good'), in "
                    "the order of the columns"
                ),
            )
        found = call_user_code(f"{spec}()", found)
        labels = getattr(found, "labels", None)
    if isinstance(found, AnswersModel):
        return found
    if not callable(found) or labels is None:
        raise ModelError(
            f"{spec}: expected a function from texts to probabilities, got {type(found).__name__}",
            change="name a function that has labels, or one that returns sightline.answers(…)",
        )
    scores = getattr(found, "scores", None)
    return answers(found, labels=labels, scores=scores, name=spec.removeprefix(ANSWERS))
