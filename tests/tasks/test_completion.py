import pytest

from posttrain.tasks.completion import extract_code

CODE = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    "completion",
    [
        f"```python\n{CODE}```",
        f"```python\n{CODE}",
        f"Here it is:\n\n```py\n{CODE}```\nIt returns x.",
        f"~~~python3\n{CODE}~~~\n",
        "   ```python\n   def f(x):\n       return x\n   ```",
        f"```python\nwrong = 1\n```\nBetter:\n```python\n{CODE}```",
        f"```python\nwrong = 1\n```\nBetter:\n```python\n{CODE}",
        f"```python\n```python\n{CODE}```",
        f"```python\n{CODE}```\nOutput:\n```\n[1, 2]\n```\n",
        f"```python\n{CODE}```\nRun it:\n```bash\npython f.py\n",
        f"````text\n```python\nquoted = 1\n```\n````\n```python\n{CODE}```",
        f"<think>```python\nwrong = 1\n```</think>\n```python\n{CODE}```",
        f"```python\n{CODE}```\n<think>Or:\n```python\nwrong = 1\n```\n",
        f"begun thought ```python\nwrong = 1\n```</think>```python\n{CODE}```",
    ],
)
def test_the_last_complete_or_open_python_fence_is_the_code(completion):
    assert extract_code(completion) == CODE


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "def f(x): return x",
        "```\nx = 1\n```",
        "```json\n{}\n```",
        f"<think>\n```python\n{CODE}```\n</think>\nI do not know.",
        f"<think>\n```python\n{CODE}```",
        f"```python\n{CODE}```\n</think>",
        f"Use `python` and ```python {CODE}``` inline",
    ],
)
def test_an_answer_without_a_python_fence_outside_its_thinking_holds_no_code(completion):
    assert extract_code(completion) is None


def test_a_fence_inside_a_docstring_is_content():
    code = 'def f():\n    """Use it:\n\n    ```python\n    f()\n    ```\n    """\n'
    assert extract_code(f"```python\n{code}```\n") == code


def test_blank_lines_and_carriage_returns_inside_the_code_stay():
    code = 'S = """\n \n"""\r\nT = 1\n'
    assert extract_code(f"```python\r\n{code}```\r\n") == code
