"""Fail when a module, a function or a class of the package is over its size budget.

Numbers come from ``measure_style.py``; the budgets are those of docs/architecture.md.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "posttrain"

MAX_MODULE_LINES = 400
MAX_MEDIAN_MODULE_LINES = 180
MAX_FUNCTION_LINES = 50
MAX_MEDIAN_FUNCTION_LINES = 10
MAX_COMPLEXITY = 10
MAX_PUBLIC_METHODS = 12


def measure() -> dict[str, Any]:
    """What ``measure_style.py`` prints about the package."""
    command = [sys.executable, ROOT / "tools" / "measure_style.py", "posttrain", PACKAGE]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    shape: dict[str, Any] = json.loads(answer.stdout)
    return shape


def over_budget(shape: dict[str, Any]) -> Iterator[str]:
    """One line per broken budget, with the worst offenders."""
    for lines, module in shape["top_modules"]:
        if lines > MAX_MODULE_LINES:
            yield f"{module}: {lines} lines, allowed {MAX_MODULE_LINES}"
    for lines, _, function in shape["longest"]:
        if lines > MAX_FUNCTION_LINES:
            yield f"{function}: {lines} lines, allowed {MAX_FUNCTION_LINES}"
    complexity, function = shape["cc_max"]
    if complexity > MAX_COMPLEXITY:
        yield f"{function}: complexity {complexity}, allowed {MAX_COMPLEXITY}"
    if shape["median"] > MAX_MEDIAN_MODULE_LINES:
        yield f"median module: {shape['median']} lines, allowed {MAX_MEDIAN_MODULE_LINES}"
    if shape["fn_median"] > MAX_MEDIAN_FUNCTION_LINES:
        yield f"median function: {shape['fn_median']} lines, allowed {MAX_MEDIAN_FUNCTION_LINES}"


def wide_classes() -> Iterator[str]:
    """One line per class with too many public methods."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ClassDef):
                continue
            functions = (n for n in node.body if isinstance(n, ast.FunctionDef))
            public = [f for f in functions if not f.name.startswith("_") and not is_property(f)]
            if len(public) > MAX_PUBLIC_METHODS:
                where = path.relative_to(ROOT)
                yield f"{where}:{node.name}: {len(public)} methods, allowed {MAX_PUBLIC_METHODS}"


def is_property(function: ast.FunctionDef) -> bool:
    """True for what a caller reads like a field."""
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def main() -> int:
    """Print the shape or what is over budget; 1 when something is."""
    shape = measure()
    broken = [*over_budget(shape), *wide_classes()]
    for line in broken:
        print(line, file=sys.stderr)
    print(
        f"{shape['modules']} modules, median {shape['median']} lines, "
        f"largest {shape['max'][0]}; {shape['functions']} functions, "
        f"median {shape['fn_median']}, longest {shape['longest'][0][0]}; "
        f"complexity at most {shape['cc_max'][0]}"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
