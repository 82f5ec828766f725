"""Static quality of the code of one solution: cheap, deterministic, and without running it.

    score = 0                                    when there is no code or it does not parse
    score = (number of checks that hold) / 8     otherwise

| check | holds when |
|---|---|
| top level | only a docstring, imports, definitions, assignments, or a ``__main__`` guard |
| leftovers | no ``print`` or ``breakpoint`` call and no ``assert`` |
| imports | every imported name is used, none is a star import |
| locals | every name that a function assigns is read in it |
| reachable | no statement follows ``return``, ``raise``, ``break`` or ``continue`` in its block |
| traps | no bare ``except``, mutable default, ``== None``, or built-in name rebound |
| depth | blocks are nested at most 5 deep inside a top-level one |
| lines | at most 100 characters each, without trailing blanks |

A program that reads standard input answers by printing from its top level, so the first two checks
do not apply to it and count as held. The score decides at most a tenth of a reward and only where
tests passed, so it need not be proof against somebody who aims at it.
"""

import ast
import builtins
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

__all__ = ["CHECKS", "MAX_CODE_CHARS", "process_score"]

MAX_CODE_CHARS = 20_000
"""Longer code scores 0: reading it would cost more than the layer is worth."""
MAX_LINE_CHARS = 100
MAX_DEPTH = 5

_TOP_LEVEL = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ENDS_BLOCK = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCK = (ast.For, ast.While, ast.If, ast.With, ast.Try, *_FUNCTIONS, ast.ClassDef)
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_WARNINGS_LOCK = threading.Lock()


def process_score(code: str | None) -> float:
    """Share of the checks that ``code`` passes, in [0, 1]; pure and without side effects."""
    if code is None or len(code) > MAX_CODE_CHARS:
        return 0.0
    tree = _parse(code)
    if tree is None or not tree.body:
        return 0.0
    source = _Source(text=code, tree=tree, nodes=tuple(ast.walk(tree)))
    return sum(check(source) for check in CHECKS) / len(CHECKS)


def _parse(code: str) -> ast.Module | None:
    # The parser warns on stderr about escapes such as "\d"; a model's slip is no news for a user.
    with _WARNINGS_LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


@dataclass(frozen=True, kw_only=True)
class _Source:
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @cached_property
    def names_read(self) -> frozenset[str]:
        return frozenset(_names_read(self.nodes))

    @cached_property
    def reads_stdin(self) -> bool:
        return "input" in self.names_read or any(_is_stdin(node) for node in self.nodes)


def _is_stdin(node: ast.AST) -> bool:
    """``sys.stdin`` or ``open(0)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
        return any(isinstance(arg, ast.Constant) and arg.value == 0 for arg in node.args)
    return isinstance(node, ast.Attribute) and node.attr == "stdin"


def _names_read(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _has_tidy_top_level(source: _Source) -> bool:
    body = source.tree.body
    if source.reads_stdin:
        return True
    rest = body[1:] if ast.get_docstring(source.tree, clean=False) is not None else body
    return all(isinstance(node, _TOP_LEVEL) or _is_main_guard(node) for node in rest)


def _is_main_guard(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )


def _has_no_leftovers(source: _Source) -> bool:
    if source.reads_stdin:
        return True
    return not any(
        isinstance(node, ast.Assert)
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("print", "breakpoint")
        )
        for node in source.nodes
    )


def _uses_its_imports(source: _Source) -> bool:
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            if not bound <= source.names_read:
                return False
    return True


def _uses_its_locals(source: _Source) -> bool:
    return all(
        _reads_what_it_assigns(node) for node in source.nodes if isinstance(node, _FUNCTIONS)
    )


def _reads_what_it_assigns(function: ast.AST) -> bool:
    nodes = tuple(ast.walk(function))
    assigned: set[str] = set()
    shared: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign):
            assigned.update(t.id for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            assigned.add(node.target.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            shared.update(node.names)
    unread = assigned - shared - frozenset(_names_read(nodes))
    return all(name.startswith("_") for name in unread)


def _is_reachable(source: _Source) -> bool:
    for node in source.nodes:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and any(isinstance(s, _ENDS_BLOCK) for s in block[:-1]):
                return False
    return True


def _has_no_traps(source: _Source) -> bool:
    return not any(trap(node) for node in source.nodes for trap in _TRAPS)


def _is_bare_except(node: ast.AST) -> bool:
    return isinstance(node, ast.ExceptHandler) and node.type is None


def _is_mutable_default(node: ast.AST) -> bool:
    return isinstance(node, ast.arguments) and any(
        isinstance(default, ast.List | ast.Dict | ast.Set)
        for default in (*node.defaults, *node.kw_defaults)
    )


def _compares_with_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and any(
        isinstance(operator, ast.Eq | ast.NotEq)
        and isinstance(operand, ast.Constant)
        and operand.value is None
        for operator, operand in zip(node.ops, node.comparators, strict=True)
    )


def _rebinds_builtin(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in _BUILTINS


_TRAPS = (_is_bare_except, _is_mutable_default, _compares_with_none, _rebinds_builtin)


def _is_shallow(source: _Source) -> bool:
    level: list[ast.AST] = list(source.tree.body)
    for _ in range(MAX_DEPTH + 1):
        level = [child for node in level for child in _blocks_inside(node)]
    return not level


def _blocks_inside(node: ast.AST) -> Iterator[ast.AST]:
    """Compound statements directly inside a block; an ``elif`` is as deep as its ``if``."""
    pending: list[ast.AST] = [node] if isinstance(node, _BLOCK) else []
    while pending:
        block = pending.pop()
        for child in ast.iter_child_nodes(block):
            is_elif = isinstance(block, ast.If) and [child] == block.orelse
            if isinstance(child, ast.ExceptHandler) or (is_elif and isinstance(child, ast.If)):
                pending.append(child)
            elif isinstance(child, _BLOCK):
                yield child


def _has_short_lines(source: _Source) -> bool:
    return all(
        len(line) <= MAX_LINE_CHARS and line == line.rstrip() for line in source.text.splitlines()
    )


CHECKS: tuple[Callable[[_Source], bool], ...] = (
    _has_tidy_top_level,
    _has_no_leftovers,
    _uses_its_imports,
    _uses_its_locals,
    _is_reachable,
    _has_no_traps,
    _is_shallow,
    _has_short_lines,
)
