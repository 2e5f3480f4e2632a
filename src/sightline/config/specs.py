"""The specs of a run: data, model, training and seed, readable and writable as plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sightline._io.limits import WIDTH
from sightline.config.json_reader import check_types
from sightline.config.measure_registry import ALWAYS, MEASURES
from sightline.config.part_compatibility import check_together, pooled_width, states_width
from sightline.config.part_syntax import Part, parse_part
from sightline.config.registry import ROOMS, names_of, resolve_options, row_of
from sightline.config.user_tables import EVERY_ROW, TABLES, Files, Table
from sightline.config.word_maps import Reduction
from sightline.core.errors import SpecError
from sightline.core.later_fields import LATER, later_fields

MEANING = 6
"""Raised by hand when the same spec would give different results, so old results are not taken for
new ones."""

OFFICIAL = names_of("published")
OWN = (*TABLES, *names_of("gathered"))
"""The user's own texts: a table, or several files that are read as one."""
GIVEN = "given"
"""The kind of texts passed in from Python. They are known by their digest and cannot be read again."""
KINDS = (*OWN, *OFFICIAL, "planted", GIVEN)
Recipe = Literal["clean", "paper"]
OnCopies = Literal["refuse", "drop"]
RECIPES: tuple[Recipe, ...] = get_args(Recipe)
ON_COPIES: tuple[OnCopies, ...] = get_args(OnCopies)


@dataclass(frozen=True)
class DataSpec:
    """The source of the texts: one or more tables (`OWN`), a published corpus, a ``planted`` one,
    or Python.

    ``query``, ``id`` and ``group`` name columns, empty if the table has none: the question or
    hypothesis of each text, its name, and the group that it shares with other texts. ``on_copies``
    says what happens to a text in two named splits: an error, or it is dropped from the earlier
    split, which is not evaluated. ``labels_sep`` separates the labels in a column that holds
    several for each text; empty where a text has one label. ``digest`` is the SHA-256 of the files
    where the run is to be kept, so that an edited file is another run.
    """

    kind: str
    path: str = ""
    part: Part | None = None
    text: str = "text"
    label: str = "label"
    split: str = "split"
    rationale: str = "rationale"
    max_tokens: int = 512
    min_count: int = 1
    recipe: Recipe = "clean"
    digest: str = ""
    query: str = field(default="", metadata=LATER)
    files: Files | None = field(default=None, metadata=LATER)
    id: str = field(default="", metadata=LATER)
    group: str = field(default="", metadata=LATER)
    on_copies: OnCopies = field(default="refuse", metadata=LATER)
    labels_sep: str = field(default="", metadata=LATER)

    def __post_init__(self) -> None:
        """Refuse an unknown kind, corpus or option."""
        if self.kind not in KINDS:
            raise SpecError(f"expected one of {', '.join(KINDS)}, got {self.kind!r}", field="data")
        if (self.kind == "files") != (self.files is not None):
            raise SpecError(
                f"expected files by their split with the kind files alone, got {self.kind}",
                field="data",
            )
        if self.files and self.split != DataSpec.split:
            raise SpecError(
                f"{self.split!r}: each file is named for a split already; leave it out",
                field="split",
            )
        for name, known in {"recipe": RECIPES, "on_copies": ON_COPIES}.items():
            if (chosen := getattr(self, name)) not in known:
                raise SpecError(
                    f"expected one of {', '.join(known)}, got {chosen!r:.60}", field=name
                )
        self.options()

    def options(self) -> dict[str, Any]:
        """Give every option of a planted or a published corpus, with defaults for unset ones."""
        if self.kind == GIVEN:
            return {}
        if self.kind != "planted":
            room = (
                "table" if self.kind in TABLES else "gathered" if self.kind in OWN else "published"
            )
            return row_of(room, self.kind).chosen(self.part or Part(self.kind))
        if self.part is None:
            raise SpecError(
                "planted: expected a part such as needle(n=2000), got none", field="data"
            )
        return resolve_options("planted", self.part)

    @property
    def places(self) -> tuple[str, ...]:
        """The files and folders that texts are read from; empty for generated texts."""
        if tables := self.tables:
            return tuple(table.path for table in tables.values())
        return (self.path,) if self.path else ()

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables by split. A single table, which may name splits in a column, has the empty
        name.
        """
        if self.files is not None:
            return self.files.tables
        return {"": Table(self.kind, self.path)} if self.kind in TABLES else {}

    @property
    def every_row(self) -> bool:
        """Whether every row is a test text (``split="all"``, unless the table has a column of that
        name).
        """
        return self.split == EVERY_ROW

    def __str__(self) -> str:
        """Write the source as its spec text; for texts passed in from Python, as their owner's name
        for them.
        """
        if self.kind == GIVEN:
            return self.path
        if self.kind not in OFFICIAL:
            return f"{self.kind}:{self.files or self.part or self.path}"
        options = str(self.part or "").removeprefix(self.kind)
        # Without options, a path that ends in a bracket would be read as if it had some.
        return f"{self.kind}:{self.path}{options or ('()' if self.path.endswith(')') else '')}"


@dataclass(frozen=True)
class ModelSpec:
    """The parts of a model: ``source`` gives the attention, ``retention`` keeps the input in the
    states.

    A model with decoder ``query`` reads a question or a hypothesis together with each text.
    ``vectors`` is a file of word vectors that initialises the embeddings, ``vectors_digest`` the
    SHA-256 of its bytes.
    """

    encoder: Part
    scorer: Part = field(default=Part("additive"))
    projection: Part = field(default=Part("softmax"))
    source: Part = field(default=Part("learned"))
    embedding: int = 100
    embedding_std: float = 0.1
    boundaries: bool = False
    decoder: Part = field(default=Part("linear"), metadata=LATER)
    retention: Part = field(default=Part("none"), metadata=LATER)
    vectors: str = field(default="", metadata=LATER)
    vectors_digest: str = field(default="", metadata=LATER)
    without_vector: Literal["random", "zero"] = field(default="random", metadata=LATER)
    """How words start that the file of vectors lacks; unknown words and boundary tokens start the
    same way."""
    vectors_scale: float = field(default=1.0, metadata=LATER)
    """The factor that vectors are multiplied by."""

    def __post_init__(self) -> None:
        """Refuse an unknown part or option, and embeddings too wide for memory."""
        self._check_vectors()
        if not 1 <= self.embedding <= WIDTH.most:
            raise SpecError(
                f"expected 1 to {WIDTH.most:,}, got {self.embedding:,}", field="embedding"
            )
        for room, part in self.parts.items():
            resolve_options(room, part)

    def _check_vectors(self) -> None:
        if self.without_vector not in ("random", "zero"):
            raise SpecError(
                f"expected random or zero, got {self.without_vector!r}", field="without_vector"
            )
        if not (math.isfinite(self.vectors_scale) and self.vectors_scale > 0):
            raise SpecError(
                f"expected a number above 0, got {self.vectors_scale}", field="vectors_scale"
            )

    @property
    def parts(self) -> dict[str, Part]:
        """The parts by kind."""
        return {room: getattr(self, room) for room in ROOMS}

    @property
    def labelwise(self) -> bool:
        """Whether it has several labels, and an attention for each."""
        return self.decoder.name == "labelwise"

    @property
    def attention_learns(self) -> bool:
        """Whether attention has parameters: the dot product with a query has none."""
        asked = self.scorer.name == "dot" and self.decoder.name == "query"
        alpha = bool(resolve_options("projection", self.projection).get("learned"))
        return self.source.name == "learned" and (alpha or not asked)

    @property
    def states(self) -> int:
        """The width of the encoder's states."""
        return states_width(self.encoder)

    @property
    def pooled(self) -> int:
        """The width of the vectors that attention scores and sums."""
        return pooled_width(self.parts, self.embedding)

    def check_together(self) -> None:
        """Refuse parts that do not fit together; this needs no data."""
        check_together(self.parts, self.embedding)

    def __str__(self) -> str:
        """Write the model as its spec text; parts from the source on only if they differ from the
        default.
        """
        usual = {"learned", "linear", "none"}
        rest = [
            part for part in (self.source, self.decoder, self.retention) if str(part) not in usual
        ]
        return "+".join(map(str, [self.encoder, self.scorer, self.projection, *rest]))


Guide = Literal["", "onto", "away", "last", "first"]
"""Where the guide draws attention: nowhere, to the rationale or away from it, or to one end of each
text."""
Adversary = Literal["", "kl", "jsd"]
"""The divergence that keeps attention far from the base's: KL(adversary ‖ base) or Jensen-Shannon."""
FROM_ZERO = (
    "epochs",
    "patience",
    "weight_decay",
    "attention_weight_decay",
    "gradient_clipping",
    "draw",
    "adversary_weight",
)
"""Training settings that may be 0; all others must be above 0."""
ModelPart = Literal["embedding", "encoder", "attention", "decoder"]
"""Pieces of a model that a training may freeze or take over. Attention is the scorer and the
learned part of a projection. In a model that reads queries, the embedding has both tables and
the encoder both encoders."""
MODEL_PARTS: tuple[ModelPart, ...] = get_args(ModelPart)
BUT_ATTENTION: tuple[ModelPart, ...] = ("embedding", "encoder", "decoder")


@dataclass(frozen=True)
class FitSpec:
    """How a model is trained; validation selects the epoch that is kept.

    The *base* is the same run without guide, fixed parts and adversary (`sightline.config.base_runs`).
    It is trained first and stored like any other training.
    """

    # High enough that validation ends a training before the cap does: a cap would make models
    # differ in training time (decision 0014).
    epochs: int = 60
    patience: int = 5
    batch_size: int = 32
    learning_rate: float = 1e-3
    weight_decay: float = 1e-5
    attention_weight_decay: float = 0.0
    amsgrad: bool = False
    class_weights: bool = False
    reduction: Literal["mean", "sum"] = "mean"
    keep: Literal["loss", "auc", "accuracy"] = "loss"
    gradient_clipping: float = field(default=0.0, metadata=LATER)
    """The norm above which all gradients are scaled down together; 0 turns clipping off."""
    attention_rate_factor: float = field(default=1.0, metadata=LATER)
    """Factor on the learning rate of the attention parameters."""
    guide: Guide = field(default="", metadata=LATER)
    guide_weight: float = field(default=1.0, metadata=LATER)
    """λ of the guide (`sightline.training.attention_supervision`)."""
    guide_words: tuple[str, ...] = field(default=(), metadata=LATER)
    """The words that ``onto`` and ``away`` refer to, instead of the rationale."""
    from_base: tuple[ModelPart, ...] = field(default=(), metadata=LATER)
    """The parts that start from the base's weights; the others are initialised again."""
    fixed: tuple[ModelPart, ...] = field(default=(), metadata=LATER)
    """The frozen parts."""
    adversary: Adversary = field(default="", metadata=LATER)
    """Train against the base: give its predictions from attention that is far from its own by this
    divergence."""
    adversary_weight: float = field(default=1e-3, metadata=LATER)
    """λ of the divergence (`sightline.training.adversary`)."""
    adversary_epochs: int = field(default=80, metadata=LATER)
    adversary_patience: int = field(default=10, metadata=LATER)
    draw: int = field(default=0, metadata=LATER)
    """The seed of initialisation and text order. Another value is another training on the same
    splits."""
    decay: Literal["coupled", "decoupled"] = field(default="coupled", metadata=LATER)
    """Whether weight decay is an L2 penalty in the gradient, as published, or decoupled from it
    (AdamW)."""

    def __post_init__(self) -> None:
        """Refuse settings of another type, and settings that make no sense together."""
        check_types(self, "fit.")
        if not self.guide and self.guide_weight != FitSpec.guide_weight:
            raise SpecError(
                f"fit.guide_weight: {self.guide_weight} weighs nothing without fit.guide; name one"
            )
        self._check_pieces()
        for name, value in vars(self).items():
            zero = name in FROM_ZERO
            if type(value) in (int, float) and not (value > 0 or (zero and value == 0)):
                raise SpecError(
                    f"fit.{name}: expected a number {'from' if zero else 'above'} 0, got {value}"
                )

    def _check_pieces(self) -> None:
        if self.guide_words and self.guide not in ("onto", "away"):
            raise SpecError(
                "fit.guide_words: needs fit.guide onto or away; name one", field="fit.guide_words"
            )
        for name in ("from_base", "fixed"):
            named = getattr(self, name)
            if named != tuple(piece for piece in MODEL_PARTS if piece in named):
                message = (
                    f"expected some of {', '.join(MODEL_PARTS)}, each once and in this order; got "
                    f"{', '.join(named)}"
                )
                raise SpecError(message, field=f"fit.{name}")
        if self.fixed == MODEL_PARTS:
            raise SpecError(
                "nothing is left to train; leave a part out, or take epochs = 0", field="fit.fixed"
            )
        if self.adversary and self.guide:
            raise SpecError(
                "an adversary cannot have a guide as well; name one of them", field="fit.adversary"
            )
        if self.adversary and "attention" in self.fixed:
            raise SpecError(
                "an adversary moves attention, which is fixed; leave it out there",
                field="fit.adversary",
            )


@dataclass(frozen=True)
class RunSpec:
    """A whole run as a value, named by its key.

    ``measures`` names the measures of the audit; empty means the default ones. ``altered`` changes
    the trained model before its audit, as ``shuffled`` or ``scaled(by=10.0)`` do. ``gradient`` says
    how the audit reduces the gradient of a word to one number.
    """

    data: DataSpec
    model: ModelSpec
    fit: FitSpec = field(default_factory=FitSpec)
    seed: int = 0
    limit: int | None = None
    companions: tuple[str, ...] = ("uniform",)
    """The control models, each as the text of a part such as ``uniform`` or ``seed(by=1)``."""
    measures: tuple[str, ...] = field(default=(), metadata=LATER)
    altered: str = field(default="", metadata=LATER)
    gradient: Reduction = field(default="input", metadata=LATER)

    def __post_init__(self) -> None:
        """Refuse a run that cannot be built or measured. Measures have one order, so equal runs
        have equal names.
        """
        check_types(self)
        self.model.check_together()
        known = [name for name in MEASURES if name != ALWAYS]
        if self.measures != tuple(name for name in known if name in self.measures):
            order = "" if self.measures == in_order(self.measures) else " and in this order"
            message = f"expected some of {', '.join(known)}, each once{order}"
            raise SpecError(f"{message}; got {', '.join(self.measures)}", field="measures")
        self._check_labels()
        if self.altered and self.altered != (rightly := str(check_altered(self.altered))):
            raise SpecError(
                f"expected it written as {rightly!r}; got {self.altered!r}", field="altered"
            )
        self._check_adversary()
        if not self.model.attention_learns and {*BUT_ATTENTION} <= {*self.fit.fixed}:
            attention = (
                f"attention is {self.model.source}"
                if self.model.source.name != "learned"
                else "the dot product with a query has no parameters"
            )
            raise SpecError(
                f"nothing is left to train: {attention}, and the rest is fixed", field="fit.fixed"
            )
        for name in ("guide", "adversary"):
            if getattr(self.fit, name) and self.model.source.name != "learned":
                what = "guides" if name == "guide" else "moves"
                raise SpecError(
                    f"nothing {what} attention that is {self.model.source}", field=f"fit.{name}"
                )

    def _check_adversary(self) -> None:
        """Refuse a divergence that is infinite wherever the base has a weight of zero."""
        projection = self.model.projection.name
        if self.fit.adversary == "kl" and projection not in ("softmax", "gumbel"):
            message = f"weights of {projection} may be zero, and KL is infinite there; take jsd"
            raise SpecError(message, field="fit.adversary")

    def _check_labels(self) -> None:
        """Refuse settings that need one attention for each text if the model has several labels."""
        asked = {"fit.guide": self.fit.guide, "fit.adversary": self.fit.adversary}
        for name, value in (asked | {"altered": self.altered}).items():
            if self.model.labelwise and value:
                raise SpecError(
                    f"{value} needs one attention for each text, and labelwise has one for each "
                    "label; leave one of them out",
                    field=name,
                )

    def to_json(self) -> dict[str, Any]:
        """Give the run as plain JSON values, with their version."""
        return {"meaning": MEANING, **fields_of(self, plain_values)}


def in_order(measures: Iterable[str]) -> tuple[str, ...]:
    """Sort measures into their fixed order, so that equal runs have equal names; unknown ones come
    last.

    >>> in_order(["erasure", "need"])
    ('need', 'erasure')
    """
    order = [*MEASURES]
    return tuple(
        sorted(measures, key=lambda name: order.index(name) if name in order else len(order))
    )


def check_altered(text: str) -> Part:
    """Read an alteration, which changes a trained model before its audit; an unknown one is an
    error.
    """
    try:
        part = parse_part(text)
    except SpecError as error:
        raise SpecError(error.message, field="altered") from None
    resolve_options("altered", part)
    return part


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""The types of nearly all fields, whose values are plain already."""


def plain_values(value: Any) -> Any:
    """Convert a spec as `dataclasses.asdict` does, without its deep copies: a study names thousands
    of runs.
    """
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return tuple(map(plain_values, value))
    return value if later_fields(kind) is None else fields_of(value, plain_values)


def fields_of(spec: Any, write: Callable[[Any], Any]) -> dict[str, Any]:
    """Give the fields of a spec, each converted by ``write``; later fields at their defaults are
    left out.
    """
    kind: Any = type(spec)
    unsaid = later_fields(kind) or {}
    return {
        name: write(inside)
        for name, inside in vars(spec).items()
        if name not in unsaid or inside != unsaid[name]
    }
