"""How long a run will take here, from one small measured sample before it starts.

    expected_s = answers x (sampling s / answer) + steps x update_s
    update_s   = tokens per step x (forward s / token) x UPDATE_FACTOR

An update costs a forward and a backward pass of the trained copy, a forward pass of the frozen
one and the optimizer's step. It is not tried, because that would change the learner.
"""

from posttrain.core.seeds import derive_seed
from posttrain.loop.parts import Parts
from posttrain.loop.step import policy_sampling
from posttrain.loop.tracks import Tracks
from posttrain.policy.protocol import SampleRequest

__all__ = ["expected_run_s", "num_planned_answers"]

UPDATE_FACTOR = 6.0
NUM_ANSWERS = 32
NUM_TASKS = 4


def expected_run_s(parts: Parts, tracks: Tracks) -> float:
    """Seconds from here to the report, to within about a third."""
    sampling = policy_sampling(parts)
    tasks = parts.curriculum.draw(1, NUM_TASKS)
    prompts = [parts.policy.encode(task.prompt, sampling.prefill) for task in tasks]
    requests = [
        SampleRequest(
            prompt_ids=prompts[number % len(prompts)],
            seed=derive_seed(parts.config.run.seed, "calibrate", number),
            prefill=sampling.prefill,
        )
        for number in range(NUM_ANSWERS)
    ]
    started_s = parts.clock.monotonic_s()
    turns = [turn for _, turn in parts.policy.sample(requests, sampling.params)]
    sampled_s = parts.clock.monotonic_s()
    parts.policy.score([(turn.prompt_ids, turn.token_ids) for turn in turns])
    scored_s = parts.clock.monotonic_s()
    answer_s = (sampled_s - started_s) / NUM_ANSWERS
    update_s = (scored_s - sampled_s) / NUM_ANSWERS * UPDATE_FACTOR
    algorithm = parts.config.algorithm
    trained = parts.config.run.steps * algorithm.group_size * algorithm.groups_per_step
    return num_planned_answers(parts, tracks) * answer_s + trained * update_s


def num_planned_answers(parts: Parts, tracks: Tracks) -> int:
    """Answers that the whole run samples: training, and evaluations before, during, after."""
    config = parts.config
    evaluation, algorithm, steps = config.evaluation, config.algorithm, config.run.steps
    trained = steps * algorithm.group_size * algorithm.groups_per_step
    outer = 2 * (2 * len(tracks.target) + len(tracks.mbpp)) * evaluation.attempts
    temperatures = len(evaluation.base_temperatures) + 1
    selection = len(tracks.selection) * evaluation.selection_attempts * temperatures
    num_inner = (steps - 1) // evaluation.every if evaluation.every else 0
    inner = num_inner * len(tracks.inner_target) * evaluation.inner_attempts
    return trained + outer + selection + inner
