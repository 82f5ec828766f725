"""Why there is no verdict: faults that are not the candidate's, as exceptions inside the judge."""

__all__ = ["InfraFaultError", "TaskFaultError", "UnexplainedError"]


class TaskFaultError(Exception):
    """The task itself cannot be judged: no tests, a test that does not parse, a bad reference."""


class InfraFaultError(Exception):
    """The sandbox failed before the candidate could have had a part in it; worth another try."""


class UnexplainedError(Exception):
    """Not every test was answered, and nothing that was observed says why: a fault of ours."""
