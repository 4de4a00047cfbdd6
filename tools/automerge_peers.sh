#!/usr/bin/env bash
# Put the JavaScript Automerge, which merges are compared with, into build/automerge. Tests only.
# Without Node it says so and does nothing; in CI it installs Node or fails.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds_max=120
if ! command -v npm >/dev/null && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing nodejs and npm"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
fi
if ! command -v npm >/dev/null; then
  echo "skipping the comparison with the JavaScript Automerge: there is no npm"
  [ "${CI:-}" != true ] || exit 1
  exit 0
fi
for version in 3.4.1 3.5.0; do
  folder=build/automerge/$version
  if [ -d "$folder/node_modules" ]; then
    echo "@automerge/automerge $version is there"
    continue
  fi
  mkdir -p "$folder"
  echo '{"private": true}' >"$folder/package.json"
  if ! timeout "$seconds_max" npm install --prefix "$folder" --silent --no-audit --no-fund \
    --ignore-scripts --no-save "@automerge/automerge@$version" >/dev/null; then
    rm -rf "$folder"
    echo "skipping the comparison with the JavaScript Automerge: npm could not install $version"
    [ "${CI:-}" != true ] || exit 1
    exit 0
  fi
  echo "@automerge/automerge $version is installed"
done
