"""Families on whole numbers."""

from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

AFFINE = Family(
    name="affine",
    topic="numbers",
    arguments="n",
    function_names=("times_{a}_plus_{b}", "multiply_and_add"),
    choices=grid(a=range(2, 10), b=range(1, 10)),
    train_statements=(
        "multiplies a number by {a} and then adds {b}",
        "returns {a} times n plus {b}",
        "returns n multiplied by {a}, plus {b}",
    ),
    eval_statements=("returns {a} * n + {b}", "takes a number, multiplies it by {a} and adds {b}"),
    body="return {a} * n + {b}",
    draw=lambda rng, p: (rng.randint(-20, 50),),
    difficulty=0.55,
)

SUM_OF_MULTIPLES = Family(
    name="sum_of_multiples",
    topic="numbers",
    arguments="n",
    function_names=("sum_of_multiples_of_{k}", "sum_multiples_of_{k}"),
    choices=grid(k=range(2, 26)),
    train_statements=(
        "returns the sum of all multiples of {k} from 1 to n, including n",
        "sums the numbers from 1 to n that are divisible by {k}",
        "adds up all multiples of {k} between 1 and n",
    ),
    eval_statements=(
        "finds the sum of the multiples of {k} up to and including n",
        "returns the sum of all numbers from 1 to n which are multiples of {k}",
    ),
    body="return sum(i for i in range(1, n + 1) if i % {k} == 0)",
    draw=lambda rng, p: (rng.randint(0, 5 * p["k"] + 15),),
    difficulty=0.99,
)

COUNT_DIGIT = Family(
    name="count_digit",
    topic="numbers",
    arguments="n",
    function_names=("count_digit_{k}", "count_{k}s"),
    choices=grid(k=range(0, 10)),
    train_statements=(
        "counts how many times the digit {k} occurs in a number",
        "returns the number of digits of n that are {k}",
        "counts the digit {k} in the number n",
    ),
    eval_statements=(
        "returns how often the digit {k} appears in a number",
        "finds out how many digits of a number are equal to {k}",
    ),
    body='return str(n).count("{k}")',
    draw=lambda rng, p: (
        int("".join(rng.choice(f"{p['k']}0123456789{p['k']}") for _ in range(rng.randint(1, 6)))),
    ),
    difficulty=0.98,
)

POWER = Family(
    name="power",
    topic="numbers",
    arguments="n",
    function_names=("power_{k}_plus_{b}", "power_plus_{b}"),
    choices=grid(k=range(2, 6), b=range(1, 8)),
    train_statements=(
        "returns n to the power of {k} plus {b}",
        "raises a number to the power of {k} and adds {b}",
        "returns n ** {k} + {b}",
    ),
    eval_statements=(
        "takes a number to the power of {k}, then adds {b}",
        "returns {b} plus the {k}th power of n",
    ),
    body="return n ** {k} + {b}",
    draw=lambda rng, p: (rng.randint(0, 30),),
    difficulty=0.97,
)

DIGIT_SUM = Family(
    name="digit_sum",
    topic="numbers",
    arguments="n",
    function_names=("digit_sum_{verb}_{k}",),
    choices=grid(verb=("plus", "times"), k=range(2, 14)),
    train_statements=(
        "returns the sum of the digits of a number {verb} {k}",
        "adds up the digits of n and returns the sum {verb} {k}",
    ),
    eval_statements=(
        "sums all digits of a number and returns this sum {verb} {k}",
        "returns the digit sum of n {verb} {k}",
    ),
    body=lambda p: (
        f"return sum(int(d) for d in str(n)) {'+' if p['verb'] == 'plus' else '*'} {p['k']}"
    ),
    draw=lambda rng, p: (rng.randint(0, 9999),),
    difficulty=0.97,
)

FIZZ_BUZZ = Family(
    name="fizz_buzz",
    topic="numbers",
    arguments="n",
    function_names=("fizz_buzz", "number_word"),
    choices=grid(a=(2, 3, 4), b=(5, 7, 9), x=("Fizz", "Ping", "Tick"), y=("Buzz", "Pong")),
    train_statements=(
        'returns "{x}{y}" if n is divisible by {a} and {b}, "{x}" if only by {a}, "{y}" if only by '
        "{b}, and n as a string otherwise",
        'returns "{x}{y}" for multiples of both {a} and {b}, "{x}" for other multiples of {a}, '
        '"{y}" for other multiples of {b}, and str(n) for the rest',
    ),
    eval_statements=(
        'gives "{x}" when {a} divides n, "{y}" when {b} divides n, "{x}{y}" when both do, and the '
        "number as a string when none does",
        'plays Fizz Buzz with "{x}" for multiples of {a}, "{y}" for multiples of {b} and "{x}{y}" '
        "for multiples of both; other numbers become strings",
    ),
    body="""
word = ("{x}" if n % {a} == 0 else "") + ("{y}" if n % {b} == 0 else "")
return word or str(n)
""",
    draw=lambda rng, p: (rng.choice((1, 1, p["a"], p["b"], p["a"] * p["b"])) * rng.randint(1, 9),),
    difficulty=0.99,
)

FAMILIES = (
    AFFINE,
    SUM_OF_MULTIPLES,
    COUNT_DIGIT,
    POWER,
    DIGIT_SUM,
    FIZZ_BUZZ,
)
