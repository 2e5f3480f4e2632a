"""A stop is heard wherever it comes: in code whose exceptions Python drops, in an import, within
one long step.
"""

import random
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import write_table
from tests.sampling import slow_but

SIGNALS = {signal.SIGTERM: (143, "terminated"), signal.SIGINT: (130, "interrupted")}
SCRIPT = """
import gc, hashlib, os, signal, sys, threading, time, weakref
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in its background deaf to it
NUMBER = signal.Signals[sys.argv[1]]
def send(*_):
    os.kill(os.getpid(), NUMBER)
    for _ in range(5):  # steps between which Python calls the handler
        time.sleep(0.01)
class Gone:
    def __del__(self):
        send()
class Held: pass
class Finder:
    def find_spec(self, name, *_):
        if name == LATE:
            sys.meta_path.remove(self)
            send()
LATE = ""
{first}
sys.argv = "sightline {command}".split()
from sightline.cli import entry_point as door
def work(*_, **__):
    {work}
    for _ in range(400):  # four seconds, after which nobody has heard it
        time.sleep(0.01)
if not LATE:
    import sightline.cli.signals as stopping, sightline.data.load_dataset as loading
    stopping.GRACE = 0.3
    loading.load = work
door.main()
"""
LOST = {
    "nowhere": "send()",
    "in a destructor": "Gone()",
    "in the callback of a weak reference": "one = Held(); kept = weakref.ref(one, send); del one",
    "in a callback of the collector": (
        "gc.callbacks.append(send); gc.collect(); gc.callbacks.remove(send)"
    ),
    "by who catches everything": """
    try:
        send()
    except BaseException:
        pass""",
    "by who makes it another error": """
    try:
        send()
    except BaseException as error:
        raise ValueError("no such thing") from None""",
    "by who ends the command as done": """
    import typer
    try:
        send()
    except BaseException:
        raise typer.Exit(0) from None""",
    "twice": "Gone(); Gone()",
}
DEAF = {
    "in one long step": "hashlib.pbkdf2_hmac('sha256', b'x', b'y', 10**9)",
    "by who catches everything, always": """
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass""",
}


def run(
    number: int,
    first: str = "",
    work: str = "pass",
    signals: int = 0,
    command: str = "check-data --data x.csv",
) -> tuple[int, str]:
    """Run a command that does some ``work``, send it signals where it does not do so itself, and
    say how it ended.
    """
    code = SCRIPT.format(first=first, work=work, command=command)
    called = [sys.executable, "-c", code, signal.Signals(number).name]
    with subprocess.Popen(
        called, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(signals):
            process.stdout.readline()
            time.sleep(0.3)
            process.send_signal(number)
        said = process.communicate(timeout=120)[1]
    return process.returncode, said


@pytest.mark.parametrize(("where", "number"), slow_but({0, 3, 4}, [*product(LOST, SIGNALS)]))
def test_a_stop_that_is_lost_is_raised_again(number: int, where: str) -> None:
    code, word = SIGNALS[number]
    assert run(number, work=LOST[where]) == (code, f"error: {word}; nothing is half-written\n")


@pytest.mark.parametrize("number", SIGNALS, ids=["SIGTERM", "Ctrl-C"])
@pytest.mark.parametrize(
    "module", ["sightline.cli.app", "typer", "sightline.cli.progress", "torch"]
)
def test_a_stop_is_heard_while_the_command_is_imported(number: int, module: str) -> None:
    first = f"LATE = {module!r}; sys.meta_path.insert(0, Finder())"
    code, word = SIGNALS[number]
    assert run(number, first, command="doctor") == (
        code,
        f"error: {word}; nothing is half-written\n",
    )


@pytest.mark.parametrize("number", SIGNALS, ids=["SIGTERM", "Ctrl-C"])
def test_a_stop_waits_until_torch_is_imported(number: int) -> None:
    # Its C++ parts call Python; some of them abort the process when that raises an exception.
    code = f"""
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in its background deaf to it
from sightline.cli.signals import STOPS, heed_stops, stopped
class Finder:
    def find_spec(self, name, *_):
        if name == "torch._opaque_base":  # torch/_C, being made, asks for it
            os.kill(os.getpid(), {int(number)})
            time.sleep(0.3)  # longer than until the stop is raised again
sys.meta_path.insert(0, Finder())
heed_stops()
try:
    import torch
    time.sleep(5)
except STOPS:
    print(sys.modules["torch"].__spec__._initializing, sys.modules["torch"].ones(2).sum().item())
sys.exit(stopped())
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (SIGNALS[number][0], "False 2.0\n"), ended.stderr


@pytest.mark.parametrize(("where", "number"), slow_but({0, 3}, [*product(DEAF, SIGNALS)]))
def test_a_second_signal_ends_what_the_first_did_not(number: int, where: str) -> None:
    work = f"print('one\\ntwo', flush=True)\n    {DEAF[where]}"
    code, word = run(number, work=work, signals=2)
    assert (code, word.count("\n"), word[:7]) == (SIGNALS[number][0], 1, "error: ")


@pytest.mark.slow
def test_an_audit_is_stopped_at_any_moment(tmp_path: Path) -> None:
    data = write_table(tmp_path / "t.csv")
    command = [
        sys.executable,
        "-m",
        "sightline",
        "audit",
        "--data",
        str(data),
        "--model",
        "mlp(hidden=4)",
        "--epochs",
        "2",
    ]
    drawn = random.Random(7)
    began = time.monotonic()
    subprocess.run([*command, "--out", "whole.html"], cwd=tmp_path, capture_output=True, check=True)
    whole = time.monotonic() - began
    for number in range(6):
        with subprocess.Popen(
            [*command, "--out", f"r{number}.html"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:  # fmt: skip
            time.sleep(0.3 + drawn.random() * whole)
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=60)[1]
        ended = process.returncode
        # One that has ended, or has not begun to listen, is no longer, or not yet, ours.
        assert ended in (143, 0, -signal.SIGTERM), said
        assert "Traceback" not in said
        assert "Exception ignored" not in said
        assert (tmp_path / f"r{number}.html").exists() or ended != 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
