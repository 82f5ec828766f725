"""What the learner takes: token ids as sampled, with what was known about them at sampling time.

Order matters and is the caller's: the learner packs sequences in the order given, so a batch that
is sorted by attempt key gives the same update however its attempts were judged.
"""

from dataclasses import dataclass

__all__ = ["RlSequence", "SftSequence"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RlSequence:
    """One judged turn. Raises ``ValueError`` when it has no answer or lengths differ."""

    prompt_ids: tuple[int, ...]
    answer_ids: tuple[int, ...]
    behaviour_logprobs: tuple[float, ...]
    """Nats at ``temperature``, one per answer id, from the policy version that sampled it."""
    advantage: float
    temperature: float = 1.0

    def __post_init__(self) -> None:
        _require_ids(self.prompt_ids, self.answer_ids)
        if len(self.behaviour_logprobs) != len(self.answer_ids):
            raise ValueError(
                f"{len(self.answer_ids)} answer ids have {len(self.behaviour_logprobs)} behaviour "
                "log-probs; give one per sampled token"
            )
        if not self.temperature > 0.0:
            raise ValueError(
                f"temperature is {self.temperature!r}; a ratio needs a sampling temperature above 0"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class SftSequence:
    """One answer to imitate. Raises ``ValueError`` when prompt or answer is empty."""

    prompt_ids: tuple[int, ...]
    answer_ids: tuple[int, ...]

    def __post_init__(self) -> None:
        _require_ids(self.prompt_ids, self.answer_ids)


def _require_ids(prompt_ids: tuple[int, ...], answer_ids: tuple[int, ...]) -> None:
    if not prompt_ids or not answer_ids:
        raise ValueError(
            f"a sequence has {len(prompt_ids)} prompt and {len(answer_ids)} answer ids; "
            "both need at least one"
        )
