from posttrain.core.task import Message
from posttrain.policy.local import LocalPolicy

ASK = (Message(role="user", content="Write add."),)


def test_the_template_keeps_its_system_prompt_and_the_answer_begins_with_the_prefill(
    tiny: LocalPolicy,
) -> None:
    text = tiny._tokenizer._tokenizer.decode(tiny.encode(ASK, "```python"))
    assert text.startswith("<|im_start|>system\nYou are a helpful AI assistant named SmolLM")
    assert text.endswith("<|im_end|>\n<|im_start|>assistant\n```python")


def test_a_prefill_only_adds_tokens_at_the_end(tiny: LocalPolicy) -> None:
    bare, begun = tiny.encode(ASK), tiny.encode(ASK, "```python")
    assert begun[: len(bare)] == bare
    assert begun[len(bare) :] == tiny.encode_text("```python")


def test_a_newline_and_its_indent_are_one_token_after_the_fence(tiny: LocalPolicy) -> None:
    code = tiny.encode_text("```python\ndef f(x):\n    return x")
    assert tiny.encode_text("```python") == code[:2]
    assert tiny.encode_text("\n   ")[0] in code


def test_plain_text_survives_encoding(tiny: LocalPolicy) -> None:
    text = "def f(x):\n    return 'naïve ∑' + str(12345)\n\n"
    assert tiny._tokenizer.decode(tiny.encode_text(text)) == text
