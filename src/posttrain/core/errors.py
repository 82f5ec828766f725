"""Every error that posttrain raises on purpose.

    PosttrainError
    ├── UserError                 the caller's mistake: one line, exit code 2
    │   ├── ConfigError           (ValueError)  a run file or flag
    │   ├── TaskFormatError       (ValueError)  tasks.jsonl, solutions.jsonl, an import source
    │   └── NotFoundError         (LookupError) a run, task, rollout, model folder, file
    ├── PrerequisiteError         (RuntimeError) the machine lacks a required part: exit code 3
    │   └── LimitUnsupportedError a limit was asked for that the backend cannot enforce
    ├── StoreError                (OSError)      run directory, ledger, event log: exit code 4
    ├── SandboxError              (RuntimeError) our sandbox failed, not the candidate
    ├── VerifierError             (RuntimeError) a verifier could not judge
    └── PolicyError               (RuntimeError) a sampler or learner failed

A candidate's failure is never one of these: it is data (``ExecResult``, ``Verdict``).
Each message says what was given, what is allowed, and what to do next, in one line.
"""

__all__ = [
    "ConfigError",
    "LimitUnsupportedError",
    "NotFoundError",
    "PolicyError",
    "PosttrainError",
    "PrerequisiteError",
    "SandboxError",
    "StoreError",
    "TaskFormatError",
    "UserError",
    "VerifierError",
]


class PosttrainError(Exception):
    """Root of the tree; ``exit_code`` is what the command line returns for it."""

    exit_code = 1


class UserError(PosttrainError):
    """Something that the caller gave is wrong; nothing was changed."""

    exit_code = 2


class ConfigError(UserError, ValueError):
    """A run file, a ``--set`` override or a flag has a bad key or value."""


class TaskFormatError(UserError, ValueError):
    """A task, a solution or an import source does not have the stated form."""


class NotFoundError(UserError, LookupError):
    """A named run, task, rollout, model folder or file does not exist."""


class PrerequisiteError(PosttrainError, RuntimeError):
    """The machine lacks something that the command needs; the message names the mend."""

    exit_code = 3


class LimitUnsupportedError(PrerequisiteError):
    """A limit was requested that the sandbox backend cannot enforce; nothing was started."""


class StoreError(PosttrainError, OSError):
    """The run directory, ledger or event log cannot be read or written."""

    exit_code = 4


class SandboxError(PosttrainError, RuntimeError):
    """The sandbox itself failed; says nothing about the candidate."""

    exit_code = 4


class VerifierError(PosttrainError, RuntimeError):
    """A verifier could not reach a verdict for a reason of its own."""

    exit_code = 4


class PolicyError(PosttrainError, RuntimeError):
    """A sampler or learner failed."""

    exit_code = 4
