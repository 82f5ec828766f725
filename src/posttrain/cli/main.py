"""The command ``posttrain``: find the verb, run it, turn its end into an exit code.

    0    done; failed verdicts are a result, not an error
    1    a bug: traceback, and where the run is
    2    wrong usage or input: one line
    3    a prerequisite is missing: one line with the mend
    4    finished, but too many errors, an outcome that is not ok, or a store that cannot be written
    130  interrupted: the resume command is printed

A verb's module, and with it everything that it needs, is imported when the verb is used; that
keeps ``posttrain --help`` quick.
"""

import difflib
import errno
import logging
import os
import sys
from collections.abc import Callable, Sequence

from cyclopts import App, CycloptsError

import posttrain
from posttrain.cli.output import complain
from posttrain.core.errors import PosttrainError

__all__ = ["VERBS", "build_app", "exit_code_of", "main"]

VERBS = {
    "doctor": "What this machine can enforce and run, and what mends what is missing.",
    "tasks": "Import, list, show and count tasks.",
    "grade": "Judge given solutions: verdict and reward.",
    "rollout": "Sample attempts and judge them, without training.",
    "train": "Evaluate, train by reinforcement learning, evaluate, report.",
    "resume": "Continue a run that was interrupted or killed.",
    "eval": "Evaluate policies on both tracks.",
    "runs": "List runs, or show one.",
    "replay": "Judge a stored rollout again.",
    "sandbox": "Use the sandbox alone.",
    "config": "Show the resolved configuration, or the schema of a file.",
}
"""Every verb with its one line of help; ``posttrain.cli.<verb>`` holds it as ``app``."""

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def build_app() -> App:
    """The command with all its verbs, none of them loaded."""
    app = App(
        name="posttrain",
        help="Post-train language models by reinforcement learning in executable environments.",
        help_epilogue="Start with: posttrain doctor, then posttrain train examples/demo.toml",
        help_format="plaintext",
        version=posttrain.__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for sort_key, (name, text) in enumerate(VERBS.items()):
        app.command(f"posttrain.cli.{name}:app", name=name, help=text, sort_key=sort_key)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a bug leaves as the exception that it is."""
    _open_closed_streams()
    if arguments is None:
        _show_notices()
    tokens = sys.argv[1:] if arguments is None else list(arguments)
    if tokens and not tokens[0].startswith("-") and tokens[0] not in VERBS:
        return _unknown_verb(tokens[0])
    return exit_code_of(lambda: build_app()(tokens, exit_on_error=False, print_error=False))


def exit_code_of(command: Callable[[], int | None]) -> int:
    """Call ``command`` and turn its end into an exit code, with one line for what went wrong."""
    try:
        return command() or 0
    except CycloptsError as error:
        complain(f"{error} See: posttrain --help")
        return 2
    except PosttrainError as error:
        if error.exit_code == 1:
            raise
        complain(str(error))
        return error.exit_code
    except KeyboardInterrupt as interrupt:
        complain(str(interrupt) or "interrupted")
        return 130
    except OSError as error:
        return _end_of_disk_or_pipe(error)


def _open_closed_streams() -> None:
    """Give a command that was started with a closed output one that takes and drops everything."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - open until the end


def _show_notices() -> None:
    """Print on standard error what rooms have to say about long work, as converting a model."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("posttrain: %(message)s"))
    notices = logging.getLogger("posttrain")
    notices.addHandler(handler)
    notices.setLevel(logging.INFO)


def _unknown_verb(given: str) -> int:
    """Answer without loading every verb, which a lookup in ``build_app()`` would do."""
    near = difflib.get_close_matches(given, VERBS, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    complain(f"no command {given!r}; {hint}allowed: {', '.join(VERBS)}")
    return 2


def _end_of_disk_or_pipe(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):
        # The reader left; without this the interpreter would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if error.errno in _NO_SPACE:
        complain(f"{error.filename or 'the disk'} is full; free some space and resume")
        return 4
    raise error
