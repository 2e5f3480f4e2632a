"""The way in: where a part of the installation is missing, that is said in a line or by the doctor,
with no traceback.

At the top stand the standard library and modules of ours that need nothing else.
"""

import json
import sys
from importlib.metadata import PackageNotFoundError

from sightline.cli.exit_codes import UNFIT, WRONG_INPUT
from sightline.cli.process import packages
from sightline.core.installation import AGAIN


def main() -> None:
    """Run what the shell asked for; if that cannot even be imported, say why. Signals are heard
    from the start.
    """
    from sightline.cli.signals import STOPS, heed_stops, leave, say_stopped  # noqa: PLC0415  (nothing at the top)

    heed_stops()
    try:
        _run()
    except STOPS:  # while it was imported
        leave(say_stopped())


def _run() -> None:
    from sightline.cli.signals import leave, say_stopped, stop_code  # noqa: PLC0415  (nothing at the top)

    try:
        from sightline.cli.app import main as run  # noqa: PLC0415  (what may be missing)
    except ImportError as error:
        if stop_code():  # a stop may have been made into one
            leave(say_stopped())
        sys.exit(_unfit(error, sys.argv[1:]))
    run()


def _unfit(error: ImportError, asked: list[str]) -> int:
    if asked[:1] == ["doctor"]:
        return _diagnosed(error, as_json="--json" in asked)
    print(f"error: {error}; {AGAIN}", file=sys.stderr)
    return WRONG_INPUT


def _diagnosed(error: ImportError, *, as_json: bool) -> int:
    """Say what the doctor would have said, as far as it comes without what is missing."""
    try:
        found = packages()
    except PackageNotFoundError as missing:
        found = f"{missing.name} is not installed"
    checks = [("packages", found), ("sightline", f"cannot be imported: {error}; {AGAIN}")]
    if as_json:
        rows = [{"name": name, "found": outcome, "ok": False} for name, outcome in checks]
        print(json.dumps({"ok": False, "checks": rows}, indent=1))
    else:
        print("\n".join(f"FAILED  {name}  {outcome}" for name, outcome in checks))
    return UNFIT
