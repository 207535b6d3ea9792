//! What admission costs over HTTPS: a policy, a webhook, and many policies that are about something
//! else.
//!
//! `cargo bench -p ordain-cli --bench admission [-- ROUNDS] [--policies N] [--bindings N]`.
//! Requests go one after the other over one connection, to one server that keeps its objects in
//! memory. A round creates Deployments without anything, then under a policy, then under a webhook,
//! then asks the webhook itself, from a process like the server's by the client that the server has,
//! about the same review: at the pace of creates, one of which comes before each call, as the webhook
//! is asked by the server, and one call after the other. Each round gives its ratios of medians, and
//! their medians are told: what slows the machine down for a while slows all parts of a round.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    dead_code,
    reason = "a benchmark stops at the first problem and prints its figures; the parts of the load \
              benchmark that it shares have more than it uses"
)]

#[path = "../load/client.rs"]
mod client;
mod hook;
#[path = "../load/process.rs"]
mod process;

use std::time::{Duration, Instant};

use client::Connection;
use hook::Hook;
use process::{Driven, Server};
use serde_json::{Value, json};

const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";

/// Requests of each part of a round, after some that are not counted.
const BLOCK: usize = 25;
const WARM: usize = 5;

struct Asked {
    rounds: usize,
    policies: usize,
    bindings: usize,
}

fn asked() -> Asked {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let after = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1)?.parse::<usize>().ok()
    };
    Asked {
        rounds: words.first().and_then(|word| word.parse().ok()).unwrap_or(60),
        policies: after("--policies").unwrap_or(1000),
        bindings: after("--bindings").unwrap_or(10_000),
    }
}

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    if std::env::args().any(|word| word == hook::ARGUMENT) {
        return runtime.block_on(hook::run());
    }
    // On a worker, where a server works as well: the main thread would have to be woken up.
    let done = runtime.spawn(measure(asked()));
    runtime.block_on(done).unwrap();
}

async fn measure(asked: Asked) {
    let base = std::env::var("ORDAIN_BENCH_DIRECTORY").unwrap_or_else(|_| ".".to_owned());
    let directory = tempfile::tempdir_in(base).unwrap();
    let data = directory.path().join("admission");
    let server = Server::start_with(&data, &["--store", "memory"]).await;
    let mut bench = Bench { connection: Connection::open(&server.access()).await, made: 0 };
    let hook = Hook::start();
    for _ in 0..4 {
        bench.deployments().await;
    }
    let mut rounds = Vec::new();
    for _ in 0..asked.rounds {
        rounds.push(bench.round(&hook).await);
    }
    let plain = tell(&rounds);
    bench.many_policies(plain, asked.policies, asked.bindings).await;
}

/// The medians of the parts of one round.
struct Round {
    plain: Duration,
    policy: Duration,
    webhook: Duration,
    /// A call of the webhook at the pace of creates.
    bare: Duration,
    /// One call after the other.
    hurried: Duration,
}

impl Round {
    fn policy_percent(&self) -> f64 {
        (self.policy.as_secs_f64() / self.plain.as_secs_f64() - 1.0) * 100.0
    }

    fn added(&self) -> f64 {
        self.webhook.as_secs_f64() - self.plain.as_secs_f64()
    }

    fn webhook_times(&self) -> f64 {
        self.added() / self.bare.as_secs_f64()
    }
}

/// Prints what the rounds came to; gives the time of a create without anything.
fn tell(rounds: &[Round]) -> Duration {
    let of = |part: fn(&Round) -> Duration| median(rounds.iter().map(part).collect());
    let plain = of(|it| it.plain);
    println!("create of a Deployment: {plain:?}  ({} rounds of {BLOCK})", rounds.len());
    let [low, middle, high] = quartiles(rounds.iter().map(Round::policy_percent).collect());
    println!(
        "  with a policy of three expressions: {:?}, {middle:+.1} %, half of the rounds {low:+.1} \
         to {high:+.1}  (bar 15 %)",
        of(|it| it.policy)
    );
    let [low, middle, high] = quartiles(rounds.iter().map(Round::webhook_times).collect());
    let [_, added, _] = quartiles(rounds.iter().map(Round::added).collect());
    println!(
        "  with a webhook: {:?}; it adds {:?}, its bare round trip is {:?}: {middle:.2} times, half \
         of the rounds {low:.2} to {high:.2}  (bar 1.3); one after the other {:?}",
        of(|it| it.webhook),
        Duration::from_secs_f64(added.max(0.0)),
        of(|it| it.bare),
        of(|it| it.hurried),
    );
    plain
}

fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values.get(values.len() * quarter / 4).copied().unwrap_or_default())
}

struct Bench {
    connection: Connection,
    made: usize,
}

impl Bench {
    async fn deployment(&mut self) -> Duration {
        self.made += 1;
        let object = deployment(self.made);
        self.create("/apis/apps/v1/namespaces/default/deployments", &object).await
    }

    /// The median time of creating Deployments.
    async fn deployments(&mut self) -> Duration {
        let mut times = Vec::with_capacity(WARM + BLOCK);
        for _ in 0..WARM + BLOCK {
            times.push(self.deployment().await);
        }
        median(times.split_off(WARM))
    }

    /// The median time of asking the webhook about a review, after a create each time.
    async fn bare(&mut self, hook: &Hook, review: &[u8]) -> Duration {
        let mut times = Vec::with_capacity(WARM + BLOCK);
        for _ in 0..WARM + BLOCK {
            self.deployment().await;
            times.push(hook.bare_round_trip(review).await);
        }
        median(times.split_off(WARM))
    }

    async fn round(&mut self, hook: &Hook) -> Round {
        let plain = self.deployments().await;
        let policy = self.one_policy().await;
        let webhook = self.one_webhook(hook).await;
        let review = hook.last_review().await;
        let bare = self.bare(hook, &review).await;
        let mut hurried = Vec::with_capacity(BLOCK);
        for _ in 0..BLOCK {
            hurried.push(hook.bare_round_trip(&review).await);
        }
        Round { plain, policy, webhook, bare, hurried: median(hurried) }
    }

    async fn create(&mut self, path: &str, object: &Value) -> Duration {
        let request = post(path, object);
        let start = Instant::now();
        assert_eq!(self.connection.exchange(&request).await, 201, "{object}");
        start.elapsed()
    }

    async fn delete(&mut self, path: &str) {
        let request = format!("DELETE {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(self.connection.exchange(request.as_bytes()).await, 200);
    }

    async fn one_policy(&mut self) -> Duration {
        let rules = json!([{"apiGroups": ["apps"], "apiVersions": ["*"],
            "operations": ["CREATE"], "resources": ["deployments"]}]);
        let object = policy("three", &rules);
        self.create(&format!("{ADMISSION}/validatingadmissionpolicies"), &object).await;
        let bound = binding("three", "three", None);
        self.create(&format!("{ADMISSION}/validatingadmissionpolicybindings"), &bound).await;
        let judged = self.deployments().await;
        self.delete(&format!("{ADMISSION}/validatingadmissionpolicybindings/three")).await;
        self.delete(&format!("{ADMISSION}/validatingadmissionpolicies/three")).await;
        judged
    }

    async fn one_webhook(&mut self, hook: &Hook) -> Duration {
        let object = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "bench"},
            "webhooks": [{
                "name": "bench.example.com", "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {"url": hook.url, "caBundle": hook.authority},
                "rules": [{"apiGroups": ["apps"], "apiVersions": ["v1"],
                    "operations": ["CREATE"], "resources": ["deployments"]}],
            }],
        });
        let path = format!("{ADMISSION}/validatingwebhookconfigurations");
        self.create(&path, &object).await;
        let judged = self.deployments().await;
        self.delete(&format!("{path}/bench")).await;
        judged
    }

    async fn many_policies(&mut self, plain: Duration, policies: usize, bindings: usize) {
        let mut added = Vec::new();
        for number in 0..policies {
            let rules = json!([{"apiGroups": ["other.example.com"], "apiVersions": ["*"],
                "operations": ["*"], "resources": [format!("others{number}")]}]);
            let object = policy(&format!("other-{number}"), &rules);
            let path = format!("{ADMISSION}/validatingadmissionpolicies");
            added.push(self.create(&path, &object).await);
        }
        report("adding a policy", policies, &added, plain);
        added.clear();
        for number in 0..bindings {
            let of = format!("other-{}", number % policies.max(1));
            let object = binding(&format!("bound-{number}"), &of, None);
            let path = format!("{ADMISSION}/validatingadmissionpolicybindings");
            added.push(self.create(&path, &object).await);
        }
        report("adding a binding", bindings, &added, plain);
        self.deployments().await;
        let judged = self.deployments().await;
        println!(
            "create of a Deployment beside them: {judged:?}, {:.2} times the one without",
            judged.as_secs_f64() / plain.as_secs_f64()
        );
    }
}

/// Whether the last of many are added as quickly as the first.
fn report(what: &str, count: usize, times: &[Duration], plain: Duration) {
    let tenth = (times.len() / 10).max(1);
    let first = median(times[..tenth.min(times.len())].to_vec());
    let last = median(times[times.len().saturating_sub(tenth)..].to_vec());
    println!(
        "{what}, {count} times: the first {first:?}, the last {last:?}; a create of a Deployment \
         takes {plain:?}"
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn policy(name: &str, rules: &Value) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {"resourceRules": rules},
            "validations": [
                {"expression": "object.spec.replicas <= 50"},
                {"expression": "object.spec.template.spec.containers.all(c, !c.image.endsWith(':latest'))"},
                {"expression": "has(object.metadata.labels) && 'app' in object.metadata.labels"},
            ],
        },
    })
}

fn binding(name: &str, policy: &str, resources: Option<Value>) -> Value {
    let mut spec = json!({"policyName": policy, "validationActions": ["Deny"]});
    if let Some(resources) = resources {
        spec["matchResources"] = resources;
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name}, "spec": spec,
    })
}

fn deployment(number: usize) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": format!("web-{number}"), "labels": {"app": "web"}},
        "spec": {
            "replicas": 3, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [
                    {"name": "web", "image": "web:1", "ports": [{"containerPort": 80}],
                        "env": [{"name": "A", "value": "b"}],
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}},
                    {"name": "side", "image": "side:2"},
                ]},
            },
        },
    })
}

fn post(path: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
