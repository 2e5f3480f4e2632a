"""Of a prompted language model whose heads are written down, the audit says of each what is so by
construction.
"""

from functools import cache

import numpy as np
import pytest

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from tests.adapters.huggingface.planted import CAN, DATA, LABELS, MUST_NOT, sunk
from tests.planted.prompted import EVEN, LAYER, OF_TEMPLATE, READS, SINKS, TEMPLATE, planted_prompt

DECIDING = ("agreement", "erasure", "transplant", "marks")
"""The measures on which the rows of the table rest, and that of special tokens."""


@cache
def texts() -> Dataset:
    return sightline.load(parse_data(DATA), 0)


def model_of(head: int) -> HuggingFace:
    return sightline.prompted(
        *planted_prompt(1), template=TEMPLATE, answers=LABELS, layer=LAYER, head=head
    )


@cache
def audited(head: int) -> Audit:
    measures = default_measures(chosen=DECIDING)
    return sightline.audit(model_of(head), texts(), limit=104, measures=measures)


def test_the_head_that_reads_the_cue_may_be_shown() -> None:
    audit = audited(READS)
    assert audit.verdict.row in CAN
    assert audit.metrics["accuracy"].value > 0.9


@pytest.mark.parametrize("head", [EVEN, SINKS])
def test_a_head_that_decides_nothing_must_not_be_shown(head: int) -> None:
    assert audited(head).verdict.row in MUST_NOT


@pytest.mark.parametrize("head", [READS, EVEN, SINKS])
def test_every_check_holds(head: int) -> None:
    model = model_of(head)
    found = check(model, texts().test, model.labels)
    assert not [str(proof) for proof in found if proof.outcome == "failed"]


def test_the_share_of_attention_on_the_template_is_said() -> None:
    """A head that attends evenly has n of n + 3 on the words; one on the template has
    less than a fifth, and SL-106 says so.
    """
    even, sink = audited(EVEN), audited(SINKS)
    marks = even.measurements["marks"].values
    length = np.asarray(marks["length"])
    assert marks["words"] == pytest.approx((length - len(OF_TEMPLATE)) / length, abs=1e-5)
    assert float(np.asarray(sink.measurements["marks"].values["words"]).max()) < 0.2
    assert (sunk(even), sunk(sink)) == (False, True)


def test_the_head_that_reads_the_cue_is_among_the_sources_that_are_chosen_or_as_good() -> None:
    """Its map is the same in both layers, and other sources show the same first word: those few
    texts that choose cannot tell them apart, and the report lists them.
    """
    model = sightline.prompted(*planted_prompt(1), template=TEMPLATE, answers=LABELS, reading="all")
    audit = sightline.audit(model, texts(), measures=default_measures(chosen=DECIDING))
    found = audit.spec["readings"]
    assert f"(layer={LAYER},head={READS})" in (found["chosen"], *found["alike"])
    assert not {f"(layer={LAYER},head={head})" for head in (EVEN, SINKS)} & {*found["alike"]}
    assert audit.verdict.row in CAN
