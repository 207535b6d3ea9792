//! The matrix of KEP-1027: rows of a file, and the bodies that clients of old and new schemas send.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::path::Path;

use ordain_value::{Value, value};

/// One row: dimensions, what is stored, what the client means to change, and what comes out.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) union: String,
    pub(crate) need: String,
    pub(crate) server: String,
    pub(crate) client: String,
    pub(crate) verb: String,
    pub(crate) stored: String,
    pub(crate) means: String,
    pub(crate) comes: String,
}

/// The rows of `fixtures/unions/matrix.txt`.
pub(crate) fn table() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/unions/matrix.txt");
    let text = std::fs::read_to_string(path).expect("the matrix");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let words: Vec<&str> = parts[0].split_whitespace().collect();
    let (&[union, need, server, client, verb], &[_, stored, means, comes]) =
        (words.as_slice(), parts.as_slice())
    else {
        panic!("{line}: five dimensions and three states");
    };
    let [union, need, server, client, verb, stored, means, comes] =
        [union, need, server, client, verb, stored, means, comes].map(str::to_owned);
    Row { union, need, server, client, verb, stored, means, comes }
}

impl Row {
    /// The members that the server knows.
    fn members(&self) -> &'static [&'static str] {
        if self.server == "new" { &["A", "B", "C"] } else { &["A", "B"] }
    }

    /// The whole object that a client sends back after it read one.
    pub(crate) fn replacement(&self, before: &Value) -> Value {
        let mut body = before.clone();
        let mut spec = before.get("spec").cloned().expect("spec");
        if self.client == "old-typed" {
            spec.remove_path(&["fieldC"]);
        }
        if self.client == "before" {
            spec.remove_path(&["type"]);
        }
        for (key, value) in state(&self.means).as_map().into_iter().flat_map(|it| it.iter()) {
            if value.is_null() {
                spec.remove_path(&[key.as_str()]);
            } else {
                spec.set_path(&[key.as_str()], value.clone());
            }
        }
        body.set_path(&["spec"], spec);
        body
    }

    /// The change as a JSON patch.
    pub(crate) fn json_patch(&self, before: &Value) -> Value {
        let mut steps = Vec::new();
        for (key, value) in state(&self.means).as_map().into_iter().flat_map(|it| it.iter()) {
            let path = format!("/spec/{key}");
            let there = before.get_path(&["spec", key.as_str()]).is_some();
            match (value.is_null(), there) {
                (true, true) => steps.push(value!({"op": "remove", "path": (path)})),
                (true, false) => {}
                _ => steps.push(value!({"op": "add", "path": (path), "value": (value.clone())})),
            }
        }
        Value::from(steps)
    }

    /// The row with what came, if that is not what it says.
    pub(crate) fn differs(&self, came: &str) -> Option<String> {
        let right = match self.comes.strip_prefix('!') {
            Some(words) => came.starts_with('!') && came.contains(words),
            None => came == self.comes,
        };
        (!right).then(|| format!("{self:?} gives {came}"))
    }
}

/// The Go types of a row's server, without the head of the file.
pub(crate) fn declaration(row: &Row) -> String {
    let members = row.members();
    let optional = row.need == "optional";
    let mut text = String::from(
        "type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n\n\tSpec Spec `json:\"spec\"`\n}\n\n",
    );
    let other = "type Spec struct {\n\t// +optional\n\tOther string `json:\"other,omitempty\"`\n";
    if row.union == "plain" {
        text.push_str(other);
        let tag = if optional { "zeroOrOneOfMember" } else { "unionMember" };
        for member in members {
            text.push_str(&format!(
                "\t// +k8s:optional\n\t// +k8s:{tag}\n\tField{member} *int32 `json:\"field{member},omitempty\"`\n"
            ));
        }
        return text + "}\n";
    }
    text.push_str("// +enum\ntype Which string\n\nconst (\n");
    for member in members {
        text.push_str(&format!("\tWhich{member} Which = \"Field{member}\"\n"));
    }
    if optional {
        text.push_str("\tWhichNone Which = \"\"\n");
    }
    text.push_str("\tWhichEmpty Which = \"Empty\"\n)\n\n");
    text.push_str(other);
    text.push_str("\t// +unionDiscriminator\n");
    if row.union == "migrated" {
        text.push_str("\t// +unionInferred\n");
    }
    let tag = if optional { "optional" } else { "required" };
    text.push_str(&format!("\t// +{tag}\n\tType Which `json:\"type,omitempty\"`\n"));
    for member in members {
        let tag = if *member == "B" { "unionMember,optional" } else { "unionMember" };
        text.push_str(&format!(
            "\t// +{tag}\n\t// +optional\n\tField{member} *int32 `json:\"field{member},omitempty\"`\n"
        ));
    }
    text + "}\n"
}

/// The definition of a row's server.
pub(crate) fn definition_of(row: &Row) -> Value {
    let mut fields = value!({"other": {"type": "string"}});
    let mut members = value!({"Empty": null});
    let mut names = vec![Value::from("Empty")];
    for member in row.members() {
        let field = format!("field{member}");
        fields.set_path(&[&field], value!({"type": "integer"}));
        let name = format!("Field{member}");
        members.set_path(&[&name], value!({"name": (field), "optional": (*member == "B")}));
        names.push(name.into());
    }
    let mut spec = value!({"type": "object"});
    if row.need == "optional" {
        names.push("".into());
        members.set_path(&[""], Value::Null);
    } else {
        spec.set_path(&["required"], value!(["type"]));
    }
    let mut unions = value!({"fieldMembers": (members)});
    if row.union == "migrated" {
        unions.set_path(&["inferred"], Value::Bool(true));
    }
    let of_type = value!({"type": "string", "enum": (names), "x-kubernetes-unions": (unions)});
    fields.set_path(&["type"], of_type);
    spec.set_path(&["properties"], fields);
    definition(spec)
}

/// A definition of widgets with this schema of their spec.
pub(crate) fn definition(spec: Value) -> Value {
    value!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.shop.example.com"},
        "spec": {
            "group": "shop.example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": (spec)}}}
            }]
        }
    })
}

/// `FieldA a=1` as a spec.
pub(crate) fn state(text: &str) -> Value {
    let mut spec = value!({});
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some((name, "null")) => spec.set_path(&[&long(name)], Value::Null),
            Some(("type", value)) => spec.set_path(&["type"], Value::from(value)),
            Some(("other", value)) => spec.set_path(&["other"], Value::from(value)),
            Some((name, value)) => {
                spec.set_path(&[&long(name)], Value::Int(value.parse().expect("a number")));
            }
            None => spec.set_path(&["type"], Value::from(word)),
        };
    }
    spec
}

fn long(name: &str) -> String {
    if name.len() == 1 { format!("field{}", name.to_uppercase()) } else { name.to_owned() }
}

/// What an object says of its union, in the words of [`state`].
pub(crate) fn shown(object: &Value) -> String {
    let spec = object.get("spec").cloned().unwrap_or_default();
    let mut words = Vec::new();
    if let Some(text) = spec.get("type").and_then(Value::as_str).filter(|it| !it.is_empty()) {
        words.push(text.to_owned());
    }
    for member in ["A", "B", "C"] {
        if let Some(number) = spec.get(&format!("field{member}")).and_then(Value::as_int) {
            words.push(format!("{}={number}", member.to_lowercase()));
        }
    }
    words.join(" ")
}
