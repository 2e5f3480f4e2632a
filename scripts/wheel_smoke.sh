#!/usr/bin/env bash
# Install a wheel bare (core dependencies only) and audit with it, from a folder in which there is nothing else.
#   scripts/wheel_smoke.sh dist/sightline_audit-0.1.0-py3-none-any.whl
set -euo pipefail

wheel=$(realpath "$1")
constraints=$(realpath "$(dirname "$0")/../constraints.txt")
python=$(realpath --no-symlinks "${PYTHON:-$(command -v python3)}")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

"$python" -m venv "$room/venv"
if [ -n "${TORCH_INDEX:-}" ]; then
    "$room/venv/bin/python" -m pip install --quiet --no-deps --constraint "$constraints" --index-url "$TORCH_INDEX" torch
fi
"$room/venv/bin/python" -m pip install --quiet --constraint "$constraints" "$wheel"
"$room/venv/bin/python" -m pip check

mkdir "$room/empty"
cd "$room/empty"
unset PYTHONPATH
"$room/venv/bin/sightline" --help
"$room/venv/bin/sightline" audit --data 'planted:needle(n=300,length=12)' --model mlp+additive --epochs 3 --out report.html
test -s report.html
"$room/venv/bin/sightline" demo --quiet
"$room/venv/bin/python" - <<'PYTHON'
import json, sys

first, second = (json.load(open(f"sightline-demo/model-{i}/audit/audit.json"))["verdict"] for i in (1, 2))
sound = first in ("can be shown", "can be shown with caveats") and second == "must not be shown"
sys.exit(0 if sound else f"the demo's verdicts are {first!r} and {second!r}")
PYTHON
echo "wheel smoke: $(basename "$wheel") installed bare, $(wc -c < report.html) bytes of report"
