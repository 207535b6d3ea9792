# `just` lists these.
default:
    @just --list

# Start Ordain with the example API.
demo:
    cargo run --release -p ordain -- serve --demo

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
