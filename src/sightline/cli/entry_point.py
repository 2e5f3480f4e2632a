"""The entry point: a missing package is reported in one line or by the doctor, without a traceback.

At the top, only the standard library and modules of ours that need nothing else are imported.
"""

import json
import sys
from importlib.metadata import PackageNotFoundError

from sightline.cli.exit_codes import UNFIT, WRONG_INPUT
from sightline.cli.process import packages
from sightline.core.installation import AGAIN


def main() -> None:
    """Run the shell's command; if the import fails, say why. Signals are handled from the start."""
    from sightline.cli.signals import STOPS, heed_stops, leave, say_stopped  # noqa: PLC0415  (nothing at the top)

    heed_stops()
    try:
        _run()
    except STOPS:  # stopped during the imports
        leave(say_stopped())


def _run() -> None:
    from sightline.cli.signals import leave, say_stopped, stop_code  # noqa: PLC0415  (nothing at the top)

    try:
        from sightline.cli.app import main as run  # noqa: PLC0415  (what may be missing)
    except ImportError as error:
        if stop_code():  # a stop may have been turned into an ImportError
            leave(say_stopped())
        sys.exit(_unfit(error, sys.argv[1:]))
    run()


def _unfit(error: ImportError, asked: list[str]) -> int:
    if asked[:1] == ["doctor"]:
        return _diagnosed(error, as_json="--json" in asked)
    print(f"error: {error}; {AGAIN}", file=sys.stderr)
    return WRONG_INPUT


def _diagnosed(error: ImportError, *, as_json: bool) -> int:
    """Report what the doctor would, as far as possible without the missing package."""
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
