# One command a job. `make setup` needs a network once; everything after it does not.

VENV      := .venv
PY        := $(VENV)/bin/python
STAMP     := $(VENV)/.setup-done
INSTALLED := $(VENV)/.installed
WORKERS   ?= 2

# Which tests `make check` runs: test, or test-all as in .ci/run.
TEST    ?= test

# The first of python3.11 and python3 that really starts; override with make setup PYTHON=...
PYTHON  ?= $(shell for p in python3.11 python3; do $$p -c '' 2>/dev/null && { echo $$p; break; }; done)

# Another package index for torch alone, for instance one that carries a CPU or a CUDA build.
TORCH_INDEX ?=

# One torch thread a worker: the tests run several workers, and equal threads give equal bits.
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all coverage check validate mutants snapshots bench docs docs-check site format format-check lint types walls mutants-check \
        wheel wheel-smoke release-check clean

help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | while IFS="$$(printf '\t')" read -r name text; do \
	    printf '  make %-14s %s\n' "$$name" "$$text"; done

setup: $(STAMP)  ## make .venv and install the package with its development tools

# What running needs comes first, so that `make demo` does not wait for the tools of development.
$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python found. sightline needs Python 3.11 or newer: make setup PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is older than Python 3.11. Name a newer one: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo "$(PYTHON) cannot make virtual environments. On Debian or Ubuntu, as root: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(if $(TORCH_INDEX),$(PY) -m pip install --no-deps --constraint constraints.txt --index-url $(TORCH_INDEX) torch)
	$(PY) -m pip install --constraint constraints.txt --editable .
	@touch $(INSTALLED)

$(STAMP): $(INSTALLED)
	$(PY) -m pip install --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

demo: $(INSTALLED)  ## train and audit two small models on generated reviews, and write their reports
	$(VENV)/bin/sightline demo

test: $(STAMP)  ## the tests that every change must pass, without those marked slow
	$(PY) -m pytest -n $(WORKERS) --dist worksteal -m "not slow"

test-all: $(STAMP)  ## all tests, as .ci/run runs them
	$(PY) -m pytest -n $(WORKERS) --dist worksteal

snapshots: $(STAMP)  ## write again what each surface says, to be reviewed as a diff
	rm -f tests/snapshots/*.txt
	SNAPSHOTS=update $(PY) -m pytest -q $$(grep -rl --include='test_*.py' 'from tests.snapshots' tests)

coverage: $(STAMP)  ## all tests, counting the lines they reach; slower
	$(PY) -m pytest -n $(WORKERS) --dist worksteal --cov=sightline --cov-report=term

check: format-check lint types walls docs-check mutants-check $(TEST)  ## everything a change must pass

validate: $(STAMP)  ## the campaigns and full counts, written to docs/verified
	$(PY) validation/verify.py
	$(PY) tools/docs/make_docs.py

mutants: $(STAMP)  ## play the mutations kept by hand; SAMPLE=40 SEED=0 also plays random ones in the numeric rooms
	$(PY) scripts/mutants.py
	$(if $(SAMPLE),$(PY) scripts/sampled_mutants.py --sample $(SAMPLE) --seed $(or $(SEED),0))

bench: $(STAMP)  ## every benchmark, one JSON line a comparison
	@for script in benchmarks/*.py; do $(PY) $$script || exit 1; done

docs: $(STAMP)  ## write the generated pages of docs
	$(PY) tools/docs/make_docs.py

site: $(STAMP)  ## build the site in build/site, with the notebooks run and reports of the demo; QUICK=1 computes nothing
	$(PY) tools/docs/make_site.py $(if $(QUICK),--quick)

docs-check: $(STAMP)  ## are the generated pages up to date?
	$(PY) tools/docs/make_docs.py --check

format: $(STAMP)  ## format the code and sort its imports
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix-only --select I .

format-check: $(STAMP)  ## is everything formatted?
	$(PY) -m ruff format --check .

lint: $(STAMP)  ## ruff, and words that readers stumble over
	$(PY) -m ruff check .
	$(PY) tools/docs/plain_words.py

types: $(STAMP)  ## mypy, strict
	$(PY) -m mypy

walls: $(STAMP)  ## who may import whom
	$(VENV)/bin/lint-imports

mutants-check: $(STAMP)  ## does each mutation still find its fragment and its test?
	$(PY) scripts/mutants.py --check

wheel: $(STAMP)  ## build the wheel into dist
	rm -rf dist
	$(PY) -m build --wheel --no-isolation

wheel-smoke: wheel  ## install the wheel bare and audit with it from an empty folder
	PYTHON=$(PY) TORCH_INDEX=$(TORCH_INDEX) scripts/wheel_smoke.sh dist/*.whl

release-check: $(STAMP)  ## what does a release still lack?
	$(PY) scripts/release_check.py

clean:  ## remove what was built, keep .venv
	rm -rf build dist htmlcov .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests scripts tools validation benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
