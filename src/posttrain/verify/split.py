"""Cut a test program at its independent top-level asserts: each is one test.

An assert stands with all other top-level statements around it (imports, helpers, data). Where one
of those calls the candidate, the asserts share what it returned and the program stays whole; so
does a program that defines ``check``.
"""

import ast
from functools import lru_cache

from posttrain.verify.fault import TaskFaultError
from posttrain.verify.programs.program_test import CHECK, defines_check

__all__ = ["parse_program", "split_program"]

CANDIDATE_NAME = "candidate"


@lru_cache(maxsize=32)
def parse_program(source: str) -> ast.Module:
    """The tree of a test program, which nobody changes; fails as ``ast.parse`` fails.

    Kept for a moment: one grading reads a program for several ends.
    """
    return ast.parse(source)


@lru_cache(maxsize=8192)
def split_program(source: str, entry_point: str) -> tuple[str, ...]:
    """The programs of one test each.

    Raises:
        TaskFaultError: the source does not parse, or holds nothing that could fail.
    """
    try:
        tree = parse_program(source)
    except (SyntaxError, ValueError) as error:
        raise TaskFaultError(f"a test program does not parse: {error}") from error
    if _is_vacuous(tree):
        raise TaskFaultError("a test program asserts nothing and calls nothing")
    asserts = [node for node in tree.body if isinstance(node, ast.Assert)]
    if len(asserts) < 2 or not _are_independent(tree, entry_point):
        return (source,)
    return tuple(_program_of(tree, chosen) for chosen in asserts)


def _is_vacuous(tree: ast.Module) -> bool:
    if defines_check(tree):
        bodies = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == CHECK]
        return not any(isinstance(n, ast.Call | ast.Assert) for n in ast.walk(bodies[-1]))
    inert = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass)
    return not any(
        isinstance(node, ast.Call | ast.Assert)
        for statement in tree.body
        if not isinstance(statement, inert)
        for node in ast.walk(statement)
    )


def _are_independent(tree: ast.Module, entry_point: str) -> bool:
    if defines_check(tree):
        return False
    names = {CANDIDATE_NAME, entry_point}
    return not any(
        isinstance(node, ast.Name) and node.id in names
        for statement in tree.body
        if not isinstance(statement, ast.Assert)
        for node in ast.walk(statement)
    )


def _program_of(tree: ast.Module, chosen: ast.Assert) -> str:
    body = [node for node in tree.body if node is chosen or not isinstance(node, ast.Assert)]
    return ast.unparse(ast.Module(body=body, type_ignores=[]))
