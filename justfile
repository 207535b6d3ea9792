# `just` lists these.
default:
    @just --list

# Start Ordain with the example API.
demo:
    cargo run --release -p ordain-cli -- serve --demo

# Everything CI runs.
check:
    bash .ci/run

test:
    cargo test --workspace

fmt:
    cargo fmt --all

lint:
    cargo clippy --workspace --lib --bins -- -D warnings

bench:
    cargo bench --workspace

deny:
    cargo deny check

# Known vulnerabilities in the dependency tree.
audit:
    cargo audit

# The dependency tree as a bill of materials.
sbom:
    cargo cyclonedx --format json --all

# Kills and power cuts of the embedded store.
crash kills="1000" cuts="1000":
    ORDAIN_KILL_CYCLES={{kills}} cargo test --release -p ordain-storage --test kill -- --nocapture
    ORDAIN_POWER_CUTS={{cuts}} cargo test --release -p ordain-storage --test power -- --nocapture

# Histories of two and three servers on one etcd that are killed, paused, cut off and slowed down.
histories runs="100":
    ORDAIN_HISTORIES={{runs}} cargo test --release -p ordain-cli --test servers histories -- --nocapture --test-threads 1

# Each fuzz target for so long, with coverage; `just fuzz 60 yaml` one alone. Needs a C++ compiler.
fuzz seconds="600" only="":
    fuzz/run {{seconds}} {{only}}

# The claims of the fuzz targets on changed corpora, without coverage and without C++.
mutate seconds="60":
    ORDAIN_FUZZ_SECONDS={{seconds}} cargo test --release -p ordain-server --test mutated -- --nocapture

# Requests made to hurt: slowest /livez and peak memory.
attacks:
    cargo build --release -p ordain-cli
    cargo bench -p ordain-testkit --bench attacks

# What grows with what is stored: up to a million objects.
scale objects="1000000" definitions="5000" watchers="10000":
    cargo build --release -p ordain-cli
    ulimit -n 65536; cargo bench -p ordain-testkit --bench scale -- {{objects}} {{definitions}} {{watchers}}

# The same with objects and definitions on an etcd of its own, which has to be installed.
scale-etcd objects="100000" definitions="1000":
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build --release -p ordain-cli
    folder="$(mktemp -d)"
    etcd --data-dir "$folder" --quota-backend-bytes 8589934592 --logger zap --log-level error \
        --listen-client-urls http://127.0.0.1:23790 --advertise-client-urls http://127.0.0.1:23790 \
        --listen-peer-urls http://127.0.0.1:23791 &
    trap 'kill %1; wait; rm -rf "$folder"' EXIT
    ORDAIN_BENCH_ETCD=http://127.0.0.1:23790 cargo bench -p ordain-testkit --bench scale -- {{objects}} {{definitions}} 100

# Many histories of three servers, simulated, by seed.
simulate seeds="10000":
    ORDAIN_SIMULATION_SEEDS={{seeds}} cargo test --release -p ordain-registry --test simulation

# One machine: 100,000 random objects and all recorded writes, offline and by the server.
differential count="100000":
    ORDAIN_DIFFERENTIAL={{count}} ORDAIN_DIFFERENTIAL_EVERY=1 cargo test --release -p ordain-check --test differential

# The documentation of all crates; pages of public items may name private modules.
doc:
    RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps --lib
