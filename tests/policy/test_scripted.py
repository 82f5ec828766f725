from posttrain.core.rollout import StopReason
from posttrain.core.task import Message
from posttrain.policy.protocol import Policy, SampleRequest, SamplingParams
from posttrain.policy.scripted import ScriptedPolicy

PARAMS = SamplingParams(max_tokens=200)


def ask(policy: ScriptedPolicy, text: str, params: SamplingParams = PARAMS, seed: int = 0):
    prompt = policy.encode((Message(role="user", content=text),), "```python")
    request = SampleRequest(prompt_ids=prompt, seed=seed, prefill="```python")
    return next(iter(policy.sample([request], params)))[1]


def test_a_scripted_policy_is_a_policy() -> None:
    assert isinstance(ScriptedPolicy({}), Policy)


def test_a_table_answers_by_what_the_prompt_contains() -> None:
    policy = ScriptedPolicy({"add": "\nA", "sub": "\nB"})
    assert ask(policy, "write sub").text == "```python\nB"
    assert ask(policy, "unknown").text == "```python"


def test_a_function_answers_by_prompt_and_seed() -> None:
    policy = ScriptedPolicy(lambda prompt, seed: f"{len(prompt)}/{seed}")
    assert ask(policy, "x", seed=4).text == "```python17/4"


def test_tokens_logprobs_and_end_agree() -> None:
    turn = ask(ScriptedPolicy({"": "é"}), "x")
    assert turn.token_ids == (0xC3, 0xA9, 256)
    assert turn.logprobs == (0.0, 0.0, 0.0)
    assert turn.stop_reason is StopReason.EOS


def test_stop_texts_and_token_limits_hold() -> None:
    policy = ScriptedPolicy({"": "code\n```\nmore"})
    stopped = ask(policy, "x", SamplingParams(stop=("\n```",)))
    assert (stopped.text, stopped.stop_reason) == ("```pythoncode\n```", StopReason.STOP_SEQUENCE)
    cut = ask(policy, "x", SamplingParams(max_tokens=3))
    assert (cut.text, cut.stop_reason) == ("```pythoncod", StopReason.MAX_TOKENS)


def test_likelihoods_are_spread_over_the_tokens() -> None:
    policy = ScriptedPolicy({}, likelihood=lambda prompt, answer: -8.0 if answer == "abcd" else 0.0)
    prompt = policy.encode_text("p")
    assert policy.score([(prompt, policy.encode_text("abcd"))]) == [(-2.0,) * 4]
    assert ScriptedPolicy({}).score([(prompt, (1, 2))]) == [(-1.0, -1.0)]
