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

# Many histories of three servers, by seed.
simulate seeds="10000":
    ORDAIN_SIMULATION_SEEDS={{seeds}} cargo test --release -p ordain-registry --test simulation
