"""A pipeline is audited as it answers, or refused by what it does otherwise."""

import pytest
from transformers import TextClassificationPipeline

import sightline
from sightline.core.errors import ModelError
from tests.adapters.huggingface.toys import classifier, word_pieces

PIECES = word_pieces()
SEVERAL = "multi_label_classification"


@pytest.mark.parametrize(
    ("problem", "function", "taken"),
    [
        (None, None, True),
        (None, "softmax", True),
        (None, "sigmoid", False),
        (None, "none", False),
        (SEVERAL, None, True),
        (SEVERAL, "sigmoid", True),
        (SEVERAL, "softmax", False),
        (SEVERAL, "none", False),
    ],
)
def test_a_function_that_an_audit_does_not_apply_is_refused(
    problem: str | None, function: str | None, taken: bool
) -> None:
    module = classifier("bert", tokenizer=PIECES, problem_type=problem)
    asked = {} if function is None else {"function_to_apply": function}
    pipeline = TextClassificationPipeline(model=module, tokenizer=PIECES, **asked)
    if taken:
        found = sightline.transformer(pipeline).link
        assert found == ("sigmoids" if problem else "softmax")
        return
    with pytest.raises(ModelError) as refused:
        sightline.transformer(pipeline)
    assert f"function_to_apply={function!r}" in refused.value.wrong
    assert ("problem_type" in refused.value.change) == (function == "sigmoid")
