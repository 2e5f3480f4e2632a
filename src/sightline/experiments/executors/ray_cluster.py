"""Runs on the nodes of a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import uuid4

from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.core.errors import SightlineError
from sightline.core.installation import bit_versions
from sightline.experiments.executors.executor import RemoteRuns, RunOutcome, appeared
from sightline.experiments.executors.ray_connection import RunReply, join_cluster, received
from sightline.experiments.executors.ray_node import (
    NodeReply,
    Order,
    mark_file,
    needed,
    store_folders,
)
from sightline.experiments.store import Store, refused_by_the_disk

AHEAD = 2
"""Runs submitted for each processor of the cluster: enough to keep it busy, and to show an
autoscaling cluster that it should grow."""


@dataclass(frozen=True)
class Cluster:
    """Executes runs on a Ray cluster, with one processor and one torch thread each (`join_cluster` says
    on which).

    This process holds the claims, so no lock has to work between machines.
    """

    address: str = ""

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Execute the runs; runs still on the cluster are cancelled, however this ends."""
        if not specs:
            return
        with (
            join_cluster(self.address) as (found, pipe),
            _marked(store) as mark,
            ExitStack() as claims,
        ):
            board = _Board(
                deque(specs), store, again, mark=mark, pipe=pipe, processors=found.processors
            )
            claims.callback(board.close)
            while board.left or board.flying:
                yield from board.fill()
                if board.flying and (done := board.hear(received(pipe))):
                    yield done

    def processors(self) -> int:
        """Join the cluster for a moment and count its processors."""
        with join_cluster(self.address) as (found, _):
            return max(1, found.processors)


@contextmanager
def _marked(store: Store) -> Iterator[str]:
    """Put a file in a store by which a node recognises it; a folder of the same name elsewhere
    lacks the file.

    A node compares its content, so half of it is as good as none.
    """
    mark = uuid4().hex
    file = mark_file(store.root, mark)
    with refused_by_the_disk(store):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(mark, encoding="ascii")
    try:
        yield mark
    finally:
        with suppress(OSError):
            file.unlink()


@dataclass
class _Board(RemoteRuns):
    """Runs that wait, submitted runs, and what is known of the nodes."""

    mark: str = field(kw_only=True)
    pipe: Connection = field(kw_only=True)
    processors: int = field(kw_only=True)
    known: set[str] = field(default_factory=set)
    blind: bool = False
    """Whether some node does not see the store, so that runs are sent with the files that they
    need."""

    def fill(self) -> Iterator[RunOutcome]:
        """Submit as many runs as the cluster can use."""
        return self.send(AHEAD * max(1, self.processors), self._order)

    def _order(self, spec: RunSpec) -> None:
        root = str(self.store.root.absolute())
        sent = needed(spec, self.store) if self.blind else None
        order = Order(spec, run_key(spec), str(Path.cwd()), root, self.mark, bit_versions(), sent)
        with suppress(OSError):  # the process may have ended: `received` reports that
            self.pipe.send(order)

    def hear(self, heard: RunReply) -> RunOutcome | None:
        """Record how a run ended, then release its claim; None if it is sent once more."""
        spec, _, claim = self.flying.pop(heard.key)
        self.processors = heard.processors
        with claim:
            answer = heard.answer
            if answer is None:
                return self.killed(spec, f"its worker was killed ({heard.description})")
            if answer.ending == "unfit":
                raise SightlineError(answer.description)
            if answer.ending == "blind":
                self.blind = True
                self.left.appendleft(spec)
                return None
            return self._kept(spec, answer)

    def _kept(self, spec: RunSpec, answer: NodeReply) -> RunOutcome:
        """Put what was sent in the store, and check that it is complete."""
        if answer.made is None:
            description = self._new(f"{answer.node} writes to the store itself")
        else:
            description = self._new(
                f"{answer.node} does not see the store, and sends what it makes"
            )
            with refused_by_the_disk(self.store):
                store_folders(answer.made, spec, self.store)
        return RunOutcome(spec, appeared(spec, self.store, answer.node), description)

    def _new(self, description: str) -> str:
        """Return a sentence the first time only: many runs repeat the same about a node."""
        if description in self.known:
            return ""
        self.known.add(description)
        return description
