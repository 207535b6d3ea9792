//! The whole of `k8s.io/api` read, resolved and lowered to OpenAPI definitions, on one core.
//!
//! `ORDAIN_K8S_TREE=… cargo bench -p ordain-gen`; `-- --fail` makes a missed bar an error. Files
//! come from the page cache from the second run on, as they do when a project is generated again.

use std::time::{Duration, Instant};

use ordain_check::Disk;
use ordain_gen::openapi::{Options, generate};
use ordain_idl::Loader;

/// The bar of the project.
const BAR: Duration = Duration::from_secs(1);
const RUNS: usize = 5;

fn main() {
    let Ok(tree) = std::env::var("ORDAIN_K8S_TREE") else {
        println!("skipped: ORDAIN_K8S_TREE names no Kubernetes source tree");
        return;
    };
    let staging = format!("{tree}/staging/src/k8s.io");
    let mut best = [Duration::MAX; 3];
    let mut counts = (0, 0, 0);
    for _ in 0..RUNS {
        let started = Instant::now();
        let universe = Loader::new(&Disk)
            .module("k8s.io/apimachinery", format!("{staging}/apimachinery"))
            .module("k8s.io/api", format!("{staging}/api"))
            .packages_below(&format!("{staging}/api"))
            .load();
        let read = started.elapsed();
        let output = generate(&universe, Options { dependencies: true, ..Options::default() });
        let all = started.elapsed();
        assert!(!output.has_errors(), "{:?}", output.diagnostics.first());
        counts =
            (universe.requested().count(), universe.all_named().count(), output.definitions.len());
        for (best, found) in best.iter_mut().zip([read, all - read, all]) {
            *best = found.min(*best);
        }
    }
    let [read, lowered, all] = best;
    println!("{} packages, {} types, {} definitions; best of {RUNS}", counts.0, counts.1, counts.2);
    println!(
        "read and resolved {read:.0?}, lowered {lowered:.0?}, together {all:.0?} (bar {BAR:?})"
    );
    if all > BAR && std::env::args().any(|arg| arg == "--fail") {
        std::process::exit(1);
    }
}
