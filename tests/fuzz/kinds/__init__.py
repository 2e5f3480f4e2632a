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
    "tables": (tables.table, 9),
    "scores": (tables.scores, 4),
    "word vectors": (tables.vectors, 6),
    "paths read": (paths.read, 8),
    "paths written": (paths.written, 6),
    "study files": (studies.study, 7),
    "specs of data": (specs.data, 6),
    "specs of models": (specs.model, 6),
    "flags": (flags.flag, 6),
    "saved files": (saved.saved, 8),
    "models of transformers": (models.transformers, 7),
    "models of one's own": (models.own_code, 4),
    "prompts": (models.prompted, 5),
    "functions": (models.answering, 3),
    "packed files": (archives.packed, 3),
    "archives": (archives.archive, 4),
    "stdout": (streams.stream, 3),
    "queries": (queries.query, 5),
}
