"""Write requirements/*.txt: exact pins of what is installed, layer by layer. usage: make pins

base.txt is what the package needs, train.txt adds what a model needs, dev.txt what the checks need.
The versions are those of the running interpreter, so that what was tested is what is pinned. Local
version parts (``+cpu``) are left out: pip prefers a local build of the same version where one is
on disk. A resolver is not asked, because it would list the GPU packages of another torch build.
"""

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Written by `make pins` from the installed environment.\n"


def normal_name(name: str) -> str:
    """The spelling under which two requirement names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(requirement: Requirement, extras: Iterable[str]) -> bool:
    """True when the requirement's marker holds here, for any of ``extras`` or without one."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def closure(texts: Iterable[str]) -> dict[str, str]:
    """Name to installed version of the requirements and of everything that they need."""
    pins: dict[str, str] = {}
    stack = [Requirement(text) for text in texts]
    while stack:
        requirement = stack.pop()
        name = normal_name(requirement.name)
        if name in pins and not requirement.extras:
            continue
        distribution = metadata.distribution(name)
        pins[name] = distribution.version.partition("+")[0]
        for text in distribution.requires or ():
            inner = Requirement(text)
            if wanted(inner, requirement.extras) and normal_name(inner.name) not in pins:
                stack.append(inner)
    return pins


def write_layer(name: str, pins: dict[str, str], below: str | None) -> None:
    """Write one file that includes the layer below it."""
    include = f"-r {below}.txt\n" if below else ""
    lines = "".join(f"{package}=={version}\n" for package, version in sorted(pins.items()))
    (ROOT / "requirements" / f"{name}.txt").write_text(HEADER + include + lines)


def main() -> int:
    """Write the three layers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    layers = {"base": project["dependencies"], "train": extras["train"], "dev": extras["dev"]}
    seen: dict[str, str] = {}
    below: str | None = None
    for name, texts in layers.items():
        pins = {package: v for package, v in closure(texts).items() if package not in seen}
        write_layer(name, pins, below)
        seen.update(pins)
        below = name
    return 0


if __name__ == "__main__":
    sys.exit(main())
