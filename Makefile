# The list of verbs. Everything runs in .venv, which `make` fills from the package index.

PY := .venv/bin/python
STAMP := .venv/.talebearer-setup
# Compiled modules are kept between starts, whatever the shell says: most verbs start many processes.
unexport PYTHONDONTWRITEBYTECODE
BENCH_ARGS := $(if $(TRANSCRIPT),--transcript $(TRANSCRIPT),) $(if $(ONLY),--only $(ONLY),)

.PHONY: help setup demo test fast prop bench live docs validate-content clean

help: ## list the verbs
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: $(STAMP) ## make .venv and install Talebearer into it

$(STAMP): pyproject.toml constraints.txt tools/setup.sh
	@bash tools/setup.sh
	@touch $@

demo: $(STAMP) ## the main job on the bundled campaign, in ./talebearer-demo
	@.venv/bin/talebearer demo $(if $(DIR),'$(DIR)',)

test: $(STAMP) ## lint, types, import contracts, all tests, docs checks
	@bash tools/test.sh

fast: $(STAMP) ## the loop for one edit: format, then unit tests
	@.venv/bin/ruff check -q --fix src tests bench tools && .venv/bin/ruff format -q src tests bench tools
	@$(PY) -m pytest -q -x tests/unit

prop: $(STAMP) ## the long property and crash profiles
	@bash tools/automerge_peers.sh
	@TALEBEARER_PROFILE=long $(PY) -m pytest -q tests/property tests/contract tests/e2e

.venv-bench/.peers: Makefile
	@$(PY) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install -qq --disable-pip-version-check langextract==1.7.1 check-jsonschema==0.39.0 \
	  || echo "bench: the peers could not be installed; their rows are left out"
	@.venv-bench/bin/python -m pip install -qq --disable-pip-version-check langgraph-checkpoint-sqlite==3.1.2 \
	  sqlite-utils==4.2.1 diskcache==5.6.3 tinydb==4.9.0 \
	  || echo "bench: the peers of the store could not be installed; their rows are left out"
	@.venv-bench/bin/python -m pip install -qq --disable-pip-version-check bink==0.7.1 \
	  && npm install --silent --no-fund --no-audit --prefix .venv-bench inkjs@2.3.2 \
	  || echo "bench: the Ink runtime and compiler could not be installed; their row is left out"
	@touch $@

bench: $(STAMP) .venv-bench/.peers ## real-size benchmarks, side by side, into build/bench.json (a quarter of an hour; TRANSCRIPT=path for real input, ONLY="store large" for parts)
	@$(PY) bench/run.py $(BENCH_ARGS)

.venv-live/.ready: pyproject.toml tools/live_setup.sh
	@bash tools/live_setup.sh
	@touch $@

live: .venv-live/.ready ## a real model's server on this machine: the plumbing, not the quality (a minute or two)
	@.venv-live/bin/python tools/live.py

docs: $(STAMP) ## rewrite what is generated
	@$(PY) tools/generate_docs.py --write

validate-content: $(STAMP) ## lint the bundled content, or CONTENT=path, look at its form, and play its plans
	@.venv/bin/talebearer fmt --check --no-cache $(or $(CONTENT),src/talebearer/bundled/drowned-bell/content)
	@.venv/bin/talebearer lint --no-cache $(or $(CONTENT),src/talebearer/bundled/drowned-bell/content)
	@.venv/bin/talebearer test $(or $(CONTENT),src/talebearer/bundled/drowned-bell/content)

clean: ## remove what the verbs made
	@rm -rf .venv .venv-bench .venv-live build talebearer-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
