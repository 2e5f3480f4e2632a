"""The kinds of cases, by name, and how many of a hundred are of each."""

from tests.fuzz.case import Drawn
from tests.fuzz.kinds import (
    archives,
    flags,
    models,
    paths,
    queries,
    saved,
    specs,
    streams,
    studies,
    tables,
)

KINDS: dict[str, tuple[Drawn, int]] = {
    "tables": (tables.table, 11),
    "scores": (tables.scores, 4),
    "word vectors": (tables.vectors, 6),
    "paths read": (paths.read, 9),
    "paths written": (paths.written, 7),
    "study files": (studies.study, 7),
    "specs of data": (specs.data, 7),
    "specs of models": (specs.model, 7),
    "flags": (flags.flag, 7),
    "saved files": (saved.saved, 8),
    "models of transformers": (models.transformers, 8),
    "models of one's own": (models.own_code, 4),
    "packed files": (archives.packed, 3),
    "archives": (archives.archive, 4),
    "stdout": (streams.stream, 3),
    "queries": (queries.query, 5),
}
