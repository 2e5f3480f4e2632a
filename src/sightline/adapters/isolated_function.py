"""A function in its own process, so that a crash becomes an error of the audit."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from sightline.core.errors import ModelError


class IsolatedFunction:
    """Calls a function of a module in another process, which starts at the first call and after a
    crash.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self._pool: ProcessPoolExecutor | None = None
        try:
            pickle.dumps(function)
        except Exception as error:
            raise ModelError(
                f"{self.__name__}: cannot be sent to a process of its own: {error}",
                change="write it as a function of a module, or leave isolated out",
            ) from error

    def __call__(self, *arguments: Any) -> Any:
        """Call the function in its process, and give its result."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        try:
            return self._pool.submit(self.function, *arguments).result()
        except BrokenProcessPool as error:
            self._pool = None
            raise ModelError(
                f"{self.__name__}: its process ended before it answered",
                change="run the function by itself on the same texts to see why",
            ) from error
