"""Families on whole numbers."""

from posttrain.tasks.basics.family import Family, grid

__all__ = ["FAMILIES"]

AFFINE = Family(
    name="affine",
    topic="numbers",
    arguments="n",
    function_names=("scale_and_add", "linear", "transform"),
    choices=grid(a=range(2, 10), b=range(1, 10)),
    train_statements=(
        "multiplies `n` by {a} and then adds {b}",
        "returns {a} times `n` plus {b}",
        "returns the number `n` multiplied by {a}, increased by {b}",
    ),
    eval_statements=(
        "returns {b} more than {a} times `n`",
        "takes a number `n`, multiplies it by {a}, adds {b} and returns the result",
    ),
    body="return {a} * n + {b}",
    draw=lambda rng, p: (rng.randint(-20, 50),),
    difficulty=0.2,
)

CLAMP = Family(
    name="clamp",
    topic="numbers",
    arguments="n",
    function_names=("clamp", "limit"),
    choices=grid(low=range(0, 6), high=range(10, 20)),
    train_statements=(
        "returns `n`, but at least {low} and at most {high}",
        "limits `n` to the range from {low} to {high}",
    ),
    eval_statements=(
        "returns {low} if `n` is smaller than {low}, {high} if `n` is larger than {high}, "
        "and `n` otherwise",
        "returns the number `n` limited to between {low} and {high}",
    ),
    body="return max({low}, min({high}, n))",
    draw=lambda rng, p: (rng.randint(p["low"] - 8, p["high"] + 8),),
    difficulty=0.4,
)

SUM_OF_MULTIPLES = Family(
    name="sum_of_multiples",
    topic="numbers",
    arguments="n",
    function_names=("sum_of_multiples", "sum_multiples"),
    choices=grid(k=range(2, 26)),
    train_statements=(
        "returns the sum of all multiples of {k} from 1 to `n`, including `n`",
        "adds up the numbers from 1 to `n` that are divisible by {k}",
        "returns the total of the positive multiples of {k} that are not greater than `n`",
    ),
    eval_statements=(
        "sums every number from 1 up to and including `n` that is a multiple of {k}",
        "returns the sum of the numbers between 1 and `n` (both included) which {k} divides",
    ),
    body="return sum(i for i in range(1, n + 1) if i % {k} == 0)",
    draw=lambda rng, p: (rng.randint(0, 5 * p["k"] + 15),),
    difficulty=0.65,
)

DIGIT_SUM = Family(
    name="digit_sum",
    topic="numbers",
    arguments="n",
    function_names=("digit_sum", "sum_digits"),
    choices=grid(base=(10,), plus=range(0, 13)) + grid(base=range(2, 10), plus=(0,)),
    words=lambda p: {
        "digits": "digits" + (f" in base {p['base']}" if p["base"] != 10 else ""),
        "more": f" plus {p['plus']}" if p["plus"] else "",
    },
    train_statements=(
        "returns the sum of the {digits} of the number `n`{more}",
        "adds up the {digits} of `n` and returns the sum{more}",
        "takes a number `n` and returns the sum of its {digits}{more}",
    ),
    eval_statements=(
        "sums all {digits} that `n` has and returns this sum{more}",
        "returns the total of the {digits} of `n`{more}",
    ),
    body="""
total = {plus}
while n > 0:
    total += n % {base}
    n //= {base}
return total
""",
    draw=lambda rng, p: (rng.randint(0, 10000 if p["base"] == 10 else 60 * p["base"]),),
    difficulty=lambda p: 0.6 if p["base"] == 10 else 0.85,
)

SUM_OF_POWERS = Family(
    name="sum_of_powers",
    topic="numbers",
    arguments="n",
    function_names=("sum_of_powers", "power_sum"),
    choices=grid(power=range(2, 6), start=range(1, 6)),
    train_statements=(
        "returns the sum of i ** {power} for every i from {start} to `n`, including `n`",
        "adds up the numbers from {start} to `n`, each raised to the power {power}",
        "returns {start}**{power} + ... + n**{power}",
    ),
    eval_statements=(
        "raises each number from {start} up to and including `n` to the power of {power} "
        "and returns the sum",
        "returns the sum of x ** {power} over all x from {start} up to and including `n`",
    ),
    body="return sum(i ** {power} for i in range({start}, n + 1))",
    draw=lambda rng, p: (rng.randint(p["start"], p["start"] + 19),),
    difficulty=0.5,
)

DIVISIBLE_BY = Family(
    name="divisible_by",
    topic="numbers",
    arguments="n",
    function_names=("is_divisible", "check_divisible"),
    choices=tuple(
        p for p in grid(a=range(2, 10), b=range(3, 12)) if p["b"] % p["a"] and p["a"] < p["b"]
    ),
    train_statements=(
        "returns True if `n` is divisible by {a} or by {b}, otherwise False",
        "checks whether {a} or {b} divides `n`",
        "returns True when `n` is a multiple of {a} or a multiple of {b}, else False",
    ),
    eval_statements=(
        "tells with True or False whether `n` can be divided by {a} or {b} without remainder",
        "returns whether the number `n` is a multiple of at least one of {a} and {b}",
    ),
    body="return n % {a} == 0 or n % {b} == 0",
    draw=lambda rng, p: (rng.choice((1, 1, p["a"], p["b"])) * rng.randint(1, 15),),
    difficulty=0.3,
)

NUMBER_WORD = Family(
    name="number_word",
    topic="numbers",
    arguments="n",
    function_names=("number_word", "name_number", "fizz"),
    choices=grid(a=(2, 3, 4), b=(5, 7, 9), x=("Fizz", "Ping", "Tick"), y=("Buzz", "Pong")),
    train_statements=(
        'returns "{x}" if `n` is divisible by {a}, "{y}" if it is divisible by {b}, "{x}{y}" if '
        "it is divisible by both, and `n` as a string otherwise",
        'returns "{x}{y}" for multiples of both {a} and {b}, "{x}" for other multiples of {a}, '
        '"{y}" for other multiples of {b}, and str(n) for the rest',
    ),
    eval_statements=(
        'gives "{x}" when {a} divides `n`, "{y}" when {b} divides it, "{x}{y}" when both do, '
        "and the number as text when none does",
        'plays Fizz Buzz: "{x}" stands for multiples of {a}, "{y}" for multiples of {b}, "{x}{y}" '
        "for multiples of both; other numbers are returned as strings",
    ),
    body="""
word = ("{x}" if n % {a} == 0 else "") + ("{y}" if n % {b} == 0 else "")
return word or str(n)
""",
    draw=lambda rng, p: (rng.choice((1, 1, p["a"], p["b"], p["a"] * p["b"])) * rng.randint(1, 9),),
    difficulty=0.6,
)

FAMILIES = (
    AFFINE,
    CLAMP,
    SUM_OF_MULTIPLES,
    DIGIT_SUM,
    SUM_OF_POWERS,
    DIVISIBLE_BY,
    NUMBER_WORD,
)
