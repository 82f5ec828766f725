"""``posttrain doctor``: what this machine can enforce and run, and what mends the rest."""

from collections.abc import Mapping, Sequence

from posttrain.cli.output import Output
from posttrain.cli.verb import verb
from posttrain.sandbox.doctor import Check, Status, capability_tables, probe
from posttrain.sandbox.protocol import Capability

__all__ = ["app"]

PREREQUISITE_MISSING = 3

app = verb("doctor", "posttrain doctor", "posttrain doctor --json")


@app.default
def doctor(*, output: Output = Output()) -> int:
    """Check this machine; exit 0 when it is usable, 3 when a required part is missing.

    With --quiet only what is not ok is printed.
    """
    checks, tables = probe(), capability_tables()
    if output.json:
        output.document({"checks": checks, "backends": tables})
    else:
        _show(checks, tables, output)
    missing = any(check.status is Status.MISSING for check in checks)
    return PREREQUISITE_MISSING if missing else 0


def _show(
    checks: Sequence[Check], tables: Mapping[str, Mapping[str, Capability]], output: Output
) -> None:
    shown = [check for check in checks if not output.quiet or check.status is not Status.OK]
    for check in shown:
        output.line(f"{check.status.value:<9} {check.name}: {check.detail}")
        if check.mend:
            output.line(f"{'':<9} mend: {check.mend}")
    for name, limits in tables.items() if output.is_chatty else ():
        output.line("")
        rows = [(limit, held.level.value, held.mechanism) for limit, held in limits.items()]
        output.table(("limit", "level", "mechanism"), rows, title=f"backend {name}")
