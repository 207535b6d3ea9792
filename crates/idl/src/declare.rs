//! Declarations that are not Go text: Rust types, or whatever else declares an API.
//!
//! A front end describes its types as data ([`Package`], [`Struct`], [`Field`], [`Enum`]); the
//! tags are the same as in Go comments, written without their `+`. [`universe`] makes the graph that
//! the Go reader would have made of the same declaration, so everything behind the graph (tags,
//! checks, lowering, generators) is one piece of code.
//!
//! Comments and markers are found in text by everyone who reads the graph; therefore the
//! declaration is written out as Go text once and read. Places point into that text;
//! [`Places::origin`] leads back to where the front end says an item was declared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::graph::{Loader, Universe};
use crate::source::{MemorySource, Position};

/// A package: one version of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Package {
    /// Import path; its last part is the package's name, as in `example.com/shop/v1`.
    pub path: String,
    /// API group (`+groupName`).
    pub group: String,
    /// Tags of the package, besides the group.
    pub tags: Vec<String>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    pub aliases: Vec<Alias>,
}

/// A struct; a kind when it is marked as one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct {
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Tags without `+`.
    pub tags: Vec<String>,
    /// Whether it has type and object metadata.
    pub kind: bool,
    pub fields: Vec<Field>,
    /// Tags of the metadata of a kind (`nameFormat=…`).
    pub metadata_tags: Vec<String>,
    /// Where it is declared: file, line, column.
    pub origin: Option<Origin>,
}

/// A field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// The name as Go would have it (`CamelCase`); it is what members of unions go by.
    pub name: String,
    /// The name in JSON; empty to take the fields of the type in.
    pub json: String,
    /// The type.
    pub ty: Ty,
    /// Left out of JSON when empty.
    pub omit_empty: bool,
    pub docs: Vec<String>,
    pub tags: Vec<String>,
    pub origin: Option<Origin>,
}

/// A type of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Ty {
    #[default]
    String,
    Bool,
    Int32,
    Int64,
    Float32,
    Float64,
    /// Bytes, base64 in JSON.
    Bytes,
    /// Anything.
    Any,
    Pointer(Box<Ty>),
    List(Box<Ty>),
    Map(Box<Ty>),
    /// A type of this package.
    Local(String),
    /// A well-known type or one of another package: import path and name.
    Foreign(String, String),
}

/// A string type with its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Enum {
    pub name: String,
    pub docs: Vec<String>,
    pub tags: Vec<String>,
    pub values: Vec<Constant>,
    pub origin: Option<Origin>,
}

/// One value of an enum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constant {
    pub name: String,
    pub value: String,
    pub docs: Vec<String>,
    pub tags: Vec<String>,
}

impl Constant {
    /// A value without a word about it.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Constant { name: name.into(), value: value.into(), ..Constant::default() }
    }
}

/// A named type over another one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alias {
    pub name: String,
    pub docs: Vec<String>,
    pub tags: Vec<String>,
    pub ty: Ty,
    pub origin: Option<Origin>,
}

/// Where an item is declared in the text of its front end.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// From places in the written text to where items were declared.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By file: the first line of each item, with its origin.
    lines: BTreeMap<String, BTreeMap<u32, Option<Origin>>>,
}

impl Places {
    /// Where the item at a place was declared.
    #[must_use]
    pub fn origin(&self, position: &Position) -> Option<&Origin> {
        let lines = self.lines.get(position.path.as_str())?;
        lines.range(..=position.line).next_back()?.1.as_ref()
    }
}

/// The graph of declared packages.
#[must_use]
pub fn universe(packages: &[Package]) -> (Universe, Places) {
    let mut source = MemorySource::new();
    let mut places = Places::default();
    for package in packages {
        let mut writer = Writer::default();
        writer.package(package);
        let path = format!("{}/types.go", package.path);
        places.lines.insert(path.clone(), writer.origins);
        source.insert(path, writer.text);
    }
    let loader = packages.iter().fold(Loader::new(&source), |loader, package| {
        loader.package_as(package.path.clone(), package.path.clone())
    });
    (loader.load(), places)
}

/// The declaration of a package as Go text.
#[must_use]
pub fn go_text(package: &Package) -> String {
    let mut writer = Writer::default();
    writer.package(package);
    writer.text
}

const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

#[derive(Default)]
struct Writer {
    text: String,
    line: u32,
    origins: BTreeMap<u32, Option<Origin>>,
}

impl Writer {
    fn put(&mut self, line: &str) {
        self.line += 1;
        let _ = writeln!(self.text, "{line}");
    }

    fn origin(&mut self, origin: Option<&Origin>) {
        self.origins.insert(self.line + 1, origin.cloned());
    }

    fn package(&mut self, package: &Package) {
        self.put(&format!("// +groupName={}", package.group));
        for tag in &package.tags {
            self.put(&format!("// +{tag}"));
        }
        let name = package.path.rsplit('/').next().unwrap_or("v1");
        self.put(&format!("package {name}"));
        self.put("");
        for path in imports(package) {
            self.put(&format!("import {} \"{path}\"", local_name(&path)));
        }
        for it in &package.enums {
            self.enumeration(it);
        }
        for it in &package.aliases {
            self.put("");
            self.origin(it.origin.as_ref());
            self.comment("", &it.docs, &it.tags);
            self.put(&format!("type {} {}", it.name, spell(&it.ty)));
        }
        for it in &package.structs {
            self.structure(it);
        }
    }

    fn comment(&mut self, indent: &str, docs: &[String], tags: &[String]) {
        for line in docs.iter().flat_map(|it| it.split('\n')) {
            self.put(format!("{indent}// {line}").trim_end());
        }
        for tag in tags {
            let mut lines = tag.lines();
            let first = lines.next().unwrap_or("");
            self.put(&format!("{indent}// +{first}"));
            for line in lines {
                self.put(&format!("{indent}// {line}"));
            }
        }
    }

    fn enumeration(&mut self, it: &Enum) {
        self.put("");
        self.origin(it.origin.as_ref());
        let mut tags = it.tags.clone();
        if !tags.iter().any(|tag| tag == "enum" || tag == "k8s:enum") {
            tags.push("enum".into());
        }
        self.comment("", &it.docs, &tags);
        self.put(&format!("type {} string", it.name));
        self.put("");
        self.put("const (");
        for constant in &it.values {
            self.comment("\t", &constant.docs, &constant.tags);
            let quoted = ordain_value::go_quote(&constant.value);
            self.put(&format!("\t{} {} = {quoted}", constant.name, it.name));
        }
        self.put(")");
    }

    fn structure(&mut self, it: &Struct) {
        self.put("");
        self.origin(it.origin.as_ref());
        self.comment("", &it.docs, &it.tags);
        self.put(&format!("type {} struct {{", it.name));
        if it.kind {
            let local = local_name(META);
            self.put(&format!("\t{local}.TypeMeta `json:\",inline\"`"));
            self.comment("\t", &[], &it.metadata_tags);
            self.put(&format!("\t{local}.ObjectMeta `json:\"metadata,omitempty,omitzero\"`"));
        }
        for field in &it.fields {
            self.put("");
            self.origin(field.origin.as_ref());
            self.comment("\t", &field.docs, &field.tags);
            let ty = spell(&field.ty);
            if field.json.is_empty() {
                self.put(&format!("\t{ty} `json:\",inline\"`"));
                continue;
            }
            let omit = if field.omit_empty { ",omitempty" } else { "" };
            self.put(&format!("\t{} {ty} `json:\"{}{omit}\"`", field.name, field.json));
        }
        self.put("}");
    }
}

/// The packages that the types of a package come from.
fn imports(package: &Package) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    if package.structs.iter().any(|it| it.kind) {
        out.insert(META.to_owned());
    }
    let fields = package.structs.iter().flat_map(|it| &it.fields).map(|it| &it.ty);
    for ty in fields.chain(package.aliases.iter().map(|it| &it.ty)) {
        let mut at = ty;
        loop {
            match at {
                Ty::Pointer(inner) | Ty::List(inner) | Ty::Map(inner) => at = inner,
                Ty::Foreign(path, _) => {
                    out.insert(path.clone());
                    break;
                }
                _ => break,
            }
        }
    }
    out
}

/// A name for an imported package that no other has.
fn local_name(path: &str) -> String {
    path.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect()
}

fn spell(ty: &Ty) -> String {
    match ty {
        Ty::String => "string".into(),
        Ty::Bool => "bool".into(),
        Ty::Int32 => "int32".into(),
        Ty::Int64 => "int64".into(),
        Ty::Float32 => "float32".into(),
        Ty::Float64 => "float64".into(),
        Ty::Bytes => "[]byte".into(),
        Ty::Any => "interface{}".into(),
        Ty::Pointer(inner) => format!("*{}", spell(inner)),
        Ty::List(inner) => format!("[]{}", spell(inner)),
        Ty::Map(inner) => format!("map[string]{}", spell(inner)),
        Ty::Local(name) => name.clone(),
        Ty::Foreign(path, name) => format!("{}.{name}", local_name(path)),
    }
}
