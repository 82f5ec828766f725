"""Expressions over literals and one unknown value, computed without running their source.

Only what has one meaning on plain data is known here: literals, arithmetic on numbers, comparisons,
``not`` and a few builtins that are pure. Whatever else stands in an expression makes it unreadable.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any

__all__ = ["PURE_BUILTINS", "Expression", "UnreadableError", "read_expression"]

Expression = Callable[[Any], Any]
"""The value of the expression, given the unknown one; raises what Python would raise."""

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
PURE_BUILTINS: dict[str, Callable[[Any], Any]] = {
    kind.__name__: kind for kind in (abs, list, tuple, set, sorted, len, round, sum)
}
_NUMBERS = frozenset({int, float, bool})


class UnreadableError(ValueError):
    """The expression holds more than is known here."""


def read_expression(node: ast.expr, unknown: ast.expr | None = None) -> Expression:
    """The function that computes ``node``; ``unknown`` is the part whose value will be given.

    Raises:
        UnreadableError: it must be run as a program instead.
    """
    if node is unknown:
        return lambda value: value
    literal = _literal(node)
    if literal is not None:
        return literal
    match node:
        case ast.UnaryOp(op=sign, operand=inner):
            return _applied(_SIGNS.get(type(sign)), read_expression(inner, unknown))
        case ast.BinOp(left=left, op=sign, right=right):
            return _arithmetic(_ARITHMETIC.get(type(sign)), left, right, unknown)
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            if isinstance(sign, ast.Is | ast.IsNot) and not _is_singleton(right):
                raise UnreadableError("identity with other than None, True and False")
            return _combined(_COMPARISONS.get(type(sign)), left, right, unknown)
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]):
            return _applied(PURE_BUILTINS.get(name), read_expression(inner, unknown))
    raise UnreadableError(f"a {type(node).__name__}")


def _literal(node: ast.expr) -> Expression | None:
    """A literal, or a display whose items are themselves readable without the unknown value."""
    if isinstance(node, ast.Compare):
        return None
    try:
        known = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        if isinstance(node, ast.List | ast.Tuple):
            items = [read_expression(item) for item in node.elts]
            kind = list if isinstance(node, ast.List) else tuple
            return lambda value: kind(item(None) for item in items)
        return None
    return lambda value: known


def _applied(function: Callable[[Any], Any] | None, inner: Expression) -> Expression:
    if function is None:
        raise UnreadableError("an operation that is not known")
    return lambda value: function(inner(value))


def _combined(
    function: Callable[[Any, Any], Any] | None,
    left: ast.expr,
    right: ast.expr,
    unknown: ast.expr | None,
) -> Expression:
    if function is None:
        raise UnreadableError("an operator that is not known")
    one, other = read_expression(left, unknown), read_expression(right, unknown)
    return lambda value: function(one(value), other(value))


def _arithmetic(
    function: Callable[[Any, Any], Any] | None,
    left: ast.expr,
    right: ast.expr,
    unknown: ast.expr | None,
) -> Expression:
    """On numbers only: ``*`` on a long answer could fill the memory."""

    def on_numbers(one: Any, other: Any) -> Any:
        if function is None or not {type(one), type(other)} <= _NUMBERS:
            raise TypeError("arithmetic on other than numbers")
        return function(one, other)

    if function is None:
        raise UnreadableError("an operator that is not known")
    return _combined(on_numbers, left, right, unknown)


def _is_singleton(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))
