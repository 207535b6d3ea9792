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

# One machine: 100,000 random objects and all recorded writes, offline and by the server.
differential count="100000":
    ORDAIN_DIFFERENTIAL={{count}} ORDAIN_DIFFERENTIAL_EVERY=1 cargo test --release -p ordain-check --test differential

# The documentation of all crates; pages of public items may name private modules.
doc:
    RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps --lib
