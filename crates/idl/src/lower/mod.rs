//! Declared types to an API: one graph in, schemas, kinds and versions out.
//!
//! [`lower`] takes a [`Universe`], whichever front end made it (the Go reader, or
//! [`declare`](crate::declare) for declarations that are not Go text), and gives a
//! [`declared::Api`](ordain_schema::declared::Api). Tags of all proposals meet here: defaults of
//! KEP-1929, constraints, rules and zero stripping of KEP-4153, unions of KEP-1027, gates, warnings,
//! columns and selectable fields of KEP-5975; the `+k8s:` rules become the native program beside
//! the schema.
//!
//! Every type becomes one node ([`types`]); every use of a type is a node of its own, made of the
//! type's with what the use adds ([`overlay`]), so recursion costs nothing and prefixless tags
//! accumulate along chains of names as KEP-4153's example wants. Last, [`kind`] puts kinds and
//! versions together.

mod author;
mod default;
mod field;
mod kind;
mod markers;
mod metadata;
mod order;
mod overlay;
mod path;
mod style;
mod sugar;
mod tags;
mod types;

use std::collections::HashMap;

use ordain_schema::declared::{Api, RulePlace};
use ordain_schema::normal_field_path;
use ordain_schema::{Node, NodeId, Schema};

use crate::diagnostic::Diagnostic;
use crate::graph::{NamedId, TypeId, Universe};
use crate::source::Pos;
pub use markers::one_of_rule;
use overlay::Pending;
pub use overlay::rule_of;
pub use path::{Paths, collect as paths_of};
pub use style::{is_custom_style, is_published};
pub use sugar::cel_name;
pub(crate) use tags::{reason_words, wire_reason};

/// What a universe declares.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The kinds; not to be used when a finding is an error.
    pub api: Api,
    /// What is wrong, by place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Lowered {
    /// Whether any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Lowers all kinds of the requested packages.
///
/// ```
/// use ordain_idl::{lower, Loader, MemorySource};
/// let source = MemorySource::new().with(
///     "v1/types.go",
///     "// +groupName=shop.example.com\npackage v1\n\n\
///      import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
///      type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
///      \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
///      \t// +minimum=1\n\t// +optional\n\tSize int32 `json:\"size,omitempty\"`\n}\n",
/// );
/// let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
/// let lowered = lower::lower(&universe);
/// assert!(!lowered.has_errors(), "{:?}", lowered.diagnostics);
/// let kind = lowered.api.kind("shop.example.com", "Widget").unwrap();
/// assert_eq!((kind.plural.as_str(), kind.storage_version.as_str()), ("widgets", "v1"));
/// ```
#[must_use]
pub fn lower(universe: &Universe) -> Lowered {
    lower_as(universe, Form::Declared)
}

/// What the schemas are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Objects are trees; zero values count as absent, implied defaults are written out.
    #[default]
    Declared,
    /// Objects are read and written as Go structs are: every node knows its Go type, whether a
    /// field is left out when empty, and metadata has its fields.
    Typed,
}

/// Lowers all kinds of the requested packages into schemas of one form.
#[must_use]
pub fn lower_as(universe: &Universe, form: Form) -> Lowered {
    let mut out = kind::lower(universe, form);
    out.diagnostics.extend(once_per_package(universe.diagnostics()));
    out.diagnostics.extend(crate::tags::lint::lint(universe));
    // Types that are served as Go writes them may have what KEP-1929 forbids in new ones.
    if form == Form::Declared {
        out.diagnostics.extend(crate::defaulting::lint(universe));
    }
    let options = crate::defaulting::Options { all_types: true };
    out.diagnostics.extend(crate::defaulting::declare(universe, &options).1);
    out.diagnostics.sort_by(|a, b| (a.pos, &a.message).cmp(&(b.pos, &b.message)));
    out.diagnostics.dedup();
    out
}

/// Findings with one for each package whose source is missing, however many places need it.
fn once_per_package(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::new();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for finding in found {
        let missing = finding.code == "missing-package";
        let count = uses.entry(finding.message.as_str()).or_default();
        *count += 1;
        if !missing || *count == 1 {
            out.push(finding.clone());
        }
    }
    for finding in out.iter_mut().filter(|it| it.code == "missing-package") {
        let count = uses.get(finding.message.as_str()).copied().unwrap_or(1);
        if count > 1 {
            finding.message.push_str(&format!(", which {count} places need"));
        }
    }
    out
}

/// Lowers one declared type that is no kind, for those who look at types by themselves.
#[must_use]
pub fn lower_type(universe: &Universe, named: NamedId) -> (Option<Schema>, Vec<Diagnostic>) {
    lower_type_as(universe, named, Form::Declared)
}

/// Lowers one declared type that is no kind into a schema of one form.
#[must_use]
pub fn lower_type_as(
    universe: &Universe,
    named: NamedId,
    form: Form,
) -> (Option<Schema>, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(universe, form);
    let root = lowering.type_node(universe.type_of(named));
    let finished = lowering.finish(root);
    (finished.schema, finished.diagnostics)
}

/// The work on the schema of one root.
struct Lowering<'u> {
    universe: &'u Universe,
    form: Form,
    nodes: Vec<Node>,
    /// Nodes that are made of another node, by id.
    pending: HashMap<NodeId, Pending>,
    types: HashMap<TypeId, NodeId>,
    /// Structs whose fields are still to be lowered.
    queue: Vec<(TypeId, NodeId)>,
    /// The named type of a struct.
    owners: HashMap<TypeId, NamedId>,
    /// Tags for places below a use, applied when all nodes are there.
    overrides: Vec<(NodeId, TypeId, tags::Override)>,
    /// Nodes that came up while others were made of what they are made of.
    added: Vec<NodeId>,
    /// Where rules are written, by node and rule.
    places: Vec<(NodeId, usize, Pos)>,
    name_format: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

/// A schema with what goes beside it.
struct Finished {
    schema: Option<Schema>,
    rule_places: Vec<RulePlace>,
    name_format: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'u> Lowering<'u> {
    fn new(universe: &'u Universe, form: Form) -> Self {
        Lowering {
            universe,
            form,
            nodes: Vec::new(),
            pending: HashMap::new(),
            types: HashMap::new(),
            queue: Vec::new(),
            owners: HashMap::new(),
            overrides: Vec::new(),
            added: Vec::new(),
            places: Vec::new(),
            name_format: None,
            diagnostics: Vec::new(),
        }
    }

    fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    fn error(&mut self, pos: Pos, message: impl Into<String>, help: &str) {
        self.diagnostics.push(Diagnostic::error("lower", pos, message).help(help));
    }

    /// Lowers the fields of all structs that were met, resolves what is made of other nodes, and
    /// puts parents before their children.
    fn finish(mut self, root: NodeId) -> Finished {
        self.lower_structs();
        self.resolve_all();
        let universe = self.universe;
        let (nodes, root, numbers) = order::parents_first(self.nodes, root);
        let schema = match Schema::new(nodes, root) {
            Ok(schema) => Some(schema),
            Err(error) => {
                self.diagnostics.push(Diagnostic::nowhere("lower", error.to_string()));
                None
            }
        };
        if let Some(schema) = &schema {
            self.diagnostics.extend(wrong_fields(schema, &self.places, &numbers));
        }
        let mut rule_places: Vec<RulePlace> = (self.places.iter())
            .filter_map(|(node, rule, pos)| {
                let place = universe.position(*pos).to_string().into();
                let node = numbers.get(node).copied()?;
                Some(RulePlace { node, rule: *rule, place })
            })
            .collect();
        rule_places.sort_by_key(|it| (it.node, it.rule));
        Finished {
            schema,
            rule_places,
            name_format: self.name_format,
            diagnostics: self.diagnostics,
        }
    }
}

/// Fields of rules that lead nowhere, once each. Metadata has a shape of its own.
fn wrong_fields(
    schema: &Schema,
    places: &[(NodeId, usize, Pos)],
    numbers: &HashMap<NodeId, NodeId>,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (node, rule, pos) in places {
        let Some(node) = numbers.get(node).copied() else { continue };
        let Some(rule) = schema.node(node).rules.get(*rule) else { continue };
        let path = &rule.field_path;
        let known = path.is_empty() || path.starts_with(".metadata");
        if known || normal_field_path(path, schema, node).is_some() {
            continue;
        }
        let message = format!("field `{path}` of a rule is none below the place of the rule");
        let help = "name fields by their JSON names, from the place of the rule on";
        let finding = Diagnostic::error("rule-field", *pos, message).help(help);
        if !out.contains(&finding) {
            out.push(finding);
        }
    }
    out
}
