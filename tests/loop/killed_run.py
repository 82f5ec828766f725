"""A real run of a tiny model that kills its own process; started by ``test_kill.py``.

``killed_run.py RUN_FILE KIND STEP DELAY_S`` trains, or resumes if the run is there, and sends
itself SIGKILL, DELAY_S after the first event of that kind and step. KIND ``none`` never does.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from posttrain.config.load import load_run_config
from posttrain.loop.assemble import resume, train
from posttrain.store.events import Event


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(run_file: Path, kind: str, step: int, delay_s: float) -> None:
    """Drive the run until it ends or is killed."""

    def listener(event: Event) -> None:
        stage = event.fields.get("stage", "")
        if f"{event.kind}{stage and ':'}{stage}" == kind and event.fields.get("step") == step:
            if delay_s == 0.0:
                _kill()
            threading.Timer(delay_s, _kill).start()

    config = load_run_config(run_file, ())
    path = config.run.root / config.run.name
    if path.exists():
        resume(path, listeners=[listener])
    else:
        train(config, listeners=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
