//! The stores of this crate keep the contract.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking and tell what they did"
)]

use ordain_storage::contract::{self, model};
use ordain_storage::{EmbeddedStore, MemoryStore};
use proptest::prelude::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_memory_store_keeps_the_contract() {
    contract::run(&MemoryStore::new(), "/registry/").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedded_store_keeps_the_contract() {
    let directory = tempfile::tempdir().unwrap();
    contract::run(&EmbeddedStore::open(directory.path()).unwrap(), "/registry/").await;
    // Once more on what the first run has left behind.
    contract::run(&EmbeddedStore::open(directory.path()).unwrap(), "/again/").await;
    let report = ordain_storage::embedded::check(directory.path()).unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
}

fn on_a_runtime(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_memory_store_does_as_the_model_does(ops: Vec<[u8; 4]>) {
        on_a_runtime(async { model::check(&MemoryStore::new(), "/m/", &ops).await });
    }

    #[test]
    fn the_embedded_store_does_as_the_model_does(ops: Vec<[u8; 4]>) {
        let backend = ordain_storage::embedded::InMemoryBackend::new;
        let store = EmbeddedStore::open_on(backend, Default::default()).unwrap();
        on_a_runtime(async { model::check(&store, "/m/", &ops).await });
    }
}
