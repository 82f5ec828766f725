"""A driver for the leak tests: opens the backend named in argv, starts a run that fights back.

Prints one line when the run is going, then waits for a line on standard input and closes.
"""

import sys
from pathlib import Path

from posttrain.core.task import Limits
from posttrain.sandbox.backends import open_namespace, open_sandbox
from posttrain.sandbox.protocol import ExecSpec, Program

STUBBORN = b"""
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
open("left", "w").write("x" * 1000)
print("going", flush=True)
time.sleep(600)
"""

name, program = sys.argv[1:]
watched = name == "watchdog"
sandbox = open_namespace(use_cgroups=False) if watched else open_sandbox(name, unsafe=True, slots=2)
sandbox.prepare([Program(name="run_code", path=Path(program))])
quick = sandbox.run(ExecSpec(limits=Limits(), program="run_code", payload=b"print(1)"))
assert quick.stdout == b"1\n", quick
process = sandbox.start(
    ExecSpec(limits=Limits(wall_s=600, idle_s=None), program="run_code", payload=STUBBORN)
)
print("started", flush=True)
sys.stdin.readline()
sandbox.close()
print(process.wait().outcome, flush=True)
