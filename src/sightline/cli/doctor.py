"""``sightline doctor``: check that this installation works."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from sightline.api.compute_resources import named_threads, prepare
from sightline.cli import flags
from sightline.cli.exit_codes import UNFIT
from sightline.cli.output import emit, print_lines
from sightline.cli.process import packages
from sightline.report.column_layout import aligned


@dataclass(frozen=True)
class Check:
    """One check: what was found, and whether it is good enough."""

    name: str
    found: str
    ok: bool


def doctor(as_json: flags.Json = False) -> None:
    """Check versions, processor and folders, and audit a tiny model in memory; exits with 0 if all
    is well.
    """
    checks = [_looked(name, look) for name, look in LOOKS.items()]
    fit = all(check.ok for check in checks)
    if as_json:
        emit({"ok": fit, "checks": [asdict(check) for check in checks]})
    else:
        print_lines(
            aligned([("ok" if check.ok else "FAILED", check.name, check.found) for check in checks])
        )
    if not fit:
        raise typer.Exit(UNFIT)


def _looked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, look(), True)
    except Exception as error:  # the doctor reports any error
        return Check(name, f"{type(error).__name__}: {error}", False)


def _python() -> str:
    return f"{platform.python_version()} on {platform.platform()}"


def _torch() -> str:
    import torch  # noqa: PLC0415  (the doctor reports a failed import)

    cuda = f"CUDA with {torch.cuda.get_device_name()}" if torch.cuda.is_available() else "no CUDA"
    return f"{cuda}, {torch.get_num_threads()} threads"


def _threads() -> str:
    """Return the number of threads of a command without --threads."""
    import torch  # noqa: PLC0415  (torch)

    before = torch.get_num_threads()
    try:
        prepare("cpu", None)
        return (
            f"{torch.get_num_threads()}, by "
            f"{'OMP_NUM_THREADS' if named_threads() else 'trying it for a moment'}"
        )
    finally:
        torch.set_num_threads(before)


def _device() -> str:
    from sightline.api.compute_resources import pick_device  # noqa: PLC0415  (as late as it is needed)

    return pick_device("auto")


def _temporary() -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "written").write_text("x", encoding="utf-8")
        return str(Path(folder).parent)


def _audit() -> str:
    from sightline.api.check import check_installation  # noqa: PLC0415  (as late as it is needed)

    return check_installation()


LOOKS = {
    "python": _python,
    "packages": packages,
    "torch": _torch,
    "--device auto": _device,
    "threads without --threads": _threads,
    "temporary folder": _temporary,
    "a tiny audit": _audit,
}
