"""What a run is made of: data, a model, a training, a seed; and all of it as plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sightline._io.limits import WIDTH
from sightline.config.key_compatibility import LATER, later_fields
from sightline.config.measure_registry import ALWAYS, MEASURES
from sightline.config.part_compatibility import check_together, pooled_width, states_width
from sightline.config.part_syntax import Part, parse_part
from sightline.config.registry import ROOMS, chosen, names_of, row_of
from sightline.config.user_tables import EVERY_ROW, TABLES, Files, Table
from sightline.config.word_maps import Reduction
from sightline.core.errors import SpecError

MEANING = 6
"""Raised by hand when the same spec would give other numbers, so that old results are not mistaken
for new."""

OFFICIAL = names_of("published")
OWN = (*TABLES, *names_of("gathered"))
"""Texts of the user's own: a table, or several files that are read as one."""
GIVEN = "given"
"""The kind of texts that were handed over in Python: they are known by their digest, and cannot be
read again."""
KINDS = (*OWN, *OFFICIAL, "planted", GIVEN)


@dataclass(frozen=True)
class DataSpec:
    """Where texts come from: a table or several (`OWN`), a published corpus, a ``planted`` one, or
    Python.

    ``query`` is the column of a question or a hypothesis beside each text, ``id`` the one that
    names each text, ``group`` the one of what texts share; a table has none where it is empty.
    ``on_copies`` says whether a text that stands in two named splits is an error or is dropped from
    the one that is not judged by. ``labels_sep`` separates the labels in a column that holds several
    for each text; empty where a text has one label. ``digest`` is the SHA-256 of the files where the run is to be
    kept, so that an edited file is another run.
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
    recipe: Literal["clean", "paper"] = "clean"
    digest: str = ""
    query: str = field(default="", metadata=LATER)
    files: Files | None = field(default=None, metadata=LATER)
    id: str = field(default="", metadata=LATER)
    group: str = field(default="", metadata=LATER)
    on_copies: Literal["refuse", "drop"] = field(default="refuse", metadata=LATER)
    labels_sep: str = field(default="", metadata=LATER)

    def __post_init__(self) -> None:
        """Refuse a kind, a corpus or an option that there is not."""
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
        self.options()

    def options(self) -> dict[str, Any]:
        """Give every option of a planted or a published corpus, at its default where it is not
        set.
        """
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
        return chosen("planted", self.part)

    @property
    def places(self) -> tuple[str, ...]:
        """The files and folders that texts are read from; none where they are generated."""
        if tables := self.tables:
            return tuple(table.path for table in tables.values())
        return (self.path,) if self.path else ()

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables there are, by their split; of one alone, which may name its splits itself, by
        nothing.
        """
        if self.files is not None:
            return self.files.tables
        return {"": Table(self.kind, self.path)} if self.kind in TABLES else {}

    @property
    def every_row(self) -> bool:
        """Whether every row is a test text, unless the table has a column of that name."""
        return self.split == EVERY_ROW

    def __str__(self) -> str:
        """Write the source as its spec text; of texts that were handed over, what their owner calls
        them.
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
    """The parts of a model: ``source`` says where attention comes from, ``retention`` what keeps
    input in its states.

    A model with decoder ``query`` reads a question or a hypothesis beside each text. ``vectors`` is
    a file of word vectors that embeddings start from, ``vectors_digest`` the SHA-256 of its bytes.
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
    """Where words start that the file of vectors lacks, and the marks of unknown words and ends."""
    vectors_scale: float = field(default=1.0, metadata=LATER)
    """What vectors are multiplied by."""

    def __post_init__(self) -> None:
        """Refuse a part or an option that there is not, and embeddings that nobody could hold."""
        self._check_vectors()
        if not 1 <= self.embedding <= WIDTH.most:
            raise SpecError(
                f"expected 1 to {WIDTH.most:,}, got {self.embedding:,}", field="embedding"
            )
        for room, part in self.parts.items():
            chosen(room, part)

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
        """The parts by the room they fill."""
        return {room: getattr(self, room) for room in ROOMS}

    @property
    def labelwise(self) -> bool:
        """Whether it has several labels, and an attention for each."""
        return self.decoder.name == "labelwise"

    @property
    def states(self) -> int:
        """How wide the states of the encoder are."""
        return states_width(self.encoder)

    @property
    def pooled(self) -> int:
        """How wide the vectors are that attention scores and sums."""
        return pooled_width(self.parts, self.embedding)

    def check_together(self) -> None:
        """Refuse parts that cannot stand beside each other, which needs no data to be seen."""
        check_together(self.parts, self.embedding)

    def __str__(self) -> str:
        """Write the model as its spec text: from the source on, only what is not usual."""
        usual = {"learned", "linear", "none"}
        rest = [
            part for part in (self.source, self.decoder, self.retention) if str(part) not in usual
        ]
        return "+".join(map(str, [self.encoder, self.scorer, self.projection, *rest]))


Guide = Literal["", "onto", "away", "last", "first"]
"""Where training is to bring attention: nowhere, onto the marked words or away from them, to one
end of each text."""
Adversary = Literal["", "kl", "jsd"]
"""By which divergence attention is to be far from that of the base: KL(adversary ‖ base) or
Jensen-Shannon."""
FROM_ZERO = (
    "epochs",
    "patience",
    "weight_decay",
    "attention_weight_decay",
    "gradient_clipping",
    "draw",
    "adversary_weight",
)
"""Numbers of a training that may be 0; the others are above it."""
Piece = Literal["embedding", "encoder", "attention", "decoder"]
"""What of a model is trained, or is not: attention is the scorer and what a projection learns; of a
model that reads queries, both tables are its embedding and both encoders its encoder."""
PIECES: tuple[Piece, ...] = get_args(Piece)
BUT_ATTENTION: tuple[Piece, ...] = ("embedding", "encoder", "decoder")


@dataclass(frozen=True)
class FitSpec:
    """How a model is trained; validation chooses the epoch that is kept.

    Its *base* is the same run without what is said of a guide, of pieces and of an adversary
    (`sightline.config.base_runs`): trained first, and kept like any other training.
    """

    # Enough that validation ends a training and not the cap, which would make models differ in how
    # long they trained (decision 0014).
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
    """The norm above which all gradients are scaled down together; 0 is never."""
    attention_rate_factor: float = field(default=1.0, metadata=LATER)
    """How many times the learning rate the parameters of attention get."""
    guide: Guide = field(default="", metadata=LATER)
    guide_weight: float = field(default=1.0, metadata=LATER)
    """λ of the guide (`sightline.training.attention_supervision`)."""
    guide_words: tuple[str, ...] = field(default=(), metadata=LATER)
    """The words that ``onto`` and ``away`` are about, in the place of those that people marked."""
    from_base: tuple[Piece, ...] = field(default=(), metadata=LATER)
    """The pieces that start as they are in the base; the others start anew."""
    fixed: tuple[Piece, ...] = field(default=(), metadata=LATER)
    """The pieces that are not trained."""
    adversary: Adversary = field(default="", metadata=LATER)
    """Train against the base: give its answers from other attention, far from its own by this
    divergence."""
    adversary_weight: float = field(default=1e-3, metadata=LATER)
    """λ of the divergence (`sightline.training.adversary`)."""
    adversary_epochs: int = field(default=80, metadata=LATER)
    adversary_patience: int = field(default=10, metadata=LATER)
    draw: int = field(default=0, metadata=LATER)
    """Which draw of the start and of the order of texts: another one is another training on the
    very same splits."""
    decay: Literal["coupled", "decoupled"] = field(default="coupled", metadata=LATER)
    """Whether weight decay is an L2 penalty in the gradient, as published, or a shrinking beside it
    (AdamW)."""

    def __post_init__(self) -> None:
        """Refuse what no training could mean."""
        if not self.guide and self.guide_weight != FitSpec.guide_weight:
            raise SpecError(
                f"fit.guide_weight: {self.guide_weight} weighs nothing without fit.guide; name one"
            )
        self._check_pieces()
        for name, value in vars(self).items():
            zero = name in FROM_ZERO
            if type(value) in (int, float) and not (
                math.isfinite(value) and (value > 0 or (zero and value == 0))
            ):
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
            if named != tuple(piece for piece in PIECES if piece in named):
                message = (
                    f"expected some of {', '.join(PIECES)}, each once and in this order; got "
                    f"{', '.join(named)}"
                )
                raise SpecError(message, field=f"fit.{name}")
        if self.fixed == PIECES:
            raise SpecError(
                "nothing is left to train; leave a piece out, or take epochs = 0", field="fit.fixed"
            )
        if self.adversary and self.guide:
            raise SpecError(
                "an adversary is not guided, too; name one of both", field="fit.adversary"
            )
        if self.adversary and "attention" in self.fixed:
            raise SpecError(
                "an adversary moves attention, which is fixed; leave it out there",
                field="fit.adversary",
            )


@dataclass(frozen=True)
class RunSpec:
    """A whole run as a value; its key is its name.

    ``measures`` are those its audit takes, all where none is named; ``altered`` is the part by
    which the trained model is changed before its audit, such as ``shuffled`` or
    ``scaled(by=10.0)``, where it is; ``gradient`` is how the audit makes one number of a word's
    gradient.
    """

    data: DataSpec
    model: ModelSpec
    fit: FitSpec = field(default_factory=FitSpec)
    seed: int = 0
    limit: int | None = None
    companions: tuple[str, ...] = ("uniform",)
    """Models trained beside it, each as the text of a part such as ``uniform`` or
    ``seed(by=1)``."""
    measures: tuple[str, ...] = field(default=(), metadata=LATER)
    altered: str = field(default="", metadata=LATER)
    gradient: Reduction = field(default="input", metadata=LATER)

    def __post_init__(self) -> None:
        """Refuse what cannot be built, measured or shown; measures have one order, so equal runs
        have equal names.
        """
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
        if self.model.source.name != "learned" and {*PIECES} - {"attention"} <= {*self.fit.fixed}:
            message = (
                f"nothing is left to train: attention is {self.model.source}, and the rest is fixed"
            )
            raise SpecError(message, field="fit.fixed")
        for name in ("guide", "adversary"):
            if getattr(self.fit, name) and self.model.source.name != "learned":
                what = "guides" if name == "guide" else "moves"
                raise SpecError(
                    f"nothing {what} attention that is {self.model.source}", field=f"fit.{name}"
                )

    def _check_adversary(self) -> None:
        """Refuse a divergence that would be infinite wherever the base has a weight of zero."""
        projection = self.model.projection.name
        if self.fit.adversary == "kl" and projection not in ("softmax", "gumbel"):
            message = f"weights of {projection} may be zero, and KL is infinite there; take jsd"
            raise SpecError(message, field="fit.adversary")

    def _check_labels(self) -> None:
        """Refuse of a model with several labels what needs one attention for a text."""
        asked = {"fit.guide": self.fit.guide, "fit.adversary": self.fit.adversary}
        for name, value in (asked | {"altered": self.altered}).items():
            if self.model.labelwise and value:
                raise SpecError(
                    f"{value} needs one attention for each text, and labelwise has one for each "
                    "label; leave one of them out",
                    field=name,
                )

    def to_json(self) -> dict[str, Any]:
        """Give the run as plain JSON values, with the version of their meaning."""
        return {"meaning": MEANING, **fields_of(self, written)}


def in_order(measures: Iterable[str]) -> tuple[str, ...]:
    """Put measures into their one order, in which equal runs have equal names; those that nobody
    knows come last.

    >>> in_order(["erasure", "need"])
    ('need', 'erasure')
    """
    order = [*MEASURES]
    return tuple(
        sorted(measures, key=lambda name: order.index(name) if name in order else len(order))
    )


def check_altered(text: str) -> Part:
    """Read how a trained model is changed before its audit; what nobody can change is an error."""
    try:
        part = parse_part(text)
    except SpecError as error:
        raise SpecError(error.message, field="altered") from None
    chosen("altered", part)
    return part


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""What nearly all fields hold, and needs no look inside."""


def written(value: Any) -> Any:
    """Give a spec as `dataclasses.asdict` does, without its deep copies: a study names its cells by
    the thousand.
    """
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return tuple(map(written, value))
    return value if later_fields(kind) is None else fields_of(value, written)


def fields_of(spec: Any, write: Callable[[Any], Any]) -> dict[str, Any]:
    """Give the fields of a spec, each as ``write`` makes it, without those that say nothing new."""
    kind: Any = type(spec)
    unsaid = later_fields(kind) or {}
    return {
        name: write(inside)
        for name, inside in vars(spec).items()
        if name not in unsaid or inside != unsaid[name]
    }
