//! What every server begins with is stored in a prepared form. Here the write path makes the same
//! objects from their declarations, judged like any others, and both have to be equal.
//! `ORDAIN_BLESS=1` writes the prepared form anew.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ordain_kubernetes::bootstrap;
use ordain_meta::time::Time;
use ordain_rbac::{GROUP, Rbac};
use ordain_registry::admission::Chain;
use ordain_registry::decode::{Body, Media};
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{Clock as _, FixedClock, SeededEntropy};
use ordain_registry::{
    DefaultAdmission, DeleteOptions, Options, Registry, Target, Warnings, WriteOptions,
};
use ordain_storage::{Expect, MemoryStore, Store as _, Write};
use ordain_value::{Value, json};

const AUTHORITY: &str = "a \"certificate\"\n";
const SERVICE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 7);
const PORT: u16 = 54_321;
const MANAGER: &str = "kube-apiserver";

fn clock() -> FixedClock {
    FixedClock(Time::from_unix(1_700_000_000, 0))
}

/// A file of prepared objects, and what they are made from.
struct File {
    path: &'static str,
    declared: Vec<(&'static str, &'static str, Value)>,
    /// Whether it is recorded who owns the fields.
    owned: bool,
    /// What a server has in place of the names in the file.
    values: Vec<(&'static str, String)>,
}

fn files() -> [File; 5] {
    [first(), own(), endpoints(), system(), roles()]
}

fn first() -> File {
    let mut declared = bootstrap::objects();
    let cidr = bootstrap::service_cidr(vec!["10.0.0.0/24".into()]);
    declared.push(("networking.k8s.io", "servicecidrs", cidr));
    let values = vec![("cidrs", r#"["10.0.0.0/24"]"#.to_owned())];
    File { path: "../registry/src/initial/first.txt", declared, owned: false, values }
}

fn own() -> File {
    let service = bootstrap::service(SERVICE.into());
    let address = ordain_kubernetes::service::ip_address(SERVICE.into(), &service);
    let declared = vec![("", "services", service), ("networking.k8s.io", "ipaddresses", address)];
    let values = vec![("ip", SERVICE.to_string())];
    File { path: "../registry/src/initial/own.txt", declared, owned: false, values }
}

fn endpoints() -> File {
    let slice = bootstrap::endpoint_slice(ADDRESS.into(), PORT);
    let declared = vec![
        ("", "endpoints", bootstrap::endpoints(ADDRESS.into(), PORT)),
        ("discovery.k8s.io", "endpointslices", slice),
    ];
    let values =
        vec![("ip", ADDRESS.to_string()), ("port", PORT.to_string()), ("family", "IPv4".into())];
    File { path: "../registry/src/initial/endpoints.txt", declared, owned: true, values }
}

fn system() -> File {
    let now = clock().now().encode();
    let maps = [bootstrap::token_tracking(&now), bootstrap::authentication(AUTHORITY)];
    let maps = maps.map(|map| ("", "configmaps", map));
    let declared = bootstrap::flow_control().into_iter().chain(maps).collect();
    let today = now.split('T').next().unwrap().to_owned();
    let values = vec![("authority", json::encode_string(&AUTHORITY.into())), ("date", today)];
    File { path: "../registry/src/initial/system.txt", declared, owned: false, values }
}

fn roles() -> File {
    let roles = bootstrap::roles().into_iter();
    let declared = roles.map(|(plural, role)| (GROUP, plural, role)).collect();
    let path = "../rbac/src/bootstrap/roles.txt";
    File { path, declared, owned: true, values: Vec::new() }
}

#[tokio::test]
async fn prepared_objects_are_those_that_the_write_path_makes() {
    let store = Arc::new(MemoryStore::default());
    let registry = Arc::new(registry(Arc::clone(&store)));
    let bless = std::env::var_os("ORDAIN_BLESS").is_some();
    // The form may be so old that no server starts with it.
    assert!(registry.start().await.is_ok() || bless);
    let rbac = Arc::new(Rbac::default());
    rbac.bootstrap(&registry).await.unwrap();
    registry.create_system_objects(AUTHORITY).await.unwrap();
    registry.publish_endpoints(ADDRESS.into(), PORT).await.unwrap();
    let files = files();
    let mut prepared = Vec::new();
    for file in &files {
        prepared.push(lines(&store, &registry, file).await);
    }
    for file in &files {
        for (group, plural, object) in &file.declared {
            remove(&store, &registry, &target(&registry, group, plural, object)).await;
        }
    }
    for file in &files {
        for (group, plural, object) in &file.declared {
            write(&registry, &target(&registry, group, plural, object), object).await;
        }
    }
    let following = Arc::clone(&registry);
    tokio::spawn(async move { rbac.follow(&following).await });
    until_gathered(&registry).await;
    for (file, prepared) in files.iter().zip(prepared) {
        let written = lines(&store, &registry, file).await;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file.path);
        if bless {
            std::fs::write(&path, written).unwrap();
            continue;
        }
        let there = std::fs::read_to_string(&path).unwrap();
        let wrong = "is stale; ORDAIN_BLESS=1 writes it anew";
        assert!(there == written, "{} {wrong}", path.display());
        assert!(there == prepared, "{} is stored otherwise", path.display());
    }
}

fn registry(store: Arc<MemoryStore>) -> Registry {
    Registry::new(
        store,
        Arc::new(clock()),
        Arc::new(SeededEntropy::new(7)),
        Chain::new(vec![Arc::new(NamespaceLifecycle), Arc::new(DefaultAdmission::default())]),
        Arc::new(ordain_registry::crd::DefinitionHooks::default()),
        Options { controllers: false },
    )
}

fn target(registry: &Registry, group: &str, plural: &str, object: &Value) -> Target {
    let resource = registry.catalog().get(group, plural).cloned().unwrap();
    Target::of(&resource, object)
}

/// Takes an object away as if it had never been there.
async fn remove(store: &MemoryStore, registry: &Registry, target: &Target) {
    if target.resource.plural == "services" {
        // Its address becomes free with it.
        let mut warnings = Warnings::default();
        let _ = registry.delete(target, &DeleteOptions::default(), &mut warnings).await;
    }
    store.commit(Write::delete(target.key().as_str(), Expect::Any)).await.unwrap();
}

async fn write(registry: &Registry, target: &Target, object: &Value) {
    let (bytes, mut warnings) = (json::encode(object), Warnings::default());
    let body = Body { bytes: &bytes, media: Media::Json };
    let options = WriteOptions { field_manager: MANAGER.into(), ..WriteOptions::default() };
    let all = Target { name: "".into(), ..target.clone() };
    let written = registry.create(&all, &body, &options, &mut warnings).await;
    let plural = &target.resource.plural;
    // An address comes with its service.
    assert!(written.is_ok() || plural == "ipaddresses", "{}: {written:?}", target.key());
}

/// Waits until the roles that gather others have done so.
async fn until_gathered(registry: &Registry) {
    for (_, plural, role) in files().into_iter().flat_map(|it| it.declared) {
        if role.get("aggregationRule").is_none() {
            continue;
        }
        let target = target(registry, GROUP, plural, &role);
        let mut tries = 0;
        let has_rules = |it: &Value| it.get("rules").and_then(Value::as_list).is_some();
        while !has_rules(&registry.get(&target, "").await.unwrap()) {
            tries += 1;
            assert!(tries < 2000, "{} gathers nothing", target.name);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// The objects of a file as they are stored, in the form of the file.
async fn lines(store: &MemoryStore, registry: &Registry, file: &File) -> String {
    let mut text = String::new();
    for (group, plural, object) in &file.declared {
        let target = target(registry, group, plural, object);
        let Some(entry) = store.get(&target.key()).await.unwrap().entry else { continue };
        let mut stored = json::decode(&entry.value).unwrap();
        if !file.owned {
            disown(&mut stored);
        }
        let word = |word: &str| if word.is_empty() { "-".to_owned() } else { word.to_owned() };
        let words = [*group, plural, &target.namespace, &target.name].map(word);
        let line = format!("{} {}\n", words.join(" "), json::encode_string(&stored));
        text += &general(line, &stored, file);
    }
    text
}

/// Removes the record of those fields that the server itself owns.
fn disown(object: &mut Value) {
    let path = ["metadata", "managedFields"];
    let Some(list) = object.get_path(&path).and_then(Value::as_list) else { return };
    let others = |it: &&Value| it.get("manager").and_then(Value::as_str) != Some(MANAGER);
    let left: Vec<Value> = list.iter().filter(others).cloned().collect();
    match left.is_empty() {
        true => drop(object.remove_path(&path)),
        false => object.set_path(&path, left.into()),
    }
}

/// A line with names for what differs between servers.
fn general(line: String, object: &Value, file: &File) -> String {
    assert!(!line.contains('$'), "{line}");
    let uid = object.get_path(&["metadata", "uid"]).and_then(Value::as_str).unwrap();
    let line = line.replace(uid, "$uid$").replace(&clock().now().encode(), "$now$");
    let named = |line: String, (name, value): &(&str, String)| {
        line.replace(value.as_str(), &format!("${name}$"))
    };
    file.values.iter().fold(line, named)
}
