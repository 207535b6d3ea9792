//! Which types are validated, and the tags of each of their places.

use std::collections::{BTreeMap, HashMap, HashSet};

use ordain_schema::native::{Check, FuncId, Level, Program, Rule, TypeFunc, TypeId as ShapeId};
use ordain_value::{Text, Value};

use super::list::ListMeta;
use super::member::Group;
use super::shape::{Kind, json_name};
use super::table::{self, Scope};
use super::union::Unions;
use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::graph::{Basic, Docs, Field, NamedId, Package, Type, TypeId, Universe};
use crate::source::{FileId, Pos};
use crate::tags::codetag::{self, Tag, Values};

/// Types nest at most this deep before discovery gives up.
const DEPTH_MAX: usize = 500;

/// What the tags of a place came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Validations {
    pub(super) checks: Vec<Check>,
    /// Tables that upstream would generate; wrappers refuse them.
    pub(super) variables: usize,
    /// Notes that upstream would generate; a place with a note is not empty.
    pub(super) comments: usize,
    pub(super) opaque: bool,
    pub(super) opaque_key: bool,
    pub(super) opaque_value: bool,
}

impl Validations {
    pub(super) fn check(rule: Rule) -> Self {
        Validations { checks: vec![check(rule)], ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.variables == 0 && self.comments == 0
    }

    pub(super) fn add(&mut self, other: Validations) {
        self.checks.extend(other.checks);
        self.variables += other.variables;
        self.comments += other.comments;
        self.opaque |= other.opaque;
        self.opaque_key |= other.opaque_key;
        self.opaque_value |= other.opaque_value;
    }
}

/// A plain check.
pub(super) fn check(rule: Rule) -> Check {
    Check { rule, short_circuit: false, non_error: false, cohort: Text::default(), level: None }
}

/// Where a tag stands.
#[derive(Clone, Debug)]
pub(super) struct Context<'u> {
    pub(super) scope: Scope,
    pub(super) ty: TypeId,
    pub(super) path: String,
    pub(super) parent: String,
    pub(super) member: Option<&'u Field>,
    /// The element of a list that a tag speaks of: JSON names with values; empty means all.
    pub(super) selector: Option<Vec<(Text, Value)>>,
    pub(super) level: Option<Level>,
    pub(super) named: Option<NamedId>,
}

/// A tag with its place in the text.
#[derive(Clone, Debug)]
pub(super) struct PlacedTag {
    pub(super) tag: Tag,
    pub(super) pos: Pos,
}

/// A type that was walked.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) ty: TypeId,
    pub(super) func: Option<FuncId>,
    pub(super) fields: Vec<Child>,
    pub(super) key: Option<Option<usize>>,
    pub(super) elem: Option<Option<usize>>,
    pub(super) underlying: Option<usize>,
    pub(super) validations: Validations,
    pub(super) keys: Vec<Check>,
    pub(super) values: Vec<Check>,
}

/// A field of a walked struct.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) go: Text,
    pub(super) json: Text,
    pub(super) ty: TypeId,
    pub(super) node: Option<usize>,
    pub(super) validations: Validations,
    pub(super) keys: Vec<Check>,
    pub(super) values: Vec<Check>,
}

/// Reads one package's tags; all tables are by path, as tags of one place reach others by path.
pub(super) struct Extractor<'u> {
    pub(super) universe: &'u Universe,
    pub(super) program: Program,
    pub(super) shapes: HashMap<TypeId, ShapeId>,
    pub(super) nodes: Vec<Node>,
    pub(super) by_type: HashMap<TypeId, usize>,
    pub(super) lists: HashMap<String, ListMeta>,
    pub(super) unions: HashMap<String, Unions>,
    pub(super) zero_or_one: HashMap<String, Unions>,
    pub(super) groups: HashMap<String, BTreeMap<String, Group>>,
    pub(super) updates: HashMap<String, super::member::Update>,
    pub(super) diagnostics: Vec<Diagnostic>,
    walked: HashSet<TypeId>,
}

impl<'u> Extractor<'u> {
    pub(super) fn new(universe: &'u Universe) -> Self {
        Extractor {
            universe,
            program: Program::default(),
            shapes: HashMap::new(),
            nodes: Vec::new(),
            by_type: HashMap::new(),
            lists: HashMap::new(),
            unions: HashMap::new(),
            zero_or_one: HashMap::new(),
            groups: HashMap::new(),
            updates: HashMap::new(),
            diagnostics: Vec::new(),
            walked: HashSet::new(),
        }
    }

    pub(super) fn error(&mut self, pos: Pos, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error("validation", pos, message));
    }

    /// Does the package's comment carry a tag?
    pub(super) fn package_says(&self, package: &Package, name: &str) -> bool {
        self.universe.package_lines(package).iter().any(|(_, line)| {
            codetag::extract("+", std::slice::from_ref(line)).iter().any(|it| it.name == name)
        })
    }

    /// The types of the package that are validated on their own, by name.
    pub(super) fn roots(&mut self, package: &'u Package) -> Vec<NamedId> {
        let universe = self.universe;
        let mut wanted: Vec<String> = Vec::new();
        for (file, line) in universe.package_lines(package) {
            for found in codetag::extract("+", &[line]) {
                if found.name != "k8s:validation-gen" {
                    continue;
                }
                let value = found.text[found.name.len()..].trim();
                let value = value.strip_prefix('=').unwrap_or("");
                if value.is_empty() {
                    let pos = Pos { file, offset: found.offset };
                    self.diagnostics.push(
                        Diagnostic::error(
                            "validation",
                            pos,
                            "the package tag `+k8s:validation-gen` has no value",
                        )
                        .help("write `+k8s:validation-gen=*` to validate every exported type"),
                    );
                }
                wanted.push(value.to_owned());
            }
        }
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut roots: Vec<NamedId> = package.types.values().copied().collect();
        roots.retain(|id| self.is_root(*id, &wanted));
        roots
    }

    fn is_root(&self, id: NamedId, wanted: &[String]) -> bool {
        let universe = self.universe;
        let named = universe.named(id);
        if named.alias {
            return false;
        }
        let lines = universe.lines(named.docs.file, named.docs.second_closest);
        let own: Vec<&str> = (codetag::extract("+", &lines).into_iter())
            .filter(|it| it.name == "k8s:validation-gen")
            .map(|it| it.text[it.name.len()..].trim_start_matches('='))
            .collect();
        match own.as_slice() {
            ["false"] => return false,
            ["true"] => return true,
            _ => {}
        }
        let fields = universe.fields(named.target);
        let is_list = fields.iter().any(|it| {
            it.embedded
                && universe.as_named(it.ty).is_some_and(|it| {
                    universe.qualified(it) == "k8s.io/apimachinery/pkg/apis/meta/v1.ListMeta"
                })
        });
        if is_list {
            return false;
        }
        let exported = named.name.chars().next().is_some_and(char::is_uppercase);
        wanted.iter().any(|it| {
            (it == "*" && exported) || fields.iter().any(|field| field.name == it.as_str())
        })
    }

    pub(super) fn discover_root(&mut self, id: NamedId) {
        let universe = self.universe;
        let named = universe.named(id);
        let Some(ty) = self.type_of(id) else { return };
        if let Err(message) = self.discover(ty, &universe.qualified(id), 0) {
            self.error(named.pos, message);
        }
    }

    /// The graph's type id of a declared type.
    pub(super) fn type_of(&self, id: NamedId) -> Option<TypeId> {
        let wanted = Type::Named(id);
        let at = self.universe.types.iter().position(|it| *it == wanted)?;
        Some(TypeId(u32::try_from(at).ok()?))
    }

    /// Walks a type; None for types whose rules are not known here.
    pub(super) fn discover(
        &mut self,
        ty: TypeId,
        path: &str,
        depth: usize,
    ) -> Result<Option<usize>, String> {
        let universe = self.universe;
        let ty = universe.unalias(ty);
        self.verify_shape(ty).map_err(|it| {
            format!("field {path} ({}): {it}", universe.display(ty))
        })?;
        if depth > DEPTH_MAX {
            return Err(format!("field {path}: types nest deeper than {DEPTH_MAX}"));
        }
        let kind = self.kind(ty);
        if let Kind::Pointer(to) = kind {
            return self.discover(to, path, depth + 1);
        }
        if let Some(node) = self.by_type.get(&ty) {
            return Ok(Some(*node));
        }
        let at = self.nodes.len();
        let named = universe.as_named(ty);
        let func = (named.is_some() && matches!(kind, Kind::Alias(_) | Kind::Struct(_))).then(|| {
            self.program.funcs.push(TypeFunc::default());
            FuncId(u32::try_from(self.program.funcs.len() - 1).unwrap_or(u32::MAX))
        });
        self.nodes.push(Node {
            ty,
            func,
            fields: Vec::new(),
            key: None,
            elem: None,
            underlying: None,
            validations: Validations::default(),
            keys: Vec::new(),
            values: Vec::new(),
        });
        self.by_type.insert(ty, at);
        let own_path = named.map_or_else(|| path.to_owned(), |it| universe.qualified(it));
        match kind {
            Kind::Alias(under) => {
                self.nodes[at].underlying = self.discover(under, &own_path, depth + 1)?;
            }
            Kind::Struct(id) => {
                for field in &universe.struct_type(id).fields {
                    if field.exported() {
                        self.discover_field(at, field, &own_path, depth);
                    }
                }
            }
            Kind::Slice(of) => {
                let elem = self.discover(of, &format!("{path}[vals]"), depth + 1)?;
                self.nodes[at].elem = Some(elem);
            }
            Kind::Map(key, value) => {
                let key = self.discover(key, &format!("{path}[keys]"), depth + 1)?;
                let elem = self.discover(value, &format!("{path}[vals]"), depth + 1)?;
                self.nodes[at].key = Some(key);
                self.nodes[at].elem = Some(elem);
            }
            _ => {}
        }
        if let Some(id) = named.filter(|_| func.is_some()) {
            self.discover_type_tags(at, id, &own_path);
        }
        Ok(Some(at))
    }

    /// The tags of a type declaration, once its parts are known.
    fn discover_type_tags(&mut self, at: usize, id: NamedId, path: &str) {
        let universe = self.universe;
        let named = universe.named(id);
        let ty = self.nodes[at].ty;
        let lines = universe.lines(named.docs.file, named.docs.closest);
        let tags = self.tags_of(named.docs.file, &lines);
        let context = Context {
            scope: Scope::Type,
            ty,
            path: path.to_owned(),
            parent: String::new(),
            member: None,
            selector: None,
            level: None,
            named: Some(id),
        };
        let validations = match self.extract_place(&context, &tags) {
            Ok(it) => it,
            Err((pos, message)) => {
                self.error(pos.unwrap_or(named.pos), format!("{path}: {message}"));
                return;
            }
        };
        if !validations.is_empty() && self.is_map_of_slices(ty) {
            self.error(named.pos, format!("{path}: validation for map of slices is not supported"));
        }
        if let Some(under) = self.nodes[at].underlying {
            let under = self.nodes[under].clone();
            self.nodes[at].keys =
                self.iterate_keys(&under, validations.opaque_key).into_iter().collect();
            self.nodes[at].values =
                self.iterate_values(ty, path, &under, validations.opaque_value).into_iter().collect();
        }
        self.nodes[at].validations = validations;
    }

    fn discover_field(&mut self, at: usize, field: &'u Field, parent: &str, depth: usize) {
        let json = json_name(field);
        let path = format!("{parent}.{}", if json.is_empty() { &field.name } else { json });
        let node = match self.discover(field.ty, &path, depth + 1) {
            Ok(it) => it,
            Err(message) => {
                self.error(field.pos, message);
                return;
            }
        };
        let mut child = Child {
            go: field.name.clone(),
            json: Text::new(json),
            ty: field.ty,
            node,
            validations: Validations::default(),
            keys: Vec::new(),
            values: Vec::new(),
        };
        let lines = self.universe.lines(field.docs.file, field.docs.closest);
        let tags = self.tags_of(field.docs.file, &lines);
        let context = Context {
            scope: Scope::Field,
            ty: field.ty,
            path: path.clone(),
            parent: parent.to_owned(),
            member: Some(field),
            selector: None,
            level: None,
            named: None,
        };
        match self.extract_place(&context, &tags) {
            Ok(validations) if validations.is_empty() => {}
            Ok(validations) => {
                if self.is_map_of_slices(field.ty) {
                    let message = "validation for map of slices is not supported";
                    self.error(field.pos, format!("field {path}: {message}"));
                }
                child.validations = validations;
            }
            Err((pos, message)) => {
                self.error(pos.unwrap_or(field.pos), format!("field {path}: {message}"));
                return;
            }
        }
        let (_, base) = match self.kind(field.ty) {
            Kind::Pointer(to) => (1, to),
            _ => (0, field.ty),
        };
        if matches!(self.kind(base), Kind::Struct(_) | Kind::Alias(_)) && child.validations.opaque {
            child.node = None;
        }
        if let (Some(node), Kind::Slice(_) | Kind::Map(..)) = (child.node, self.kind(field.ty)) {
            let node = self.nodes[node].clone();
            child.keys =
                self.iterate_keys(&node, child.validations.opaque_key).into_iter().collect();
            child.values = self
                .iterate_values(field.ty, &path, &node, child.validations.opaque_value)
                .into_iter()
                .collect();
        }
        self.nodes[at].fields.push(child);
    }

    fn iterate_keys(&self, node: &Node, opaque: bool) -> Option<Check> {
        let key = self.nodes.get(node.key??)?;
        let call = check(Rule::Call(key.func.filter(|_| !opaque)?));
        Some(check(Rule::EachKey { inner: Box::new(call) }))
    }

    fn iterate_values(
        &self,
        ty: TypeId,
        path: &str,
        node: &Node,
        opaque: bool,
    ) -> Option<Check> {
        let elem = self.nodes.get(node.elem??)?;
        let call = check(Rule::Call(elem.func.filter(|_| !opaque)?));
        Some(self.each_value(ty, path, call))
    }

    fn is_map_of_slices(&self, ty: TypeId) -> bool {
        let Kind::Map(_, value) = self.base_kind(ty) else { return false };
        matches!(self.kind(value), Kind::Slice(_))
    }

    /// The validation tags in comment lines.
    pub(super) fn tags_of(&mut self, file: FileId, lines: &[DocLine<'_>]) -> Vec<PlacedTag> {
        let mut tags = Vec::new();
        for found in codetag::extract("+", lines) {
            if table::row(found.name).is_none() {
                continue;
            }
            let pos = Pos { file, offset: found.offset };
            match codetag::parse(found.text, Values::Parsed) {
                Ok(tag) => tags.push(PlacedTag { tag, pos }),
                Err(error) => {
                    let offset = u32::try_from(error.offset).unwrap_or(0);
                    let pos = Pos { file, offset: found.offset.saturating_add(offset) };
                    self.error(pos, format!("failed to parse tags: {}: {}", error.message, found.text));
                }
            }
        }
        tags
    }

    /// Tags of constants, for enums.
    pub(super) fn const_tags(&mut self, docs: &Docs) -> Vec<PlacedTag> {
        let lines = self.universe.lines(docs.file, docs.closest);
        self.tags_of(docs.file, &lines)
    }

    /// Refuses what validation cannot walk.
    fn verify_shape(&mut self, ty: TypeId) -> Result<(), &'static str> {
        if !self.walked.insert(ty) {
            return Ok(());
        }
        match self.kind(ty) {
            Kind::Alias(under) if matches!(self.kind(under), Kind::Pointer(_)) => {
                Err("typedefs to pointers are not supported")
            }
            Kind::Pointer(to) => match self.native_kind(to) {
                Kind::Pointer(_) => Err("pointers to pointers are not supported"),
                Kind::Slice(_) | Kind::Array => Err("pointers to lists are not supported"),
                Kind::Map(..) => Err("pointers to maps are not supported"),
                _ => Ok(()),
            },
            Kind::Array => Err("fixed-size arrays are not supported"),
            Kind::Slice(of) => match self.native_kind(of) {
                Kind::Pointer(_) => Err("lists of pointers are not supported"),
                Kind::Slice(inner) if !matches!(self.base_kind(inner), Kind::Builtin(it) if it.canonical() == Basic::Uint8) => {
                    Err("lists of lists are not supported")
                }
                Kind::Map(..) => Err("lists of maps are not supported"),
                _ => Ok(()),
            },
            Kind::Map(key, value) => {
                if self.native_kind(key) != Kind::Builtin(Basic::String) {
                    return Err("maps with non-string keys are not supported");
                }
                match self.native_kind(value) {
                    Kind::Pointer(_) => Err("maps of pointers are not supported"),
                    Kind::Map(..) => Err("maps of maps are not supported"),
                    _ => Ok(()),
                }
            }
            Kind::Other => Err("this kind of type is not supported"),
            _ => Ok(()),
        }
    }
}
