"""What the curriculum learns from: the verdicts of one group."""

from dataclasses import dataclass

__all__ = ["GroupOutcome"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupOutcome:
    """``passes`` of ``judged`` attempts at one task; attempts without a verdict are in neither.

    A group that lost all attempts has ``judged`` 0: its task counts as drawn and teaches nothing.
    Raises ``ValueError`` unless 0 <= passes <= judged.
    """

    task_id: str
    passes: int
    judged: int

    def __post_init__(self) -> None:
        if not 0 <= self.passes <= self.judged:
            raise ValueError(
                f"group of {self.task_id!r}: {self.passes} passes of {self.judged} judged attempts"
            )

    @property
    def is_mixed(self) -> bool:
        """True when verdicts differ, which is where learning signal comes from."""
        return 0 < self.passes < self.judged

    @property
    def is_solved(self) -> bool:
        """True when every judged attempt passed."""
        return 0 < self.judged == self.passes
