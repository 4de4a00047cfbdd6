#!/usr/bin/env bash
# Everything that must hold before a change lands. Prints each step; stops at the first that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
unset PYTHONDONTWRITEBYTECODE  # the tests start hundreds of processes; each reads what one compiled

step() { printf '\n== %s\n' "$1"; }

step "Debian packages"
if command -v chromium >/dev/null; then
  echo "chromium is there"
elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing chromium for the browser test"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
elif [ "${CI:-}" = true ]; then
  echo "chromium is missing and cannot be installed without root" >&2
  exit 1
else
  echo "skipping the browser test: it needs Debian's chromium (apt-get install chromium)"
fi

step "JavaScript peers"; bash tools/automerge_peers.sh

step "lint";             ruff check src tests bench tools
                         ruff format --check --quiet src tests bench tools
step "types";            mypy
step "import contracts"; lint-imports
step "generated docs";   python tools/generate_docs.py --check
step "tests";            python -m pytest -q -n 2 --dist worksteal
