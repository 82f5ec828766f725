"""Programs that only compare calls on literals with literals need no test process.

``assert f([1, 2]) == 3`` says which call to make, which operator decides and on what. Such a
program is judged in the driver: the operator is applied to the literal and to the plain value that
came from the candidate, which is what the program itself would do. Anything beyond (names,
arithmetic on the answer, loops) makes the program run as a program.
"""

import ast
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from posttrain.verify.programs.asking import Candidate
from posttrain.verify.programs.program_test import CHECK, ProgramTest, defines_check, judge_error
from posttrain.verify.programs.result import Ending, Result
from posttrain.verify.split import CANDIDATE_NAME

__all__ = ["LiteralAssert", "read_literal_asserts", "run_literal_asserts"]

Operator = Callable[[Any, Any], Any]

_OPERATORS: dict[type[ast.cmpop], Operator] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_IDENTITY: dict[type[ast.cmpop], Operator] = {ast.Is: operator.is_, ast.IsNot: operator.is_not}


class LiteralAssert(NamedTuple):
    """One call and what must hold of its value. The arguments are shared and never changed."""

    args: list[Any]
    kwargs: dict[str, Any]
    holds: Callable[[Any], Any]


@lru_cache(maxsize=8192)
def read_literal_asserts(test: ProgramTest) -> tuple[LiteralAssert, ...] | None:
    """The asserts of a program that holds nothing else that matters, or None."""
    tree = ast.parse(test.source)
    names = {test.entry_point, CANDIDATE_NAME}
    statements = _statements(tree)
    if statements is None or _rebinds(tree, names):
        return None
    found = []
    for statement in statements:
        if _is_inert(statement):
            continue
        if not isinstance(statement, ast.Assert):
            return None
        read = _read_assert(statement.test, names)
        if read is None:
            return None
        found.append(read)
    return tuple(found) or None


def run_literal_asserts(candidate: Candidate, asserts: tuple[LiteralAssert, ...]) -> Ending:
    """All asserts of one program, in order, up to the first that does not hold."""
    for one in asserts:
        value, _ = candidate.call(one.args, one.kwargs)
        try:
            if not one.holds(value):
                return Ending(Result.WRONG_ANSWER)
        except (TypeError, RecursionError) as error:
            return judge_error(error)
    return Ending(Result.PASSED)


def _statements(tree: ast.Module) -> list[ast.stmt] | None:
    """What runs: the body of ``check``, or the top level."""
    if not defines_check(tree):
        return tree.body
    rest = []
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == CHECK:
            if len(statement.args.args) != 1 or statement.args.args[0].arg != CANDIDATE_NAME:
                return None
            body = statement.body
        else:
            rest.append(statement)
    return body if all(map(_is_inert, rest)) else None


def _rebinds(tree: ast.Module, names: set[str]) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names)
        or (isinstance(node, ast.alias) and (node.asname or node.name) in names)
        for node in ast.walk(tree)
    )


def _is_inert(statement: ast.stmt) -> bool:
    """True for what has no effect on the asserts: imports, definitions, constants, docstrings."""
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, ast.Constant) and bool(statement.test.value)
    if isinstance(statement, ast.Assign | ast.Expr):
        return _is_literal(statement.value)
    if isinstance(statement, ast.FunctionDef):
        return not statement.decorator_list
    if isinstance(statement, ast.ImportFrom):
        return all(alias.name != "*" for alias in statement.names)
    return isinstance(statement, ast.Import | ast.Pass)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return False
    return True


def _read_assert(test: ast.expr, names: set[str]) -> LiteralAssert | None:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _read_call(test.operand, names, operator.not_)
    if isinstance(test, ast.Call):
        return _read_call(test, names, bool)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _read_comparison(test, names)
    return None


def _read_comparison(test: ast.Compare, names: set[str]) -> LiteralAssert | None:
    left, right = test.left, test.comparators[0]
    decide = _OPERATORS.get(type(test.ops[0]))
    if decide is None:
        decide = _IDENTITY.get(type(test.ops[0])) if _is_singleton(right) else None
    if decide is None:
        return None
    if isinstance(left, ast.Call) and _is_literal(right):
        return _read_call(left, names, _Held(decide, right, swapped=False))
    if isinstance(right, ast.Call) and _is_literal(left):
        return _read_call(right, names, _Held(decide, left, swapped=True))
    return None


def _is_singleton(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _read_call(
    node: ast.expr, names: set[str], holds: Callable[[Any], Any]
) -> LiteralAssert | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    if node.func.id not in names or not all(map(_is_literal, values)):
        return None
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    return LiteralAssert(
        [ast.literal_eval(argument) for argument in node.args],
        {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords},
        holds,
    )


class _Held:
    """Applies the operator to the value and the literal, in the order in which they stand."""

    __slots__ = ("_decide", "_literal", "_swapped")

    def __init__(self, decide: Operator, literal: ast.expr, *, swapped: bool) -> None:
        self._decide = decide
        self._literal = ast.literal_eval(literal)
        self._swapped = swapped

    def __call__(self, value: Any) -> Any:
        if self._swapped:
            return self._decide(self._literal, value)
        return self._decide(value, self._literal)
