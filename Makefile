# Every command a newcomer, a developer or CI needs. `make help` lists them.
PYTHON ?= python3
VENV := target/venv/bin
STACK := $(VENV)/python infra/local/stack.py
FUNCTIONS := $(patsubst functions/%/src/main.rs,%,$(wildcard functions/*/src/main.rs))
SEEDS ?= 100000
FROM ?= 0

# The emulator's region, for tools that ask for one.
export AWS_DEFAULT_REGION ?= us-east-1
export PYTHONDONTWRITEBYTECODE := 1
export PATH := $(CURDIR)/$(VENV):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup build lambda-local lambda deploy up deploy-local deploy-function down demo test test-rust test-python \
        test-localstack conformance openapi sim exhaustive check fmt clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-16s %s\n", $$1, $$2 }'

setup: ## the pinned tools and the emulator, under target/
	@$(PYTHON) infra/local/setup.py

build: ## everything, in the development profile
	cargo build --workspace --locked

lambda-local: build ## the functions as the local stack runs them, from that same build
	@infra/local/pack.sh $(FUNCTIONS)

lambda: setup ## the functions as AWS runs them: release, arm64
	cargo lambda build --release --arm64 --locked $(FUNCTIONS:%=--package %)

deploy: lambda ## to AWS, with the credentials at hand, as samconfig.toml says under prod
	sam deploy --config-env prod

up: setup lambda-local ## start the local stack and deploy template.yaml to it
	$(STACK) up --deploy

deploy-local: setup lambda-local ## deploy again to the running local stack
	$(STACK) deploy

deploy-function: setup lambda-local ## one function to the running local stack: make deploy-function FUNCTION=settle
	@eval "$$($(STACK) env)" && set -x && \
	cargo lambda deploy --endpoint-url "$$AWS_ENDPOINT_URL" --binary-name $(FUNCTION) ikkai-$(FUNCTION)

down: ## end the local stack
	$(STACK) down

demo: setup lambda-local ## a hundred payments through every fault, counted at the simulated Stripe
	target/debug/demo

test: setup test-rust test-python test-localstack test-fuzz ## every test; says NOT RUN of what could not run here

test-rust: lambda-local
	cargo test --workspace --locked

test-python: lambda-local
	$(VENV)/pytest -q -o cache_dir=target/pytest tests/template
	$(VENV)/python infra/openapi/drive.py --requests 200 --phases examples,fuzzing,stateful
	STRIPE_SIM_BIN=$(CURDIR)/target/debug/stripe-sim $(VENV)/pytest -q -o cache_dir=target/pytest tests/stripe-sim/python

# The one part that needs more than everything else does: a newer Python, which `make setup` looks for.
test-localstack: build
	@if [ -f target/venv-localstack/made ]; then target/debug/conformance --on localstack; \
	else echo "conformance: LocalStack NOT RUN: needs Python 3.13"; fi

openapi: setup lambda-local ## the HTTP API on a stack of its own, driven by its OpenAPI document: 10,000 requests, a quarter of an hour
	$(VENV)/python infra/openapi/drive.py --requests 10000

conformance: setup build ## every port's suite on the world and on every emulator, as one table a port
	target/debug/conformance

# The world without anything of AWS, optimised: a build of its own, short after the first time.
.PHONY: target/sim/sim
target/sim/sim:
	cargo build --package world --bin sim --profile sim --locked

sim: target/sim/sim ## the deterministic world over SEEDS seeds, or one seed with its trace: make sim SEED=42
	target/sim/sim $(if $(SEED),--seed $(SEED),--seeds $(SEEDS) --from $(FROM)) $(if $(DRAWING),--drawing $(DRAWING))

exhaustive: target/sim/sim ## the world with a crash at every pause point of every flow, and at every pair
	target/sim/sim --exhaustive

check: setup ## formatting, lints, layers, assertions, template, licences
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(VENV)/python infra/check/layers.py
	$(VENV)/python infra/check/assertions.py
	$(VENV)/cfn-lint template.yaml
	cargo fetch --locked
	cargo deny --offline check licenses bans sources

# A part of them: make mutants ARGS='--file crates/effect/src/key.rs'.
.PHONY: mutants
CARGO_MUTANTS := 27.1.0
mutants: ## every change that cargo-mutants knows to make to effect and payment must fail their own tests
	@target/tools/bin/cargo-mutants mutants --version 2>/dev/null | grep -qwF $(CARGO_MUTANTS) || \
	cargo install --root target/tools --version $(CARGO_MUTANTS) --locked cargo-mutants
	@$(PYTHON) infra/check/mutants.py target/tools/bin/cargo-mutants $(ARGS)

# A newcomer's test run fuzzes shortly; CI a minute each.
.PHONY: fuzz test-fuzz
CARGO_FUZZ := 0.13.2
SECONDS ?= 60
FUZZ_SECONDS ?= 5
fuzz: ## arbitrary bytes into the parsers, SECONDS each; what fails is kept in tests/fuzz/crashes
	@command -v $(firstword $(CXX)) >/dev/null || { echo "fuzz: NOT RUN: needs a C++ compiler"; exit 0; }; \
	{ target/tools/bin/cargo-fuzz fuzz --version 2>/dev/null | grep -qwF $(CARGO_FUZZ) || \
	cargo install --root target/tools --version $(CARGO_FUZZ) --locked cargo-fuzz; } && \
	CXX="$(CXX)" $(PYTHON) infra/check/fuzz.py target/tools/bin/cargo-fuzz $(SECONDS)

test-fuzz: build
	@$(MAKE) --no-print-directory fuzz SECONDS=$(FUZZ_SECONDS)

fmt: ## format the Rust code
	cargo fmt --all

clean: down ## end the local stack and remove all that was built
	rm -rf target
