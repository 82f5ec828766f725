from hypothesis import given
from hypothesis import strategies as st

from posttrain.train.pack import PackLimits, build_packs
from posttrain.train.sequences import SftSequence


def sequence(prompt: tuple[int, ...], answer: tuple[int, ...]) -> SftSequence:
    return SftSequence(prompt_ids=prompt, answer_ids=answer)


def test_answers_branch_off_one_shared_prompt() -> None:
    (pack,) = build_packs([sequence((5, 6), (7, 8)), sequence((5, 6), (9, 10, 11))], PackLimits())
    assert pack.ids.tolist() == [5, 6, 7, 9, 10]
    assert pack.positions.tolist() == [0, 1, 2, 2, 3]
    assert pack.rows.tolist() == [1, 2, 1, 3, 4]
    assert pack.targets.tolist() == [7, 8, 9, 10, 11]
    assert pack.may_attend.int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 0, 1, 0],
        [1, 1, 0, 1, 1],
    ]


def test_other_prompts_in_a_pack_are_not_attended_to() -> None:
    (pack,) = build_packs([sequence((5,), (7, 8)), sequence((6,), (9,))], PackLimits())
    assert pack.may_attend.int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]


def test_values_follow_their_sequence_into_the_pack() -> None:
    sequences = [sequence((5,), (1, 2)), sequence((6,), (3,)), sequence((5,), (4,))]
    (pack,) = build_packs(sequences, PackLimits())
    assert pack.sequences == (0, 2, 1)
    assert pack.per_token([0.0, 1.0, 2.0]).tolist() == [0.0, 0.0, 2.0, 1.0]
    assert pack.from_tokens([[10, 11], [20], [30]]).tolist() == [10, 11, 30, 20]


ids = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(
    pairs=st.lists(st.tuples(ids, ids), max_size=12),
    max_tokens=st.integers(1, 20),
    max_sequences=st.integers(1, 5),
    share=st.booleans(),
)
def test_every_sequence_is_in_one_pack_within_the_limits(
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]],
    max_tokens: int,
    max_sequences: int,
    share: bool,
) -> None:
    limits = PackLimits(max_tokens=max_tokens, max_sequences=max_sequences, share_prompts=share)
    packs = build_packs([sequence(*pair) for pair in pairs], limits)
    assert sorted(i for pack in packs for i in pack.sequences) == list(range(len(pairs)))
    for pack in packs:
        answers = [token for index in pack.sequences for token in pairs[index][1]]
        assert pack.targets.tolist() == answers
        assert len(pack.sequences) <= max_sequences
        assert len(pack.ids) <= max_tokens or len(pack.sequences) == 1
