#!/usr/bin/env bash
# Make .venv and install Talebearer with its development tools. Debian keeps venv in a package of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
  echo "talebearer: no $python on the path; install Python 3.11 or newer" >&2
  exit 2
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "talebearer: $("$python" --version) is too old; Python 3.11 or newer is needed (PYTHON=... names another)" >&2
  exit 2
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "talebearer: installing python3-venv"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >/dev/null
  else
    echo "talebearer: this Python has no venv module; run: apt-get install python3-venv" >&2
    exit 2
  fi
fi
if [ ! -x .venv/bin/python ]; then
  rm -rf .venv
  "$python" -m venv .venv
fi
echo "talebearer: installing into .venv (about a minute)"
.venv/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
# As an installer does with packages that are no links into a folder: the first start need not compile.
.venv/bin/python -m compileall -q src
