# Every target sets up what it needs: a fresh machine wants python3 (>= 3.11) and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

CLUSTER := OMP_NUM_THREADS=1 $(BIN)/pytest -m cluster tests/cluster

.PHONY: test test-cluster soak lint demo bench clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[test]"
# the page of a report is opened in a browser: the system's, else one of Playwright's; without either its test is skipped
	command -v chromium || timeout 180 $(BIN)/playwright install chromium || echo "No Chromium: pages are not tried in a browser."
	touch $(READY)

test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal

.venv/.ray: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[ray]"
	touch .venv/.ray

# A real Ray and a real torchrun, and three processes killed at random; soak kills twenty.
test-cluster: .venv/.ray
	$(CLUSTER)

soak: .venv/.ray
	ENDD_FAULTS=20 $(CLUSTER) -k faults

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
