"""Which texts share a source: a group where the corpus has one, the words where it has none."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sightline.config.spec_syntax import parse_data
from sightline.core.example import Example
from sightline.data.load_dataset import load
from sightline.measures.trace_arrays import cluster_of
from tests.data.corpora import CORPORA, folder_of


def example(word: str, group: str = "") -> Example:
    return Example(word, 0, word, (word,), ((0, len(word)),), 0, query=("why", "?"), group=group)


def test_a_group_goes_before_the_words_and_the_query_is_no_source():
    texts = [
        example("a"),
        example("b"),
        example("a"),
        example("a", "s"),
        example("c", "s"),
        example("s"),
    ]
    first, other, copy, message, again, named = map(cluster_of, texts)
    assert (first, message) == (copy, again)
    assert len({first, other, message, named}) == 4


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "s", "t"]))))
def test_two_texts_share_a_number_as_they_share_a_source(drawn):
    numbers = np.array([cluster_of(example(*one)) for one in drawn], dtype=np.uint64)
    sources = [(group, "" if group else word) for word, group in drawn]
    same = np.array([[one == other for other in sources] for one in sources], dtype=bool).reshape(
        2 * (len(drawn),)
    )
    assert ((numbers[:, None] == numbers) == same).all()


def test_questions_of_one_babi_story_share_it(tmp_path):
    data = load(parse_data(f"babi:{folder_of(tmp_path, CORPORA['babi'])}(task=1)"), 0)
    assert [one.group for one in data.test] == [
        f"babi/qa1_some-facts_test.txt:{line}" for line in (1, 1, 6)
    ]
    first, same, other = map(cluster_of, data.test)
    assert first == same != other
    assert len({one.tokens for one in data.test}) == 3  # the words do not tell


def test_hypotheses_of_one_snli_premise_share_it(tmp_path):
    files = dict(CORPORA["snli"])
    files["snli_1.0_test.jsonl"] = files["snli_1.0_test.jsonl"].replace(
        "A man test 1.", "A man test 0."
    )
    data = load(parse_data(f"snli:{folder_of(tmp_path, files)}"), 0)
    assert {one.group for one in data.test} == {""}
    assert cluster_of(data.test[0]) == cluster_of(data.test[1])
