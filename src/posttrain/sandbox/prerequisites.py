"""Why this machine cannot hold the wall, and the one command that mends it."""

import os
from pathlib import Path

__all__ = ["user_namespace_fault"]

_SYSCTLS = {
    "user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=15000"),
    "kernel/unprivileged_userns_clone": ("0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
}
"""What forbids user namespaces: the first everywhere, the second on Debian, the third on Ubuntu
from 23.10, where AppArmor gives programs without a profile namespaces without rights."""


def user_namespace_fault(sys_folder: Path = Path("/proc/sys")) -> tuple[str, str] | None:
    """What forbids user namespaces here and what allows them, or None when nothing is known to."""
    if not Path("/proc/self/ns/user").exists():
        return "the kernel has no user namespaces", "boot a kernel with CONFIG_USER_NS=y"
    for name, (forbidding, mend) in _SYSCTLS.items():
        try:
            value = (sys_folder / name).read_text().strip()
        except OSError:
            continue
        if value == forbidding:
            prefix = "" if os.geteuid() == 0 else "sudo "
            return f"{name.replace('/', '.')} is {value}", prefix + mend
    return None
