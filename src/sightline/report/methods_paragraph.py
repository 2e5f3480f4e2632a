"""How an audit was made, as a paragraph for a paper with the works it rests on: only what was
really done is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sightline.core.audited_map import ATTENTION, worded
from sightline.core.results import Measurement, Results
from sightline.report.number_format import texts
from sightline.report.provenance import named
from sightline.report.sentences import opened

WORKS = {
    "Jain & Wallace 2019": (
        "Jain, S., & Wallace, B. C. (2019). Attention is not Explanation. NAACL-HLT 2019."
    ),
    "Wiegreffe & Pinter 2019": (
        "Wiegreffe, S., & Pinter, Y. (2019). Attention is not not Explanation. EMNLP-IJCNLP 2019."
    ),
    "Serrano & Smith 2019": (
        "Serrano, S., & Smith, N. A. (2019). Is Attention Interpretable? ACL 2019."
    ),
    "Hassid et al. 2022": (
        "Hassid, M., Peng, H., Rotem, D., Kasai, J., Montero, I., Smith, N. A., & Schwartz, "
        "R. (2022). How Much Does Attention Actually Attend? Questioning the Importance of "
        "Attention in Pretrained Transformers. Findings of EMNLP 2022."
    ),
    "DeYoung et al. 2020": (
        "DeYoung, J., Jain, S., Rajani, N. F., Lehman, E., Xiong, C., Socher, R., & Wallace, "
        "B. C. (2020). ERASER: A Benchmark to Evaluate Rationalized NLP Models. ACL 2020."
    ),
    "Tutek & Šnajder 2020": (
        "Tutek, M., & Šnajder, J. (2020). Staying True to Your Word: (How) Can Attention "
        "Become Explanation? RepL4NLP 2020."
    ),
    "Meister et al. 2021": (
        "Meister, C., Lazov, S., Augenstein, I., & Cotterell, R. (2021). Is Sparse Attention "
        "more Interpretable? ACL-IJCNLP 2021."
    ),
    "Wen et al. 2022": (
        "Wen, B., Subbalakshmi, K. P., & Yang, F. (2022). Revisiting Attention Weights as "
        "Explanations from an Information Theoretic Perspective. arXiv:2211.07714."
    ),
}
"""The works that a paragraph may name, as they are named in it, whole."""

_PARTS = {
    "Its attention is sparse, as in Meister et al. 2021.": ("sparsemax", "sparsegen"),
    "Parts of it are those of Wen et al. 2022.": ("gumbel", "deep"),
    "Its states were kept near their words, as in Tutek & Šnajder 2020.": ("tying",),
}
"""What is said of a model that has one of these parts."""

_ASKED = {
    "transplant": (
        "The most attended words were moved into texts of another class, to see how much of "
        "the prediction they take along."
    ),
    "erasure": (
        "The most attended words were deleted, and replaced by words of other texts, and the "
        "loss of the predicted class’s log-odds was compared with that for random words "
        "(after the comprehensiveness of DeYoung et al. 2020)."
    ),
    "agreement": (
        "Attention was compared with gradients and with leave-one-out (Jain & Wallace 2019)."
    ),
    "polarity": (
        "The share of the most attended words that do not speak against the prediction was "
        "compared with that of all words."
    ),
    "signs": "What each word adds to the logit of the predicted class, was taken from weight × logit.",
    "marks": "How much attention lies on marks, such as punctuation, was compared with an even spread.",
    "own_word": (
        "How far the evidence of each token follows from its word, seen in other texts, was "
        "compared with how far it follows from the rest of its text (the question of Tutek & "
        "Šnajder 2020)."
    ),
    "mixing": (
        "How evenly the importance of the words for each hidden state is spread, and how "
        "much of it is the state’s own word’s, was taken by gradient (Meister et al. 2021)."
    ),
    "mixing_otherwise": (
        "The same was taken by deletion of each word, and by the gradients of all numbers of "
        "a state (Meister et al. 2021)."
    ),
    "rationale": (
        "How well each map finds the words that were marked as evidence was measured as "
        "context, and decided nothing (after DeYoung et al. 2020)."
    ),
    "state_agreement": (
        "Attention was compared with the importance of inputs and of the states that it "
        "mixes, by gradients through the weights and by removal, beside weights that were "
        "shuffled and used (Meister et al. 2021)."
    ),
    "need": "Uniform and permuted weights took the place of the learned ones (Tutek & Šnajder 2020).",
    "permutation": (
        "How far a permutation of its weights moves the output was measured on each text "
        "(Jain & Wallace 2019)."
    ),
    "searched": (
        "Other attention with the same answer was searched for on each text, by gradient and "
        "by mixing pairs of words (after Jain & Wallace 2019)."
    ),
    "reach": (
        "How far any attention could move each prediction was bounded (the question of Jain & "
        "Wallace 2019)."
    ),
    "flips": (
        "The fewest words were found without whose weights each prediction flips, and how "
        "many more go in the order of attention (the question of Serrano & Smith 2019)."
    ),
    "sufficiency": (
        "The most attended words alone were kept, and the log-odds of the predicted class "
        "that are left were compared with those of random words (after the sufficiency of "
        "DeYoung et al. 2020)."
    ),
    "retrained": (
        "The model was compared with one trained alike under uniform attention (Wiegreffe & "
        "Pinter 2019)."
    ),
    "beside": (
        "Its weights and answers were compared with those of models trained beside it (Wiegreffe "
        "& Pinter 2019)."
    ),
    "last_layer": (
        "All heads of its last layer, and then each, were put on single words to see whether "
        "a prediction changes (searched, after Jain & Wallace 2019)."
    ),
    "layers": (
        "In each layer in turn all weights were replaced by uniform ones, and by their mean "
        "over the texts, without training the model again (after Hassid et al. 2022)."
    ),
    "information": (
        "What the states of words tell of the label, by the rank of their attention, was "
        "scored on texts that the probes had not seen; the published estimate stands beside "
        "it (after Wen et al. 2022)."
    ),
    "token_evidence": (
        "How sure the model would be by one word alone was measured on texts that it decides "
        "rightly (Tutek & Šnajder 2020)."
    ),
    "input_information": (
        "How much its states still tell of their words was counted, and scored by a linear "
        "probe on held-out texts (after Tutek & Šnajder 2020)."
    ),
    "input_information_drawn": (
        "The same was asked of words drawn at random, frequent ones more often."
    ),
    "frozen": (
        "The model was compared with one trained through weights that were drawn at random and "
        "frozen."
    ),
}
"""What each measure asks, where it was taken."""


_IN_SOME_DATA = ("marks", "rationale")
"""The measures of what texts may lack: punctuation, and words that were marked."""


def methods(audit: Results) -> str:
    """Write the paragraph, from what the audit holds."""
    return " ".join(_sentences(audit))


def works(audit: Results) -> list[str]:
    """List the works that the paragraph names, whole."""
    description = methods(audit)
    return [whole for short, whole in WORKS.items() if short in description]


def _sentences(audit: Results) -> Iterator[str]:
    taken = {code: one for code, one in audit.measurements.items() if isinstance(one, Measurement)}
    by = f"sightline {_inside(audit.environment, 'versions', 'sightline')}".rstrip()
    model = _inside(audit.cards, "model", "name") or "the model"
    noun = audit.verdict.of_map
    shown = "the attention weights" if noun == ATTENTION else noun
    yield (
        f"We audited with {by} whether {shown} of {model} {'explain' if noun == ATTENTION else 'explains'} "
        f"its decisions, on {_on(audit)}."
    )
    yield from _chosen(audit)
    parts = {part.partition("(")[0] for part in str(audit.spec.get("model", "")).split("+")}
    yield from (label for label, names in _PARTS.items() if parts & set(names))
    asked = (label for code, label in _ASKED.items() if code in taken and _found(audit, code))
    yield from (worded(_agreement_alone(label, audit), noun) for label in asked)
    if any(row.signed for row in audit.maps):
        yield (
            "Maps that say which words speak for the predicted class were compared with each "
            "other alone."
        )
    if "agreement" in taken and taken["agreement"].settings.get("gradient") == "norm":
        yield "Of each gradient its length was taken (Meister et al. 2021)."
    yield from _judged(audit)


def _agreement_alone(label: str, audit: Results) -> str:
    """Say only what was compared, where a model has no gradients, or is audited by leave-one-out."""
    taken = audit.measurements.get("agreement")
    usual = audit.verdict.of_map == ATTENTION or label != _ASKED["agreement"]
    if usual or not isinstance(taken, Measurement):
        return label
    compared = "leave-one-out" if "captured.deletion" in taken.values else "no other map"
    return f"Attention was compared with {compared} (after Jain & Wallace 2019)."


def _found(audit: Results, code: str) -> bool:
    """Tell whether a measure found what it asks of, where data may have none of it."""
    if code not in _IN_SOME_DATA:
        return True
    return any(name.startswith(f"{code}.") and one.n for name, one in audit.estimates.items())


def _on(audit: Results) -> str:
    """Say of how many texts, of which data, and that they were held out where the run says so."""
    data = named(audit, "data")
    of = f" of {data}" if data else ""
    return f"{texts(len(audit.texts))}{of}{' that were held out' if 'run' in audit.spec else ''}"


def _chosen(audit: Results) -> Iterator[str]:
    """Say how texts came into splits, and how those that were audited were chosen among the test
    texts.
    """
    card = audit.cards.get("data", {})
    splits = [note for note in card.get("notes", ()) if "split" in note or "every row" in note]
    if splits:
        yield f"{opened('; '.join(splits))}."
    sample = card.get("sample")
    if sample:
        yield (
            f"The audited texts are a sample of the {texts(sample['of'])} to test on, drawn by "
            f"seed {sample['seed']}."
        )


def _judged(audit: Results) -> Iterator[str]:
    """Say how numbers became answers, and what all of it followed from."""
    deltas = [
        f"{one.code} {one.threshold:g}"
        for one in audit.findings
        if one.bears and one.score and one.threshold
    ]
    if deltas:
        yield (
            "Each score was compared, with its 95 % interval over texts, with its threshold, "
            f"set beforehand on generated texts ({', '.join(deltas)}); intervals by predicted "
            "class were corrected for the number of classes."
        )
    if "seed" in audit.spec:
        yield (
            f"Everything random in the audit followed from seed {audit.spec['seed']}; one "
            "training was seen."
        )


def _inside(values: Any, *names: str) -> str:
    """Read a setting that may not be there."""
    for name in names:
        values = values.get(name) if isinstance(values, Mapping) else None
    return "" if values is None else str(values)
