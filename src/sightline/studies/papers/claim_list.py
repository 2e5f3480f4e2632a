"""The claims of the papers, each as an inequality of two numbers, with the place where it is
claimed.

Criteria hold on the numbers that a paper prints; if it prints none, the claim says so. Changes
after numbers were seen are listed on the protocol's page (decision 0120).
"""

from __future__ import annotations

from functools import partial

from sightline.studies.papers import gumbel_vs_seed, jain2019, meister2021, tutek2020, wen2022
from sightline.studies.papers.claims import Claim, Order, Side
from sightline.studies.papers.jain2019 import HIGH, LITTLE, MLP
from sightline.studies.papers.study_models import BILSTM

OURS = "ours"
"""Prefix of the source of a claim that no paper at hand makes in these words."""
FIGURE = "a figure without numbers"
TWO_TRAININGS = "two trainings are compared, and no weights without meaning are among them"
KEPT = 0.03
"""The F1 that may be lost if a paper says that a model does as well: the margin of F1."""
WEAK = 0.5
"""A smaller τ is called weak here."""
SPREAD = 0.5
"""A larger normalised entropy is called spread here."""
TAU_BY_RANK = wen2022.TAU_BY_RANK
UNTRAINED = f"{BILSTM}, untrained, sharpened weights"
BY_CHANCE = Side(UNTRAINED, TAU_BY_RANK)
"""An untrained model whose weights are taken to a power: it shows the τ by rank of meaningless
attention (decision 0132)."""
LOST_TAU = "τ lost"
INPUTS = "τ with gradient of inputs"
SPARSEMAX, SPARSEGEN = f"{BILSTM}+sparsemax", f"{BILSTM}+sparsegen"
FIXED_ATTENTION = f"{BILSTM}, attention fixed"
FIXED_STATES = f"{BILSTM}, representation fixed"
KINDS = {"tying": "tied states", "mlm": "masked words"}

_jain = partial(Claim, "jain2019")
_tutek = partial(Claim, "tutek2020")
_meister = partial(Claim, "meister2021")
_wen = partial(Claim, "wen2022")


def _agree(name: str, other: str, says: str) -> Claim:
    """Claim that gradient and leave-one-out agree more with each other than one of them with
    attention.
    """
    return _jain(
        name,
        says,
        f"{OURS}, after the authors’ later run: the account has no text on Figures 4 and 5",
        "jain2019:J-4",
        Order(Side(BILSTM, f"τ(gradient, deletion) − τ(attention, {other})"), 0.0),
        low=True,
        printed=FIGURE,
    )


JAIN = (
    _jain(
        "weak",
        f"attention over mixed states (BiLSTM) agrees weakly with gradients (τ below {WEAK})",
        f"Table 2; a τ below {WEAK} is called weak by us",
        "jain2019:J-2",
        Order(WEAK, Side(BILSTM, "τ with gradient")),
        low=True,
        added=True,
    ),
    _jain(
        "recurrent",
        "attention over mixed states (BiLSTM) agrees less with gradients than over unmixed (MLP)",
        "Table 2, Figure 2",
        "jain2019:J-2",
        Order(Side(MLP, "τ with gradient"), Side(BILSTM, "τ with gradient")),
    ),
    _agree(
        "gradient",
        "gradient",
        "gradients and leave-one-out agree more with each other than gradients with attention",
    ),
    _agree(
        "leave-one-out",
        "deletion",
        "gradients and leave-one-out agree more with each other than leave-one-out with attention",
    ),
    _jain(
        "other-attention",
        f"for half of the texts very different attention (JSD above {HIGH}) gives the same answer "
        "(BiLSTM)",
        f"Figure 7; {HIGH} and half of the texts are ours",
        "jain2019:J-7",
        Order(Side(BILSTM, f"share of texts whose ε-max JSD is above {HIGH}, at least"), 0.5),
        no_chance="its rows hold no such share of attention without meaning. Uniform weights over "
        "nine words or more pass by arithmetic, because two words suffice for the same output",
        printed=FIGURE,
    ),
    _jain(
        "permutation",
        f"permuting attention moves the output by at most {LITTLE} in most texts (BiLSTM)",
        f"Figure 6; {LITTLE} and half of the texts are ours",
        "jain2019:J-6",
        Order(Side(BILSTM, jain2019.STEADY), 0.5),
        no_chance="no such share of weights without meaning is known, which move the output little, too",
        printed=FIGURE,
        before=Order(LITTLE, Side(BILSTM, "output moved, median over permutations")),
    ),
    _jain(
        "scorer",
        "additive attention agrees with gradients more than scaled dot attention does (BiLSTM)",
        f"{OURS}: the account names both scorers as a limit and does not compare them",
        "jain2019:J-D",
        Order(Side(BILSTM, "τ with gradient"), Side(jain2019.DOT[1], "τ with gradient")),
        printed="no paper prints it; in the authors’ later run it holds on SST (τ 0.35 and 0.07), is "
        "a tie on 20 Newsgroups (0.14 and 0.13), and does not hold on bAbI 1 to 3 (0.25 and 0.44, "
        "−0.02 and 0.17, 0.24 and 0.30)",
    ),
)
WIEGREFFE = (
    Claim(
        "wiegreffe2019",
        "adversaries",
        "a trained adversary moves its answers further than another seed does",
        f"{OURS}: the paper is known here by its released code and by what later papers report",
        "wiegreffe2019:P-V",
        Order(
            Side(f"{BILSTM}, λ 0.00105", "TVD of answers, adversary"),
            Side(BILSTM, "TVD of answers, other seeds"),
        ),
        no_chance="other seeds are what the adversary is compared with",
        printed=FIGURE,
    ),
)


def _more_than_base(
    name: str, kind: str, says: str, source: str, table: str, quantity: str
) -> Claim:
    return _tutek(
        name,
        says,
        source,
        f"tutek2020:{table}",
        Order(Side(f"{BILSTM}+{kind}", quantity), Side(BILSTM, quantity)),
        no_chance="" if quantity in tutek2020.COUNTED else TWO_TRAININGS,
    )


def _retaining(kind: str, how: str) -> tuple[Claim, ...]:
    """List the claims about one way of keeping words."""
    name = how.replace(" ", "-")
    model = f"{BILSTM}+{kind}"
    alone = "probability by one word alone"
    return (
        _more_than_base(
            name,
            kind,
            f"a model with {how} needs its additive attention more than the base",
            "Table 1",
            "T-1",
            "F1 lost under permuted weights",
        ),
        _tutek(
            f"{name}-as-good",
            f"a model with {how} does about as well as the base (additive attention; F1 lower by "
            f"less than {KEPT})",
            f"Table 1, §6; a loss of F1 below {KEPT} is ours",
            "tutek2020:T-1",
            Order(Side(model, "F1"), Side(BILSTM, "F1"), -KEPT),
            no_chance=TWO_TRAININGS,
            added=True,
        ),
        _more_than_base(
            f"{name}-keep",
            kind,
            f"hidden states keep more information of their words with {how}",
            "Table 2",
            "T-2",
            "counted information, frequent words",
        ),
        _tutek(
            f"{name}-one-word",
            f"with {how}, single words alone are answered with less confidence",
            "Table 3 and its text",
            "tutek2020:T-3",
            Order(Side(BILSTM, alone), Side(model, alone)),
            no_chance=TWO_TRAININGS,
            added=True,
        ),
    )


TUTEK = tuple(claim for kind, how in KINDS.items() for claim in _retaining(kind, how))


def _of_projection(name: str, model: str, called: str) -> tuple[Claim, Claim]:
    """List the claims about inputs and hidden states under one projection."""
    added = model != BILSTM
    return (
        _meister(
            f"spread{name}",
            f"under {called} the importance of inputs for a hidden state is spread over many "
            f"(BiLSTM; evenness above {SPREAD})",
            f"§4, Table 1, which says it of the Transformer, too; {SPREAD} is ours",
            "meister2021:M-1",
            Order(Side(model, meister2021.EVEN), SPREAD),
            added=added,
        ),
        _meister(
            f"states{name}",
            f"under {called} attention agrees more with hidden states than with inputs (BiLSTM)",
            "Figure 1, Table 6, which say it of all models",
            "meister2021:M-6",
            Order(Side(model, "τ with gradient of states"), Side(model, INPUTS)),
            added=added,
        ),
    )


ALONG_LAMBDA = Side(SPARSEGEN, "τ of λ with evenness of inputs for the answer")
NO_EVENNESS = "its rows hold no evenness of weights without meaning"
MEISTER = (
    *_of_projection("", BILSTM, "softmax"),
    *_of_projection("-sparse", SPARSEMAX, "sparsemax"),
    _meister(
        "inputs-sparse",
        "even under sparsemax the importance of inputs for the answer is spread over many "
        f"(evenness above {SPREAD})",
        f"§4, Figure 2; {SPREAD} is ours",
        "meister2021:M-F2",
        Order(Side(SPARSEMAX, "evenness of inputs for the answer, gradient"), SPREAD),
        no_chance="its rows hold no such number of an untrained model",
        printed=FIGURE,
        added=True,
    ),
    _meister(
        "sparsity-table",
        "the importance of inputs is less even as attention gets sparser (the sign of Table 2)",
        "Table 2",
        "meister2021:M-2",
        Order(0.0, ALONG_LAMBDA),
        no_chance=NO_EVENNESS,
    ),
    _meister(
        "sparsity-text",
        "the importance of inputs is more even as attention gets sparser (what the text says)",
        "§4, the text on Table 2",
        "meister2021:M-2",
        Order(ALONG_LAMBDA, 0.0),
        no_chance=NO_EVENNESS,
        added=True,
        printed="the text reads the negative signs of its Table 2 as a rise, so they refute it",
    ),
    _meister(
        "less-agreement",
        "attention agrees less with inputs under sparsemax than under softmax (film reviews)",
        "§4, Figure 3, which is of IMDb; on SST Table 6 has it the other way for the BiLSTM with "
        "gradients",
        "meister2021:M-6",
        Order(Side(BILSTM, INPUTS), Side(SPARSEMAX, INPUTS)),
        made_on=("imdb",),
        added=True,
    ),
    _meister(
        "less-agreement-along",
        "attention agrees less with the gradient of inputs as it gets sparser (sparsegen over λ)",
        "§1, §4, Figure 3, which is of IMDb",
        "meister2021:M-2",
        Order(0.0, Side(SPARSEGEN, f"τ of λ with {INPUTS}")),
        printed=FIGURE,
        added=True,
    ),
    _meister(
        "frozen",
        "an adversary loses more accuracy where all but its attention is frozen (λ = 1) than where "
        "not (λ = 0.1; BiLSTM)",
        "App. C.1, Table 5; λ is ours: frozen at 0.1, attention does not move",
        "meister2021:M-5",
        Order(Side(f"{BILSTM}, unfrozen", "accuracy"), Side(f"{BILSTM}, frozen", "accuracy")),
        no_chance=TWO_TRAININGS,
        added=True,
    ),
)
UNMEASURED = "no untrained model of both scorers was measured"
WEN = (
    _wen(
        "scorer",
        "additive attention follows information better than dot attention (BiLSTM)",
        "§5, of all encoders together",
        "wen2022:W-F2",
        Order(Side(BILSTM, TAU_BY_RANK), Side("bilstm+dot", TAU_BY_RANK)),
        no_chance=UNMEASURED,
        printed=Order(Side("additive", TAU_BY_RANK), Side("dot", TAU_BY_RANK)),
    ),
    _wen(
        "deep",
        "deep attention follows information better than dot attention (BiLSTM)",
        "§5, of all encoders together",
        "wen2022:W-F2",
        Order(Side("bilstm+deep", TAU_BY_RANK), Side("bilstm+dot", TAU_BY_RANK)),
        no_chance=UNMEASURED,
        printed=Order(Side("deep", TAU_BY_RANK), Side("dot", TAU_BY_RANK)),
        added=True,
    ),
    _wen(
        "fixed-attention",
        "fixed attention follows information less than learned attention does",
        "§5.1, Table 2",
        "wen2022:W-2",
        Order(Side(BILSTM, TAU_BY_RANK), Side(FIXED_ATTENTION, TAU_BY_RANK)),
        left_out=wen2022.EVEN_RANKS,
        chance=BY_CHANCE,
        printed=Order(Side(FIXED_ATTENTION, LOST_TAU), 0.0),
    ),
    _wen(
        "fixed-representation",
        "over a fixed representation new attention follows information equally well (τ lower by "
        f"less than {LITTLE})",
        f"§5.1, Table 2; a loss of τ below {LITTLE} is ours",
        "wen2022:W-2",
        Order(Side(FIXED_STATES, TAU_BY_RANK), Side(BILSTM, TAU_BY_RANK), -LITTLE),
        chance=BY_CHANCE,
        printed=Order(LITTLE, Side(FIXED_STATES, LOST_TAU)),
    ),
    _wen(
        "adversaries",
        "the attention of a trained adversary follows information equally well (τ lower by less "
        f"than {LITTLE})",
        f"§5.2, Table 4; a loss of τ below {LITTLE} is ours",
        "wen2022:W-4",
        Order(Side(f"{BILSTM}, adversary", TAU_BY_RANK), Side(BILSTM, TAU_BY_RANK), -LITTLE),
        chance=BY_CHANCE,
        printed=Order(LITTLE, Side(f"{BILSTM}, adversary", LOST_TAU)),
        added=True,
    ),
    _wen(
        "gumbel",
        "Gumbel-softmax leaves τ as high or higher in most models",
        "Table 5, which counts models; here models and seeds",
        "wen2022:W-5",
        Order(Side(gumbel_vs_seed.ALL, gumbel_vs_seed.RAISED_BY_SEED), 0.5),
        printed=Order(Side(gumbel_vs_seed.ALL, gumbel_vs_seed.RAISED), 0.5),
        of_lines=True,
        beyond=partial(gumbel_vs_seed.rises_beyond_seeds, number=TAU_BY_RANK),
    ),
)
CLAIMS: tuple[Claim, ...] = (*JAIN, *WIEGREFFE, *TUTEK, *MEISTER, *WEN)
