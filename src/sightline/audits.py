"""An audit as people hold it: its results, and what they do with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sightline.report.page.render import in_notebook, write_page
from sightline.results import Results
from sightline.saving import load_results, save_results


@dataclass(frozen=True)
class Audit(Results):
    """Everything one audit found; draw it, show it, save it, load it."""

    def to_html(self, path: str | Path, *, texts: bool = True, ids: bool = True) -> Path:
        """Write the audit as one self-contained HTML page; without its texts, or with texts that are only numbered."""
        return write_page(self, path, texts, ids)

    def save(self, folder: str | Path) -> Path:
        """Write the audit to a folder, all of it or nothing; `load` reads it back."""
        return save_results(self, folder)

    @staticmethod
    def load(folder: str | Path) -> Audit:
        """Read an audit that `save` wrote."""
        return Audit(**vars(load_results(folder)))

    def _repr_html_(self) -> str:
        """Show verdict and findings where the audit is the last line of a notebook's cell."""
        return in_notebook(self)
