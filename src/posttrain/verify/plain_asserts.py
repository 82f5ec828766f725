"""Programs that only assert something about single calls on literals need no test process.

``assert abs(f([1, 2]) - 3.5) < 1e-6`` says which call to make and what must hold of its value. Such
a program is judged in the driver, on the plain value that came from the candidate, by the operators
that the program itself would use. Anything beyond (names, loops, two calls in one assert) makes the
program run as a program.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from posttrain.verify.plain_expression import (
    PURE_BUILTINS,
    Expression,
    UnreadableError,
    read_expression,
)
from posttrain.verify.programs.asking import Candidate
from posttrain.verify.programs.program_test import CHECK, ProgramTest, defines_check, judge_error
from posttrain.verify.programs.result import Ending, Result
from posttrain.verify.split import CANDIDATE_NAME, parse_program

__all__ = ["PlainAssert", "read_plain_asserts", "run_plain_asserts"]


class PlainAssert(NamedTuple):
    """One call and what must hold of its value. The arguments are shared and never changed."""

    args: list[Any]
    kwargs: dict[str, Any]
    holds: Expression


@lru_cache(maxsize=8192)
def read_plain_asserts(test: ProgramTest) -> tuple[PlainAssert, ...] | None:
    """The asserts of a program that holds nothing else that matters, or None."""
    names = {test.entry_point, CANDIDATE_NAME}
    try:
        rest, statements = _parts(parse_program(test.source), names)
        inert = [*rest, *filter(_is_inert, statements)]
        if any(_rebinds(statement, names | PURE_BUILTINS.keys()) for statement in inert):
            return None
        asserts = [node for node in statements if not _is_inert(node)]
        # No walk through these for bindings: an expression that binds a name cannot be read.
        return tuple(_read_assert(statement, names) for statement in asserts) or None
    except (UnreadableError, ArithmeticError, TypeError):
        # The last two: constants that fail to combine are left to the program itself.
        return None


def run_plain_asserts(candidate: Candidate, asserts: tuple[PlainAssert, ...]) -> Ending:
    """All asserts of one program, in order, up to the first that does not hold."""
    for one in asserts:
        value, _ = candidate.call(one.args, one.kwargs)
        try:
            if not one.holds(value):
                return Ending(Result.WRONG_ANSWER)
        except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
            return judge_error(error)
    return Ending(Result.PASSED)


def _parts(tree: ast.Module, names: set[str]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What stands around, and what runs: the body of ``check``, or the top level."""
    if not defines_check(tree):
        return [], tree.body
    checks = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == CHECK]
    rest = [node for node in tree.body if node not in checks]
    arguments = [argument.arg for argument in checks[0].args.args]
    is_usual = len(checks) == 1 and arguments == [CANDIDATE_NAME] and CHECK not in names
    if not is_usual or not all(map(_is_inert, rest)):
        raise UnreadableError("a check of another form")
    return rest, checks[0].body


def _rebinds(statement: ast.stmt, names: set[str]) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names)
        or (isinstance(node, ast.alias) and (node.asname or node.name) in names)
        for node in ast.walk(statement)
    )


def _is_inert(statement: ast.stmt) -> bool:
    """True for what has no effect on the asserts: imports, definitions, constants, docstrings."""
    match statement:
        case ast.Assert(test=ast.Constant(value=value)):
            return bool(value)
        case ast.Assign(value=value) | ast.Expr(value=value):
            return _is_literal(value)
        case ast.FunctionDef():
            return not statement.decorator_list
        case ast.ImportFrom():
            return all(alias.name != "*" for alias in statement.names)
    return isinstance(statement, ast.Import | ast.Pass)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return False
    return True


def _read_assert(statement: ast.stmt, names: set[str]) -> PlainAssert:
    if not isinstance(statement, ast.Assert):
        raise UnreadableError(f"a {type(statement).__name__}")
    calls = [
        node
        for node in _walk(statement.test)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    ]
    if len(calls) != 1 or any(keyword.arg is None for keyword in calls[0].keywords):
        raise UnreadableError("other than one call of the candidate")
    call = calls[0]
    return PlainAssert(
        [read_expression(argument)(None) for argument in call.args],
        {str(keyword.arg): read_expression(keyword.value)(None) for keyword in call.keywords},
        read_expression(statement.test, call),
    )


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below and ``node`` itself; faster than ``ast.walk``, which this costs most."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        for child in vars(one).values():
            if isinstance(child, list):
                waiting.extend(item for item in child if isinstance(item, ast.AST))
            elif isinstance(child, ast.expr | ast.keyword):
                waiting.append(child)
