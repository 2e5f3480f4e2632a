"""Cells on the nodes of a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import uuid4

from sightline._io.atomic_write import write_bytes
from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.core.errors import SightlineError
from sightline.experiments.executors.executor import RunOutcome, Tries, appeared
from sightline.experiments.executors.ray_connection import Heard, joined, received
from sightline.experiments.executors.ray_node import (
    NodeReply,
    Order,
    mark_file,
    needed,
    take,
    versions,
)
from sightline.experiments.run_guard import refused_by_the_disk, wanted
from sightline.experiments.store import Store

AHEAD = 2
"""Cells with the cluster for each of its processors: none waits for us, and one that can grow sees
that it should."""


@dataclass(frozen=True)
class Cluster:
    """Cells on a Ray cluster, a processor and one torch thread each (`joined` says on which).

    This process holds the claims, so that no lock need reach from machine to machine.
    """

    address: str = ""

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Run the cells; on leaving, however that comes, those that run elsewhere are cancelled."""
        if not specs:
            return
        with joined(self.address) as (found, pipe), _marked(store) as mark, ExitStack() as claims:
            board = _Board(deque(specs), store, mark, again, pipe, found.processors)
            claims.callback(board.close)
            while board.left or board.flying:
                yield from board.send()
                if board.flying and (done := board.hear(received(pipe))):
                    yield done

    def processors(self) -> int:
        """Count the processors of the cluster, joining it for a moment."""
        with joined(self.address) as (found, _):
            return max(1, found.processors)


@contextmanager
def _marked(store: Store) -> Iterator[str]:
    """Put a file in a store by which a node knows that it sees this one, and no other of its
    name.
    """
    mark = uuid4().hex
    file = mark_file(store.root, mark)
    with refused_by_the_disk(store):
        write_bytes(file, mark.encode())
    try:
        yield mark
    finally:
        with suppress(OSError):
            file.unlink()


@dataclass
class _Board:
    """Cells that wait, those that are with the cluster with the claims on them, and what is known
    of its nodes.
    """

    left: deque[RunSpec]
    store: Store
    mark: str
    again: bool
    pipe: Connection
    processors: int
    flying: dict[str, tuple[RunSpec, ExitStack]] = field(default_factory=dict)
    tries: Tries = field(default_factory=Tries)
    known: set[str] = field(default_factory=set)
    blind: bool = False
    """Whether some node does not see the store, so that cells are sent with what they need of
    it."""

    def close(self) -> None:
        """Let go of every claim: nobody is at these cells any more."""
        for _, claim in self.flying.values():
            claim.close()

    def send(self) -> Iterator[RunOutcome]:
        """Hand out cells as far as the cluster has use for them; tell those that others have, or
        had.
        """
        while self.left and len(self.flying) < AHEAD * max(1, self.processors):
            spec = self.left.popleft()
            with ExitStack() as claim:
                mine = claim.enter_context(self.store.claim_run(run_key(spec)))
                state = self.store.state(run_key(spec))
                if mine and wanted(state, again=self.again):
                    self._order(spec, claim.pop_all())
                    continue
            yield RunOutcome(spec, state)

    def _order(self, spec: RunSpec, claim: ExitStack) -> None:
        key, root = run_key(spec), str(self.store.root.absolute())
        self.flying[key] = spec, claim
        sent = needed(spec, self.store) if self.blind else None
        with suppress(OSError):  # nobody is there any more: who listens is told
            self.pipe.send(Order(spec, key, str(Path.cwd()), root, self.mark, versions(), sent))

    def hear(self, heard: Heard) -> RunOutcome | None:
        """Take what became of a cell, of which only now the claim is let go; None where it is sent
        once more.
        """
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
        if (state := self.store.state(run_key(spec))) == "done":  # it was, before it could say so
            return RunOutcome(spec, state)
        done = self.tries.killed(spec, description, self.store)
        if done.ending == "killed":
            self.left.append(spec)
        return done

    def _kept(self, spec: RunSpec, answer: NodeReply) -> RunOutcome:
        """Put in the store what was sent, and look that all is there."""
        if answer.made is None:
            description = self._new(f"{answer.node} writes to the store itself")
        else:
            description = self._new(
                f"{answer.node} does not see the store, and sends what it makes"
            )
            with refused_by_the_disk(self.store):
                take(answer.made, spec, self.store)
        return RunOutcome(spec, appeared(spec, self.store, answer.node), description)

    def _new(self, description: str) -> str:
        """Give a sentence the first time only: many cells say the same of a node."""
        if description in self.known:
            return ""
        self.known.add(description)
        return description
