# `make` lists what can be made. Nothing is done twice: npm packages are
# installed again only when a lock file has changed, and the Go tool keeps what
# it has built.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Processors since 2009 count bits in one instruction. Searching vectors is hardly
# anything else, and takes a quarter less time when nobody has to ask for it first.
export GOAMD64 ?= v2

ADDR ?= 127.0.0.1:8080
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

WASM := internal/document/pdfium/wasm
WEB_SOURCES = $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/dist/*' -not -path 'web/test-results/*' 2>/dev/null)

.PHONY: help run build test check bench eval soak clean go npm

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

run: ## build, then serve http://127.0.0.1:8080 with this project's documentation added
	@if (exec 3<>/dev/tcp/$(subst :,/,$(ADDR))) 2>/dev/null; then \
		echo "$(ADDR) is taken by another program. Stop it, or choose another port:"; \
		echo "  make run ADDR=127.0.0.1:8081"; exit 1; fi
	@$(MAKE) build
	@echo "Ctrl-C stops it, and .run/data keeps its data."
	@exec bin/ibid serve --addr $(ADDR) --data .run/data --add README.md --add docs

build: go web/dist/index.html $(WASM)/pdfium.wasm ## build bin/ibid
	@CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/ibid ./cmd/ibid

test: build ## run everything that CI runs, ending with one line of counts
	@if [ "$${CI:-}" = true ]; then .ci/install; fi
	@go run ./scripts/test

check: go web/node_modules/.package-lock.json ## look for mistakes without running anything
	@unformatted=$$(gofmt -l *.go cmd internal scripts web/*.go); \
		if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	go test ./internal/importtest
	cd web && npm run --silent check

bench: build ## measure: latency, overhead, ingestion, search, memory, start-up, size; GROWTH=1: what a library costs as it grows, and draw it
	@go run ./scripts/bench $(if $(GROWTH),-library-growth)

eval: build ## measure retrieval quality on public question sets
	@go run ./scripts/eval

soak: build ## the long versions: SEEDS power cuts (default 50000), flipped bytes, KILLS crashes (2000), then a busy server for SOAK (10m)
	@IBID_SEEDS=$(or $(SEEDS),50000) go test -count=1 -timeout 4h -run '^TestPowerCuts$$' -v ./internal/ingest | grep -v '^=== '
	@IBID_SEEDS=$$(($(or $(SEEDS),50000) / 25)) go test -count=1 -timeout 4h -run '^Test(FaultsAndPowerCuts|TablesSurvivePowerCuts)$$' -v ./internal/backup ./internal/database | grep -v '^=== '
	@IBID_FULL=1 go test -count=1 -timeout 1h -run '^Test(AFlippedByteEmptiesNoLibrary|ALogThatIsLostIsMissed)$$' -v ./cmd/ibid | grep -v '^=== '
	@IBID_KILLS=$(or $(KILLS),2000) go test -count=1 -timeout 4h -run 'Test(Ingest|Backup)?Crash$$' -v ./cmd/ibid | grep -v '^=== '
	@go run ./scripts/bench -soak $(or $(SOAK),10m)

clean: ## remove what was built and installed here
	rm -rf bin .ci/out "$${XDG_CACHE_HOME:-$$HOME/.cache}/ibid-tests" web/node_modules $(WASM)/node_modules $(WASM)/pdfium.wasm
	find web/dist -mindepth 1 -not -name README.md -delete 2>/dev/null || true

# What has to be on the machine.

go:
	@command -v go >/dev/null || { echo "Go is missing: get 1.26 or newer from https://go.dev/dl"; exit 1; }

npm:
	@command -v node >/dev/null || { echo "Node.js is missing: get 20.19 or newer from https://nodejs.org, or on Debian 13: apt-get install nodejs npm"; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || a == 20 && b >= 19 ? 0 : 1)' || \
		{ echo "Node.js $$(node --version) is too old: get 20.19 or newer from https://nodejs.org"; exit 1; }
	@command -v npm >/dev/null || { echo "npm is missing: on Debian: apt-get install npm"; exit 1; }

# What is fetched and built beside the Go code.

web/node_modules/.package-lock.json: web/package-lock.json | npm
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

web/dist/index.html: web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd web && npm run --silent build
	@touch $@

$(WASM)/pdfium.wasm: $(WASM)/package-lock.json $(WASM)/fetch.sh | npm
	sh $(WASM)/fetch.sh
	@touch $@
