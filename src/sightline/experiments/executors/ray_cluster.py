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
from sightline.experiments.executors.executor import KillCounts, RunOutcome, appeared
from sightline.experiments.executors.ray_connection import RunReply, join_cluster, received
from sightline.experiments.executors.ray_node import (
    NodeReply,
    Order,
    mark_file,
    needed,
    store_folders,
    versions,
)
from sightline.experiments.run_guard import refused_by_the_disk, should_run
from sightline.experiments.store import Store

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
            board = _Board(deque(specs), store, mark, again, pipe, found.processors)
            claims.callback(board.close)
            while board.left or board.flying:
                yield from board.send()
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
class _Board:
    """Runs that wait, submitted runs with their claims, and what is known of the nodes."""

    left: deque[RunSpec]
    store: Store
    mark: str
    again: bool
    pipe: Connection
    processors: int
    flying: dict[str, tuple[RunSpec, ExitStack]] = field(default_factory=dict)
    tries: KillCounts = field(default_factory=KillCounts)
    known: set[str] = field(default_factory=set)
    blind: bool = False
    """Whether some node does not see the store, so that runs are sent with the files that they
    need."""

    def close(self) -> None:
        """Release every claim."""
        for _, claim in self.flying.values():
            claim.close()

    def send(self) -> Iterator[RunOutcome]:
        """Submit as many runs as the cluster can use; report runs that other processes have, or
        had.
        """
        while self.left and len(self.flying) < AHEAD * max(1, self.processors):
            spec = self.left.popleft()
            with ExitStack() as claim:
                mine = claim.enter_context(self.store.claim_run(run_key(spec)))
                state = self.store.state(run_key(spec))
                if mine and should_run(state, again=self.again):
                    self._order(spec, claim.pop_all())
                    continue
            yield RunOutcome(spec, state)

    def _order(self, spec: RunSpec, claim: ExitStack) -> None:
        key, root = run_key(spec), str(self.store.root.absolute())
        self.flying[key] = spec, claim
        sent = needed(spec, self.store) if self.blind else None
        with suppress(OSError):  # the process may have ended: `received` reports that
            self.pipe.send(Order(spec, key, str(Path.cwd()), root, self.mark, versions(), sent))

    def hear(self, heard: RunReply) -> RunOutcome | None:
        """Record how a run ended, then release its claim; None if it is sent once more."""
        spec, claim = self.flying.pop(heard.key)
        self.processors = heard.processors
        with claim:
            answer = heard.answer
            if answer is None:
                return self._killed(spec, f"its worker was killed ({heard.description})")
            if answer.ending == "unfit":
                raise SightlineError(answer.description)
            if answer.ending == "blind":
                self.blind = True
                self.left.appendleft(spec)
                return None
            return self._kept(spec, answer)

    def _killed(self, spec: RunSpec, description: str) -> RunOutcome:
        done = self.tries.killed(spec, description, self.store)
        if done.ending == "killed":
            self.left.append(spec)
        return done

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
