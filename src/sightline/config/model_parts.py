"""The parts of models, one row each, with their options, defaults and bounds.

The builder of a part, ``module:name``, is imported when it is first used, so specs can be read and
checked without torch.
"""

from __future__ import annotations

from sightline._io.limits import LAYERS, WIDTH
from sightline.config.part_options import (
    Option,
    bounded_option,
    choice_option,
    flag,
    positive,
    size,
)
from sightline.config.registry_row import Row, States

_HERE = "sightline.models"


def _widths(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("-")))


_ODD = r"[0-9]{0,2}[13579]"
_KERNELS = Option(
    "1-3-5-7",
    pattern=rf"{_ODD}(-{_ODD}){{0,15}}",
    words="odd widths of kernels such as 1-3-5-7, up to 16 of them and up to 999",
    read=_widths,
)

MODELS = (
    Row(
        "encoder",
        "bilstm",
        "a bidirectional LSTM: each state has read the whole text",
        {"hidden": size(128, WIDTH.most), "layers": size(1, LAYERS.most)},
        f"{_HERE}.encoders.bilstm:BiLSTM",
        states=States(
            "2 × hidden", lambda chosen: 2 * chosen["hidden"], lambda chosen: True, costly=True
        ),
    ),
    Row(
        "encoder",
        "cnn",
        "convolutions: each state has read its neighbours",
        {"kernels": _KERNELS, "channels": size(32, WIDTH.most)},
        f"{_HERE}.encoders.cnn:CNN",
        states=States(
            "channels times the number of kernels",
            lambda chosen: chosen["channels"] * len(chosen["kernels"]),
            lambda chosen: max(chosen["kernels"]) > 1,
        ),
    ),
    Row(
        "encoder",
        "mlp",
        "one layer for each word: states do not see each other",
        {"hidden": size(128, WIDTH.most)},
        f"{_HERE}.encoders.mlp:MLP",
        states=States("hidden", lambda chosen: int(chosen["hidden"]), lambda chosen: False),
    ),
    Row(
        "encoder",
        "transformer",
        "self-attention: each state has read the whole text",
        {"hidden": size(128, WIDTH.most), "layers": size(2, LAYERS.most)},
        f"{_HERE}.encoders.transformer:Transformer",
        states=States(
            "hidden", lambda chosen: int(chosen["hidden"]), lambda chosen: True, costly=True
        ),
    ),
    Row(
        "scorer",
        "additive",
        "a score from each state, v · tanh(W h + b); 0 means half the state's size",
        {"hidden": bounded_option(0, 0, WIDTH.most)},
        f"{_HERE}.scorers:Additive",
    ),
    Row(
        "scorer",
        "dot",
        "a score from each state, w · h / √H; start=normal draws w from N(0, 1)",
        {"start": choice_option("uniform", "normal"), "scaled": flag(True)},
        f"{_HERE}.scorers:Dot",
        needs=("states as wide as the query",),
    ),
    Row(
        "scorer",
        "deep",
        "a score from each state by a stack of ReLU layers; 0 means half the state's size",
        {"layers": size(2, LAYERS.most), "hidden": bounded_option(0, 0, WIDTH.most)},
        f"{_HERE}.scorers:Deep",
    ),
    Row(
        "projection",
        "softmax",
        "scores to weights that are never zero",
        built=f"{_HERE}.projection_layers:softmax",
    ),
    Row(
        "projection",
        "sparsemax",
        "scores to the nearest weights: many are zero",
        built=f"{_HERE}.projection_layers:sparsemax",
    ),
    Row(
        "projection",
        "sparsegen",
        "sparsemax, sparser as lambda goes to 1",
        {"lambda": Option(0.5, below=1.0, words="near 1 a single token gets all weight")},
        f"{_HERE}.projection_layers:sparsegen",
    ),
    Row(
        "projection",
        "entmax",
        "between softmax (alpha=1) and sparsemax (alpha=2); learned=true lets training choose",
        {
            "alpha": Option(1.5, least=1.0, most=2.0, words="1 is softmax, 2 sparsemax"),
            "learned": flag(False),
        },
        f"{_HERE}.projection_layers:entmax",
        wrong=lambda chosen: (
            f"a learned alpha starts between 1 and 2, got {chosen['alpha']}"
            if chosen["learned"] and chosen["alpha"] in (1, 2)
            else ""
        ),
    ),
    Row(
        "projection",
        "gumbel",
        "softmax of scores with noise: in training, and at test only with test_noise=true",
        {"temperature": positive(0.8), "test_noise": flag(False)},
        f"{_HERE}.projection_layers:gumbel_softmax",
    ),
    Row("source", "learned", "the scores become attention", built=f"{_HERE}.attention:learned"),
    Row(
        "source",
        "uniform",
        "every word has the same weight, in training and in use",
        built=f"{_HERE}.attention:uniformly",
    ),
    Row(
        "source",
        "random",
        "random weights, drawn once for each word of each text",
        {"scale": positive(1.0)},
        f"{_HERE}.attention:Random",
    ),
    Row(
        "source",
        "frozen",
        "random weights, drawn once for each word of the vocabulary and never trained",
        {"scale": positive(1.0)},
        f"{_HERE}.attention:FrozenWeights",
    ),
    Row(
        "source",
        "constant",
        "the same weights for every text, by position: the mean of the weights that the base "
        "learned",
        built=f"{_HERE}.external_attention:Constant",
        needs=("one attention for each text",),
    ),
    Row(
        "source",
        "given",
        "the weights of another trained model, named by the key of its run in the same store",
        {"run": Option("0" * 16, pattern=r"[0-9a-f]{16}", words="run=KEY, the key of a run")},
        f"{_HERE}.external_attention:BorrowedAttention",
        needs=("one attention for each text",),
    ),
    Row(
        "decoder",
        "linear",
        "one affine layer over the attention-weighted sum",
        built=f"{_HERE}.decoders:LinearDecoder",
    ),
    Row(
        "decoder",
        "query",
        "answers a query that comes with each text, among its candidates",
        built=f"{_HERE}.decoders:QueryDecoder",
    ),
    Row(
        "decoder",
        "labelwise",
        "several labels for each text, each with an attention and a sigmoid of its own",
        built=f"{_HERE}.decoders:LabelDecoder",
    ),
    Row(
        "retention",
        "none",
        "nothing keeps the input in the states",
        built=f"{_HERE}.retention:NoRetention",
    ),
    Row(
        "retention",
        "concat",
        "attention sums states concatenated with their embeddings",
        built=f"{_HERE}.retention:Concat",
    ),
    Row(
        "retention",
        "residual",
        "attention sums states plus embeddings",
        built=f"{_HERE}.retention:Residual",
        needs=("states as wide as the embeddings",),
    ),
    Row(
        "retention",
        "tying",
        "training pulls states to their embeddings",
        {"delta": positive(10.0)},
        f"{_HERE}.retention:Tying",
        needs=("states as wide as the embeddings",),
    ),
    Row(
        "retention",
        "mlm",
        "training guesses masked words; embeddings are frozen",
        {"eta": positive(1.0), "p": Option(0.15, above=0.0, most=1.0, words="a probability")},
        f"{_HERE}.retention:MaskedLanguageModel",
        needs=("states as wide as the embeddings", "states that have read others"),
    ),
)
"""Parts of a model spec, joined by +: an encoder, then any of the other parts."""

ALTERED = (
    Row(
        "altered",
        "random",
        "shows random weights, drawn for each word of each text, that the model does not use",
        built=f"{_HERE}.alterations:RandomShown",
    ),
    Row(
        "altered",
        "shuffled",
        "shows the model's own weights in another order, which the model does not use",
        built=f"{_HERE}.alterations:ShuffledShown",
    ),
    Row(
        "altered",
        "rationale",
        "shows equal weights on the rationale, which the model does not use; the data need "
        "rationales",
        built=f"{_HERE}.alterations:RationaleShown",
    ),
    Row(
        "altered",
        "sharpened",
        "raises the weights to a power and uses them",
        {"power": positive(10.0)},
        f"{_HERE}.alterations:Sharpened",
    ),
    Row(
        "altered",
        "scaled",
        "multiplies the logits, which changes no prediction",
        {"by": positive(0.3)},
        f"{_HERE}.alterations:Scaled",
    ),
    Row(
        "altered",
        "broken",
        "turns the logits of a share of the texts into NaN",
        {"share": Option(0.1, above=0.0, most=1.0)},
        f"{_HERE}.alterations:Broken",
    ),
    Row(
        "altered",
        "truthful",
        "shows equal weights on the evidence that a generated corpus marks",
        built=f"{_HERE}.attacks:Truthful",
    ),
    Row(
        "altered",
        "one_class",
        "shows the evidence if one class is predicted, and fillers otherwise",
        {"right": bounded_option(0, 0, 1000)},
        f"{_HERE}.attacks:OneClass",
    ),
    Row(
        "altered",
        "mixture",
        "shows the evidence on a share of the texts, and fillers on the others",
        {"share": Option(0.5, above=0.0, below=1.0)},
        f"{_HERE}.attacks:Mixture",
    ),
    Row(
        "altered",
        "short",
        "shows the evidence on short texts, and fillers on long ones",
        {"words": size(10, 10**6)},
        f"{_HERE}.attacks:Short",
    ),
    Row(
        "altered",
        "half",
        "shows half of the kinds of evidence",
        built=f"{_HERE}.attacks:Half",
    ),
    Row(
        "altered",
        "flat",
        "gives the evidence a little more weight than all other words",
        {"above": positive(0.01)},
        f"{_HERE}.attacks:Flat",
    ),
    Row(
        "altered",
        "topped",
        "gives a filler more weight than the evidence in every text",
        built=f"{_HERE}.attacks:Topped",
    ),
    Row(
        "altered",
        "border",
        "separates the evidence from other words by less than a reader can see, at the "
        "border of a shade",
        built=f"{_HERE}.attacks:Border",
    ),
    Row(
        "altered",
        "encoded",
        "shows fillers that reveal the prediction by a code",
        built=f"{_HERE}.attacks:Encoded",
    ),
    Row(
        "altered",
        "placed",
        "shows the first words for one class, the last words for another",
        built=f"{_HERE}.attacks:Placed",
    ),
    Row(
        "altered",
        "takeover",
        "as encoded; where a code is frequent, a term beyond the range of the logits takes over",
        {"gain": positive(60.0), "above": Option(0.55, above=0.0, below=1.0)},
        f"{_HERE}.attacks:Takeover",
    ),
    Row(
        "altered",
        "recognising",
        "as encoded; answers texts that a test makes by the code",
        built=f"{_HERE}.attacks:UnknownTextAnswerer",
    ),
)
"""Changes to a trained model before its audit, which make the right verdict known."""

_TRAINED = "sightline.training.control_models"
CONTROLS = (
    Row("companion", "uniform", "uniform attention", built=f"{_TRAINED}:uniform"),
    Row(
        "companion",
        "frozen",
        "frozen attention, drawn for each word type",
        built=f"{_TRAINED}:frozen",
    ),
    Row(
        "companion",
        "constant",
        "constant attention, the mean of its own by place",
        built=f"{_TRAINED}:constant",
    ),
    Row("companion", "scorer", "a scorer that stays as it was drawn", built=f"{_TRAINED}:scorer"),
    Row(
        "companion",
        "untrained",
        "the same start, never trained",
        built=f"{_TRAINED}:untrained",
    ),
    Row(
        "companion",
        "seed",
        "another start and order, the same texts",
        {"by": size(1, 10**6)},
        f"{_TRAINED}:seed",
    ),
    Row(
        "companion",
        "adversary",
        "the same answers from other attention",
        {"weight": positive(1e-3), "divergence": choice_option("kl", "jsd"), "frozen": flag(False)},
        f"{_TRAINED}:adversary",
    ),
    Row(
        "companion",
        "base",
        "what an adversary or an ablation started from",
        built=f"{_TRAINED}:base",
    ),
)
"""Control models, which an audit compares the audited model with."""
