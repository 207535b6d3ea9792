//! Requests that are made to hurt, one server for each: how long they take, how long `/livez` takes
//! meanwhile, and the most memory that the server ever held.
//!
//! `cargo bench -p ordain-testkit --bench attacks [-- OBJECTS [WORD…]]`; lists are of so many objects,
//! 100,000 unless told otherwise. With words, only attacks are run that have one of them in their name.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark stops at the first problem and prints its figures"
)]

mod long;
#[path = "../program/mod.rs"]
mod program;
mod slow;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ordain_testkit::Client;
use ordain_testkit::client::Request;
use program::{DEFINITIONS, KEEP, Server, THINGS, definition, fill, send};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const JSON: &str = "application/json";

const LIVEZ_BAR: Duration = Duration::from_millis(50);
const PEAK_BAR: f64 = 512.0;

fn list(len: usize, item: impl Fn(usize) -> String) -> String {
    (0..len).map(item).collect::<Vec<_>>().join(",")
}

struct Attack {
    name: &'static str,
    /// What is there before the clock runs.
    prepare: Box<dyn Fn(&Server)>,
    /// Gives what the answers were.
    run: Box<dyn Fn(&Server) -> String>,
}

fn attack(name: &'static str, run: impl Fn(&Server) -> String + 'static) -> Attack {
    Attack { name, prepare: Box::new(|_| {}), run: Box::new(run) }
}

fn one(server: &Server, method: &str, path: &str, media: &str, body: Vec<u8>) -> String {
    send(&mut server.client(), method, path, media, body).code.to_string()
}

fn define(server: &Server, plural: &str, kind: &str, spec: &str) {
    let body = definition(plural, kind, spec);
    assert_eq!(one(server, "POST", DEFINITIONS, JSON, body), "201");
}

fn config_map(name: &str, rest: &str) -> Vec<u8> {
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}}{rest}}}"#)
        .into()
}

/// A message with its number and length before it.
fn field(number: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(number << 3 | 2);
    let mut len = bytes.len();
    while len > 0x7f {
        out.push((len & 0x7f) as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
    out.extend_from_slice(bytes);
}

fn message_of_many_keys() -> Vec<u8> {
    let (mut metadata, mut map, mut ty) = (Vec::new(), Vec::new(), Vec::new());
    field(1, b"p", &mut metadata);
    field(1, &metadata, &mut map);
    for at in 0..250_000 {
        let mut entry = Vec::new();
        field(1, format!("{:05x}", 250_000 - at).as_bytes(), &mut entry);
        field(2, &entry, &mut map);
    }
    field(1, b"v1", &mut ty);
    field(2, b"ConfigMap", &mut ty);
    let mut body = b"k8s\0".to_vec();
    field(1, &ty, &mut body);
    field(2, &map, &mut body);
    body
}

fn objects() -> Vec<Attack> {
    let owners = list(20_000, |at| {
        format!(r#"{{"apiVersion":"v1","kind":"K","name":"n{at}","uid":"u{at}"}}"#)
    });
    let owned = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"o","ownerReferences":[{owners}]}}}}"#
    );
    let keys = list(150_000, |at| format!(r#""{at:05x}":"""#));
    let nulls = list(150_000, |at| format!(r#""{at:05x}":null"#));
    let wide = config_map("m", &format!(r#","data":{{{keys}}}"#));
    let patch = format!(r#"{{"data":{{{nulls}}}}}"#).into_bytes();
    let aliases = vec!["*a"; 6_000].join(",");
    let yaml = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  a: &a {}\n  b: [{aliases}]\n",
        "x".repeat(1_000_000)
    );
    let resources = list(990, |at| format!("\"r{at}\""));
    let verbs = list(100, |at| format!("\"v{at}\""));
    let role = format!(
        r#"{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{{"name":"r"}},"rules":[{{"apiGroups":["g"],"resources":[{resources}],"verbs":[{verbs}]}}]}}"#
    );
    let message = message_of_many_keys();
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    vec![
        attack("20,000 owners", move |it| {
            one(it, "POST", CONFIG_MAPS, JSON, owned.clone().into_bytes())
        }),
        Attack {
            name: "merge patch of 150,000 deletions",
            prepare: Box::new(move |it| {
                assert_eq!(one(it, "POST", CONFIG_MAPS, JSON, wide.clone()), "201");
            }),
            run: Box::new(move |it| {
                let path = format!("{CONFIG_MAPS}/m");
                one(it, "PATCH", &path, "application/merge-patch+json", patch.clone())
            }),
        },
        attack("protobuf of 250,000 keys", move |it| {
            one(it, "POST", CONFIG_MAPS, "application/vnd.kubernetes.protobuf", message.clone())
        }),
        attack("role of 99,000 grants", move |it| {
            one(it, "POST", roles, JSON, role.clone().into_bytes())
        }),
        attack("selector of 50 KB", |it| {
            let path = format!("{CONFIG_MAPS}?labelSelector={}", "(".repeat(50_000));
            one(it, "GET", &path, JSON, Vec::new())
        }),
        attack("6,000 aliases of 1 MB", move |it| {
            one(it, "POST", CONFIG_MAPS, "application/yaml", yaml.clone().into_bytes())
        }),
    ]
}

/// Objects with much that is reported, or that stands twice.
fn reported() -> Vec<Attack> {
    let unknown = list(150_000, |at| format!(r#""unknown{at:06}":0"#));
    let strange = config_map("u", &format!(",{unknown}"));
    let twice = list(100_000, |at| format!(r#""k{at:05}":1,"k{at:05}":2"#));
    let repeated = format!("{}{{{twice}}}{}", r#"{"long name":"#.repeat(5_000), "}".repeat(5_000));
    let keys = list(250_000, |at| format!(r#""{:05x}":"""#, 250_000 - at));
    let backwards = config_map("b", &format!(r#","data":{{"00001":"",{keys}}}"#));
    vec![
        attack("150,000 fields that nobody knows", move |it| {
            one(it, "POST", CONFIG_MAPS, JSON, strange.clone())
        }),
        attack("repeated keys 5,000 deep", move |it| {
            one(it, "POST", CONFIG_MAPS, JSON, repeated.clone().into_bytes())
        }),
        attack("250,000 keys backwards, one twice", move |it| {
            one(it, "POST", CONFIG_MAPS, JSON, backwards.clone())
        }),
    ]
}

fn definitions() -> Vec<Attack> {
    let long = "x".repeat(1_000_000);
    let fat = format!(
        r#"{{"type":"object","properties":{{"items":{{"type":"array","items":{{"type":"object","properties":{{"d":{{"type":"string","default":"{long}"}}}}}}}}}}}}"#
    );
    let items = list(1_000, |_| "{}".to_owned());
    let fatten = format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Fat","metadata":{{"name":"f"}},"spec":{{"items":[{items}]}}}}"#
    );
    let versions = list(10_000, |at| {
        let stored = at == 0;
        format!(
            r#"{{"name":"v{}","served":true,"storage":{stored},"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}}"#,
            at + 1
        )
    });
    let many = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"many.many.example.com"}},"spec":{{"group":"many.example.com","scope":"Cluster","names":{{"kind":"Many","plural":"many"}},"versions":[{versions}]}}}}"#
    );
    let patterns = list(20, |at| {
        format!(
            r#""p{at}":{{"type":"string","pattern":"^(\\pL{{1000}}|\\pN{{1000}}|a{at}{{1000}})$"}}"#
        )
    });
    let counted = format!(r#"{{"type":"object","properties":{{{patterns}}}}}"#);
    let rule = r#"{"type":"object","properties":{"p":{"type":"array","maxItems":1000,"items":{"type":"string","maxLength":1000}}},"x-kubernetes-validations":[{"rule":"self.p.all(a, !'x'.matches(a))"}]}"#;
    let hard = list(900, |at| format!(r#""y{at}(\\pL{{900}}|z{{900}}){}""#, "q".repeat(900)));
    let dynamic = format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Dyn","metadata":{{"name":"d"}},"spec":{{"p":[{hard}]}}}}"#
    );
    vec![
        Attack {
            name: "1 MB of default 1,000 times",
            prepare: Box::new(move |it| define(it, "fats", "Fat", &fat)),
            run: Box::new(move |it| {
                one(it, "POST", &THINGS.replace("things", "fats"), JSON, fatten.clone().into())
            }),
        },
        attack("definition of 10,000 versions", move |it| {
            one(it, "POST", DEFINITIONS, JSON, many.clone().into_bytes())
        }),
        attack("20 counted repetitions", move |it| {
            one(it, "POST", DEFINITIONS, JSON, definition("rxs", "Rx", &counted))
        }),
        Attack {
            name: "patterns that come with the object",
            prepare: Box::new(move |it| define(it, "dyns", "Dyn", rule)),
            run: Box::new(move |it| {
                one(it, "POST", &THINGS.replace("things", "dyns"), JSON, dynamic.clone().into())
            }),
        },
    ]
}

/// Values that are held against much.
fn judged() -> Vec<Attack> {
    let branches = list(20_000, |at| format!(r#"{{"required":["x{at}"]}}"#));
    let any = format!(
        r#"{{"type":"object","properties":{{"l":{{"type":"array","items":{{"type":"object","x-kubernetes-preserve-unknown-fields":true,"anyOf":[{branches}]}}}}}}}}"#
    );
    let empty = list(100_000, |_| "{}".to_owned());
    let held = format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Any","metadata":{{"name":"a"}},"spec":{{"l":[{empty}]}}}}"#
    );
    let slow =
        r#"{"type":"object","properties":{"s":{"type":"string","pattern":"^[ab]*a[ab]{900}c$"}}}"#;
    let text: String =
        (0..300_000_u64).map(|at| if at * at / 7 % 2 == 0 { 'a' } else { 'b' }).collect();
    let searched = format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Pat","metadata":{{"name":"p"}},"spec":{{"s":"{text}"}}}}"#
    );
    let matched = r#"{"type":"object","properties":{"s":{"type":"string","maxLength":300000}},"x-kubernetes-validations":[{"rule":"!self.s.matches('^[ab]*a[ab]{900}c$')"}]}"#;
    let ruled = searched.replace("Pat", "Mat");
    let zeros = list(1_000_000, |_| "0".to_owned());
    let long = format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Thing","metadata":{{"name":"long"}},"spec":{{"l":[{zeros}]}}}}"#
    );
    let moves = list(10_000, |_| r#"{"op":"add","path":"/spec/l/0","value":0}"#.to_owned());
    vec![
        Attack {
            name: "100,000 items against 20,000 branches",
            prepare: Box::new(move |it| define(it, "anys", "Any", &any)),
            run: Box::new(move |it| {
                one(it, "POST", &THINGS.replace("things", "anys"), JSON, held.clone().into())
            }),
        },
        Attack {
            name: "300 KB against a counted repetition",
            prepare: Box::new(move |it| define(it, "pats", "Pat", slow)),
            run: Box::new(move |it| {
                one(it, "POST", &THINGS.replace("things", "pats"), JSON, searched.clone().into())
            }),
        },
        Attack {
            name: "300 KB against one in a rule",
            prepare: Box::new(move |it| define(it, "mats", "Mat", matched)),
            run: Box::new(move |it| {
                one(it, "POST", &THINGS.replace("things", "mats"), JSON, ruled.clone().into())
            }),
        },
        Attack {
            name: "10,000 items before a million",
            prepare: Box::new(move |it| {
                define(it, "things", "Thing", KEEP);
                assert_eq!(one(it, "POST", THINGS, JSON, long.clone().into()), "201");
            }),
            run: Box::new(move |it| {
                let body = format!("[{moves}]").into_bytes();
                let path = format!("{THINGS}/long");
                one(it, "PATCH", &path, "application/json-patch+json", body)
            }),
        },
    ]
}

fn readers(objects: usize) -> Vec<Attack> {
    let prepare = move |it: &Server| {
        define(it, "things", "Thing", KEEP);
        fill(it, 0..objects, 500);
    };
    let ask = |server: &Server| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head = format!(
            "GET {THINGS} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            server.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    vec![
        Attack {
            name: "eight lists without a limit",
            prepare: Box::new(prepare),
            run: Box::new(move |it| {
                std::thread::scope(|scope| {
                    let lists: Vec<_> = (0..8)
                        .map(|_| {
                            scope.spawn(|| {
                                std::io::copy(&mut ask(it), &mut std::io::sink()).unwrap()
                            })
                        })
                        .collect();
                    let bytes: u64 = lists.into_iter().map(|list| list.join().unwrap()).sum();
                    format!("{} MB", bytes / 1_000_000)
                })
            }),
        },
        Attack {
            name: "fifty readers that do not read",
            prepare: Box::new(prepare),
            run: Box::new(move |it| {
                let streams: Vec<TcpStream> = (0..50).map(|_| ask(it)).collect();
                std::thread::sleep(Duration::from_secs(5));
                let mut first = [0; 12];
                for mut stream in streams {
                    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
                    let _ = stream.read(&mut first);
                }
                String::from_utf8_lossy(&first[9..]).into_owned()
            }),
        },
        Attack {
            name: "eight watches of what is not there",
            prepare: Box::new(prepare),
            run: Box::new(move |it| {
                std::thread::scope(|scope| {
                    for _ in 0..8 {
                        scope.spawn(|| {
                            let path =
                                format!("{THINGS}?watch=1&labelSelector=no&timeoutSeconds=1");
                            send(&mut it.client(), "GET", &path, JSON, Vec::new());
                        });
                    }
                });
                "read".to_owned()
            }),
        },
        attack("flood by one user, 64 connections", flood),
    ]
}

/// A request as a user.
fn ask_as(client: &mut Client, user: &str, path: &str) -> u16 {
    let headers = vec![("impersonate-user".to_owned(), user.to_owned())];
    let request = Request { method: "GET", path, headers, ..Request::default() };
    client.call(&request).unwrap().code
}

/// How long an answer takes another user while one floods the server, and before.
fn flood(server: &Server) -> String {
    let alone = other(server, Instant::now() + Duration::from_secs(2));
    let end = Instant::now() + Duration::from_secs(5);
    let (beside, codes) = std::thread::scope(|scope| {
        let floods: Vec<_> = (0..64)
            .map(|_| {
                scope.spawn(move || {
                    let (mut client, mut codes) = (server.client(), [0, 0]);
                    while Instant::now() < end {
                        let code = ask_as(&mut client, "flood", "/api/v1/configmaps");
                        codes[usize::from(code == 429)] += 1;
                    }
                    codes
                })
            })
            .collect();
        let beside = other(server, end);
        let codes = floods.into_iter().map(|flood| flood.join().unwrap());
        (beside, codes.fold([0, 0], |all, one| [all[0] + one[0], all[1] + one[1]]))
    });
    println!(
        "  another user's GET: median {:.1?} alone, {:.1?} beside {} answers and {} refusals of the flood",
        alone, beside, codes[0], codes[1]
    );
    "answered".to_owned()
}

/// The median time of another user's answers.
fn other(server: &Server, end: Instant) -> Duration {
    let mut client = server.client();
    let mut times = Vec::new();
    while Instant::now() < end {
        let asked = Instant::now();
        assert_eq!(ask_as(&mut client, "other", "/api/v1/namespaces/default"), 200);
        times.push(asked.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// Asks `/livez` without pause until it is told to stop; gives the slowest answer.
fn slowest(server: &Server, done: &AtomicBool) -> Duration {
    let mut client = server.client();
    let mut slowest = Duration::ZERO;
    while !done.load(Ordering::Relaxed) {
        let asked = Instant::now();
        assert_eq!(send(&mut client, "GET", "/livez", JSON, Vec::new()).code, 200);
        slowest = slowest.max(asked.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    slowest
}

fn measure(program: &Path, attack: &Attack) -> (Duration, f64) {
    let server = Server::start(program, &["--store", "memory"]);
    (attack.prepare)(&server);
    let done = AtomicBool::new(false);
    let (answer, took, livez) = std::thread::scope(|scope| {
        let asking = scope.spawn(|| slowest(&server, &done));
        std::thread::sleep(Duration::from_millis(50));
        let began = Instant::now();
        let answer = (attack.run)(&server);
        let took = began.elapsed();
        done.store(true, Ordering::Relaxed);
        (answer, took, asking.join().unwrap())
    });
    let peak = server.peak();
    println!(
        "{:38} {answer:>14}  {took:>10.1?}  /livez {livez:>9.1?}  peak {peak:6.0} MB",
        attack.name
    );
    (livez, peak)
}

fn main() {
    let Some(program) = program::program() else { return };
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let objects = words.first().and_then(|word| word.parse().ok()).unwrap_or(100_000);
    let wanted = words.get(1..).unwrap_or_default();
    let mut worst = (Duration::ZERO, 0.0_f64);
    for attack in objects_then(objects) {
        if !wanted.is_empty() && !wanted.iter().any(|word| attack.name.contains(word.as_str())) {
            continue;
        }
        let (livez, peak) = measure(&program, &attack);
        worst = (worst.0.max(livez), worst.1.max(peak));
    }
    println!(
        "slowest /livez {:.1?} (bar {LIVEZ_BAR:?}), peak {:.0} MB (bar {PEAK_BAR})",
        worst.0, worst.1
    );
}

fn objects_then(len: usize) -> Vec<Attack> {
    let mut all = objects();
    all.extend(reported());
    all.extend(definitions());
    all.extend(judged());
    all.extend(long::lists());
    all.extend(readers(len));
    all.extend(slow::clients());
    all
}
