//! JSON decode and encode against `serde_json` on the same bytes, in the same run.
//! `cargo bench -p ordain-value`

use std::hint::black_box;
use std::time::{Duration, Instant};

use ordain_value::{Value, json, value};

/// The best of several rounds, per call.
fn best(mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let mut calls = 1u32;
    for _ in 0..12 {
        let start = Instant::now();
        for _ in 0..calls {
            run();
        }
        let taken = start.elapsed();
        best = best.min(taken / calls);
        if taken < Duration::from_millis(20) {
            calls = calls.saturating_mul(2);
        }
    }
    best
}

/// An object with `items` list items of the shape real custom resources have.
fn object(items: i64) -> Value {
    let rules: Vec<Value> = (0..items)
        .map(|at| {
            value!({
                "name": format!("rule-{at}"),
                "matches": [{"path": {"type": "PathPrefix", "value": format!("/api/v{at}/resources")}, "method": "GET"}],
                "backendRefs": [{"group": "", "kind": "Service", "name": format!("backend-service-{at}"), "port": 8080, "weight": 1}],
                "timeouts": {"request": "10s", "backendRequest": "5s"},
                "ratio": 0.25, "enabled": true, "extra": null
            })
        })
        .collect();
    value!({
        "apiVersion": "gateway.example.com/v1", "kind": "Route",
        "metadata": {"name": "a", "namespace": "default", "labels": {"app.kubernetes.io/name": "a"}},
        "spec": {"hostnames": ["a.example.com", "b.example.com"], "rules": rules}
    })
}

fn main() {
    println!(
        "{:>10} {:>12} {:>12} {:>7}   {:>12} {:>12} {:>7}",
        "bytes", "decode", "serde_json", "ratio", "encode", "serde_json", "ratio"
    );
    for items in [1, 15, 150, 3000] {
        let bytes = json::encode(&object(items));
        let ours = best(|| drop(black_box(json::decode(black_box(&bytes)))));
        let theirs = best(|| {
            drop(black_box(serde_json::from_slice::<serde_json::Value>(black_box(&bytes))));
        });
        let tree = json::decode(&bytes).unwrap();
        let other: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let ours_out = best(|| drop(black_box(json::encode(black_box(&tree)))));
        let theirs_out = best(|| drop(black_box(serde_json::to_vec(black_box(&other)))));
        let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
        println!(
            "{:>10} {ours:>12.2?} {theirs:>12.2?} {:>7.2}   {ours_out:>12.2?} {theirs_out:>12.2?} {:>7.2}",
            bytes.len(),
            ratio(ours, theirs),
            ratio(ours_out, theirs_out)
        );
    }
}
