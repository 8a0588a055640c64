# Every target sets up what it needs: a fresh machine wants python3 (>= 3.11) and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: test lint demo bench clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[test]"
# the page of a report is opened in a browser: the system's, else one of Playwright's; without either its test is skipped
	command -v chromium || timeout 180 $(BIN)/playwright install chromium || echo "No Chromium: pages are not tried in a browser."
	touch $(READY)

test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

demo: $(READY)
	$(BIN)/endd demo

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv
