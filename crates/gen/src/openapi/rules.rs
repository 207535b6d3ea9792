//! Rules for API types that upstream's generator reports beside its output.

use std::fmt;

use ordain_idl::Universe;
use ordain_idl::go::struct_tag;
use ordain_idl::graph::{Basic, Field, NamedId, Type};
use ordain_idl::validation::GoKind;

use super::tags::Lines;

/// A breach of a rule by a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The rule.
    pub rule: &'static str,
    /// Import path of the package.
    pub package: String,
    /// The type.
    pub ty: String,
    /// The field.
    pub field: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, package, ty, field } = self;
        write!(f, "API rule violation: {rule},{package},{ty},{field}")
    }
}

/// Checks a struct against all rules.
pub(super) fn check(universe: &Universe, id: NamedId, out: &mut Vec<Violation>) {
    let named = universe.named(id);
    let fields = universe.fields(named.ty);
    let mut report = |rule: &'static str, field: &str| {
        out.push(Violation {
            rule,
            package: universe.package_of(id).path.to_string(),
            ty: named.name.to_string(),
            field: field.to_string(),
        });
    };
    let has = |name: &str| fields.iter().any(|field| field.name == name);
    for field in fields {
        let json = struct_tag::lookup(&field.tag, "json");
        if !name_matches(universe, field, json.as_deref()) {
            report("names_match", &field.name);
        }
        let mut parts = json.as_deref().unwrap_or("").split(',');
        if parts.next() != Some("-") {
            let wrong =
                |part: &&str| part.eq_ignore_ascii_case("omitempty") && *part != "omitempty";
            parts.filter(wrong).for_each(|_| report("omitempty_match_case", &field.name));
        }
        if universe.go_kind(field.ty) == GoKind::Slice {
            let tagged = Lines::of(universe, &field.docs).has("listType");
            let items = field.name == "Items" && has("ListMeta");
            let bytes = universe.go_elem(field.ty).is_some_and(|elem| {
                matches!(universe.ty(elem), Type::Basic(Basic::Byte | Basic::Uint8 | Basic::Int8))
            });
            if (items && tagged) || (!items && !bytes && !tagged) {
                report("list_type_missing", &field.name);
            }
        }
    }
    if is_list(fields) {
        check_list(fields, &mut report);
    }
}

fn name_matches(universe: &Universe, field: &Field, json: Option<&str>) -> bool {
    let Some(json) = json else { return false };
    if json == "-" {
        return true;
    }
    let name = json.split(',').next().unwrap_or("");
    if name.is_empty() {
        let struct_behind = universe.go_kind(field.ty) == GoKind::Pointer
            && universe.go_elem(field.ty).is_some_and(|it| universe.go_kind(it) == GoKind::Struct);
        return struct_behind || universe.go_kind(field.ty) == GoKind::Struct;
    }
    match universe.display(field.ty).as_str() {
        "k8s.io/apimachinery/pkg/apis/meta/v1.ListMeta"
        | "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta" => name == "metadata",
        _ => names_match(&field.name, name),
    }
}

/// Whether a JSON name is the Go name with its first word in small letters.
fn names_match(go: &str, json: &str) -> bool {
    let bad = |name: &str| name.contains(['_', '-']);
    let (go, json, text_go, text_json) = (go.as_bytes(), json.as_bytes(), go, json);
    if bad(text_go) || bad(text_json) || text_go.to_lowercase() != text_json.to_lowercase() {
        return false;
    }
    let capital = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_uppercase);
    if !capital(go.first()) || capital(json.first()) {
        return false;
    }
    match go.iter().zip(json).position(|(a, b)| a == b) {
        Some(at) => go.get(at..) == json.get(at..) && (at == 1 || capital(go.get(at))),
        None => true,
    }
}

fn is_list(fields: &[Field]) -> bool {
    fields.len() == 3
        && ["TypeMeta", "ListMeta", "Items"]
            .iter()
            .all(|name| fields.iter().any(|field| field.name == *name))
}

/// What lets lists be streamed: order, JSON tags and protobuf tags of the three fields.
fn check_list(fields: &[Field], report: &mut impl FnMut(&'static str, &str)) {
    const ORDER: [(&str, &str, &str); 3] = [
        ("TypeMeta", ",inline", ""),
        ("ListMeta", "metadata,omitempty", "bytes,1,opt,name=metadata"),
        ("Items", "items", "bytes,2,rep,name=items"),
    ];
    for (field, (name, ..)) in fields.iter().zip(ORDER) {
        if field.name != name {
            report("streaming_list_type_field_order", name);
        }
    }
    for field in fields {
        let Some((name, json, proto)) = ORDER.into_iter().find(|it| field.name == it.0) else {
            continue;
        };
        let tag = |key: &str| struct_tag::lookup(&field.tag, key).unwrap_or_default();
        if tag("json") != json {
            report("streaming_list_type_json_tags", name);
        }
        let found = tag("protobuf");
        if !found.is_empty() && found != proto {
            report("streaming_list_type_proto_tags", name);
        }
    }
}
