"""Candidate and tests in one process, for tasks whose values cannot travel between two."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from posttrain.verify.programs.compare import Match, Rules, compare
from posttrain.verify.programs.forbidding import Forbidden
from posttrain.verify.programs.loading import (
    CANDIDATE_FILE,
    NotCallableError,
    compile_candidate,
    describe_error,
    find_entry_point,
    run_module,
)
from posttrain.verify.programs.program_test import CHECK, ProgramTest, judge_error
from posttrain.verify.programs.result import Ending, Result
from posttrain.verify.programs.running import Case

__all__ = ["run_shared"]


def run_shared(
    code: str,
    entry_point: str,
    tests: Sequence[Case | ProgramTest],
    rules: Rules,
    forbidden_names: Sequence[str],
) -> Iterator[Ending]:
    """A result for each test; programs run in a copy of the candidate's own namespace."""
    forbidden = Forbidden(forbidden_names)
    loaded = _load(code, entry_point, forbidden)
    if isinstance(loaded, Ending):
        yield loaded
        return
    namespace, function = loaded
    for test in tests:
        result = _run(test, namespace, function, rules)
        yield Ending(Result.FORBIDDEN, forbidden.called) if forbidden.called else result


def _load(
    code: str, entry_point: str, forbidden: Forbidden
) -> Ending | tuple[dict[str, Any], Callable[..., Any]]:
    try:
        namespace = run_module(compile_candidate(code), forbidden.builtins())
        return namespace, find_entry_point(namespace, entry_point)
    except NotCallableError as error:
        return Ending(Result.NOT_LOADED, f"missing: {error}")
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the boundary: the candidate's failure is data
        why = "syntax" if isinstance(error, SyntaxError) else "raised"
        return Ending(Result.NOT_LOADED, f"{why}: {_where(error)}")


def _run(
    test: Case | ProgramTest,
    namespace: dict[str, Any],
    function: Callable[..., Any],
    rules: Rules,
) -> Ending:
    try:
        if isinstance(test, ProgramTest):
            own = {**namespace, "candidate": function, test.entry_point: function}
            exec(compile(test.source, "<test>", "exec", dont_inherit=True), own)
            if CHECK in own and CHECK not in namespace:
                own[CHECK](function)
            return Ending(Result.PASSED)
        value = function(*test.args, **test.kwargs)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the boundary: any failure is a test result
        if _comes_from_candidate(error):
            return Ending(Result.EXCEPTION, _where(error))
        return judge_error(error)
    match = compare(test.expect, value, rules)
    if match is Match.EQUAL:
        return Ending(Result.PASSED)
    differs = Result.WRONG_TYPE if match is Match.TYPE_DIFFERS else Result.WRONG_ANSWER
    return Ending(differs)


def _where(error: BaseException) -> str:
    name, _, _, line = describe_error(error)
    return str(name) if line is None else f"{name} at line {line}"


def _comes_from_candidate(error: BaseException) -> bool:
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == CANDIDATE_FILE:
            return True
        traceback = traceback.tb_next
    return False
