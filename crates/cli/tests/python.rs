//! The Python client against the server. The interpreter is `ORDAIN_PYTHON`, else `python3`.

mod support;

use std::process::Command;

#[test]
fn the_python_client_creates_watches_applies_and_deletes() {
    let python = std::env::var("ORDAIN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&python).args(["-c", "import kubernetes"]).output();
    if !there.is_ok_and(|it| it.status.success()) {
        let why = format!("{python} has no `kubernetes` package (pip install kubernetes)");
        return ordain_testkit::Need::Python.missing(&why);
    }
    let serving = support::Serving::start();
    let output = Command::new(&python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/client.py"))
        .env("KUBECONFIG", serving.kubeconfig())
        .env("HOME", serving.folder())
        .output()
        .expect("python runs");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
