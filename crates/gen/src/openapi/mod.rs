//! OpenAPI definitions from Go types, as openapi-gen and the OpenAPI builders publish them.
//!
//! Each struct that asks for it (`+k8s:openapi-gen=true` on its package or on itself) becomes a
//! definition: its fields are properties ([`member`]), comments are descriptions
//! ([`description`]), tags are defaults, extensions, limits and enumerations. [`Output::v3`] and
//! [`Output::v2`] put the definitions into documents ([`document`]).
//!
//! Upstream: `k8s.io/kube-openapi/pkg/generators`, `pkg/builder3` and `pkg/builder`.

mod custom;
mod declared;
mod default;
mod description;
mod document;
mod enumeration;
mod extension;
mod limits;
mod marker;
mod member;
mod name;
mod rules;
mod tags;
mod union;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ordain_idl::graph::{Docs, NamedId, Package, TypeId};
use ordain_idl::validation::GoKind;
use ordain_idl::{Diagnostic, Pos, Universe};
use ordain_value::{Map, Text, Value};

use crate::insert_text;

use enumeration::Enumerations;
pub use rules::Violation;
use tags::Lines;

/// What is put into definitions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Types of the packages asked for are defined whether or not they are tagged for it.
    pub untagged: bool,
    /// Types of other packages that definitions refer to are defined as well.
    pub dependencies: bool,
    /// Values of enumerations are left out, as a server does whose feature `OpenAPIEnums` is off.
    pub without_enums: bool,
    /// Unions that are declared with the tags of KEP-1027 are written, on the discriminator and as
    /// `oneOf`; openapi-gen knows nothing of them.
    pub unions: bool,
    /// Tags of the proposals and of validation-gen are written as keywords and rules, which
    /// openapi-gen does not.
    pub declared: bool,
    /// With `declared`: tags that OpenAPI cannot express are warnings rather than errors.
    pub allow_loss: bool,
}

/// A definition.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// The schema, with references as the newer documents write them. When the older documents
    /// differ, theirs is under `x-kubernetes-v2-schema`.
    pub schema: Map,
    /// Names of the definitions it refers to, by type.
    pub dependencies: Vec<Text>,
    /// The type it was made from.
    pub ty: Option<NamedId>,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The definitions by name.
    pub definitions: BTreeMap<Text, Definition>,
    /// Breaches of the rules for API types, which hinder nothing.
    pub violations: Vec<Violation>,
    /// What is wrong, by place. With an error in it the definitions are not to be used.
    pub diagnostics: Vec<Diagnostic>,
}

impl Output {
    /// Whether any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Makes the definitions of the packages that were asked for.
#[must_use]
pub fn generate(universe: &Universe, options: Options) -> Output {
    let mut generator = Generator::new(universe, options);
    generator.run();
    let Generator { mut definitions, mut violations, mut diagnostics, mut tags, .. } = generator;
    diagnostics.append(&mut tags.diagnostics);
    if options.without_enums {
        definitions
            .values_mut()
            .for_each(|definition| document::prune_enums(&mut definition.schema));
    }
    violations.sort();
    diagnostics.sort_by(|a, b| (a.pos, &a.message).cmp(&(b.pos, &b.message)));
    diagnostics.dedup();
    Output { definitions, violations, diagnostics }
}

/// The work on one set of packages.
struct Generator<'u> {
    universe: &'u Universe,
    options: Options,
    enumerations: Enumerations,
    /// Comments of aliases, for types that have none.
    alias_docs: HashMap<NamedId, Docs>,
    definitions: BTreeMap<Text, Definition>,
    /// Types that the definition at hand refers to, by Go name.
    references: BTreeMap<String, NamedId>,
    /// Types of other packages that wait for a definition.
    waiting: BTreeSet<NamedId>,
    violations: Vec<Violation>,
    /// Tags that openapi-gen does not read.
    tags: declared::Tags<'u>,
    diagnostics: Vec<Diagnostic>,
}

type Outcome<T> = Result<T, Diagnostic>;

impl<'u> Generator<'u> {
    fn new(universe: &'u Universe, options: Options) -> Self {
        let mut alias_docs = HashMap::new();
        for package in universe.requested() {
            for id in package.types.values() {
                let named = universe.named(*id);
                if named.alias
                    && let Some(target) = universe.as_named(named.target)
                    && named.docs.closest.is_some()
                {
                    alias_docs.entry(target).or_insert(named.docs);
                }
            }
        }
        Self {
            universe,
            options,
            enumerations: Enumerations::of(universe),
            alias_docs,
            definitions: BTreeMap::new(),
            references: BTreeMap::new(),
            waiting: BTreeSet::new(),
            violations: Vec::new(),
            tags: declared::Tags::new(universe, declared::Target::OpenApi, options.allow_loss),
            diagnostics: crate::findings(universe),
        }
    }

    fn run(&mut self) {
        let universe = self.universe;
        let mut tagged = false;
        for package in universe.requested() {
            for id in package.types.values() {
                if self.is_wanted(package, *id) {
                    tagged = true;
                    self.define(*id, true);
                }
            }
        }
        if !tagged && !universe.has_errors() {
            let message = "no type asks for a definition";
            let help = "write `// +k8s:openapi-gen=true` in the package's doc.go or above a type, or ask for all types";
            self.diagnostics.push(Diagnostic::nowhere("openapi-gen", message).help(help));
        }
        while let Some(id) = self.waiting.pop_first() {
            self.define(id, false);
        }
    }

    /// Whether a type of a requested package gets a definition.
    fn is_wanted(&self, package: &Package, id: NamedId) -> bool {
        let named = self.universe.named(id);
        if named.alias
            || named.name.starts_with("codecSelfer")
            || self.universe.go_kind(named.ty) != GoKind::Struct
            || !named.params.is_empty()
        {
            return false;
        }
        let of_package = self.universe.doc_go_lines(package);
        let all = self.options.untagged
            || of_package.iter().any(|(_, line)| tags::is_openapi_gen(line.text, "true"));
        let own = self.type_lines(named.ty);
        if all { !own.has_openapi_gen("false") } else { own.has_openapi_gen("true") }
    }

    /// Defines a struct. Rules for API types are only checked where the author can act.
    fn define(&mut self, id: NamedId, own: bool) {
        let named = self.universe.named(id);
        if own {
            rules::check(self.universe, id, &mut self.violations);
        }
        // Private types have no definition; references to them lead nowhere, as upstream.
        if !named.name.chars().next().is_some_and(char::is_uppercase) {
            return;
        }
        let before = self.diagnostics.len();
        let name = match self.definition_name(id) {
            Ok(name) => name,
            Err(finding) => return self.diagnostics.push(finding),
        };
        if self.definitions.contains_key(&name) {
            return;
        }
        self.references.clear();
        let schema = match self.schema_of(id) {
            Ok(schema) => schema,
            Err(finding) => {
                self.diagnostics.push(finding);
                Map::new()
            }
        };
        if !own {
            // What is wrong with types of others is theirs to mend, unless it is all we have.
            for finding in self.diagnostics.iter_mut().skip(before) {
                finding.severity = ordain_idl::Severity::Warning;
            }
        }
        let references = std::mem::take(&mut self.references);
        let mut dependencies = Vec::new();
        for (go_name, id) in references {
            if member::type_format(&go_name).is_some() {
                continue;
            }
            if let Ok(name) = self.definition_name(id) {
                dependencies.push(name);
            }
            let package = self.universe.package_of(id);
            // Instances of generic types are declared nowhere but where they are used.
            let instance = package.requested && !self.universe.named(id).args.is_empty();
            if instance || (self.options.dependencies && !package.missing) {
                self.waiting.insert(id);
            }
        }
        self.definitions.insert(name, Definition { schema, dependencies, ty: Some(id) });
    }

    /// The schema of a struct, stated by its methods or made of its fields.
    fn schema_of(&mut self, id: NamedId) -> Outcome<Map> {
        let named = self.universe.named(id);
        let lines = self.type_lines(named.ty);
        let limits = self.limits(named.ty, &lines, named.pos).map_err(|mut finding| {
            let name = self.universe.display(named.ty);
            finding.message =
                format!("failed parsing comment tags for {name}: {}", finding.message);
            finding
        })?;
        if let Some(stated) = self.stated_schema(id, &lines, &limits)? {
            return Ok(stated);
        }
        let mut schema = Map::new();
        insert_text(&mut schema, "description", &description::of(lines.texts()));
        schema.insert("type", Value::from("object"));
        limits.write(&mut schema);
        let mut members = member::Members::default();
        self.members(named.ty, &mut members, 0)?;
        if !members.properties.is_empty() {
            schema.insert("properties", Value::Map(members.properties));
        }
        if !members.required.is_empty() {
            let required: Vec<Value> = members.required.into_iter().map(Value::from).collect();
            schema.insert("required", Value::from(required));
        }
        self.struct_extensions(id, &lines, &limits, &mut schema)?;
        if self.options.declared || self.options.unions {
            self.declare(id, &mut schema);
        }
        Ok(schema)
    }

    /// The comment of a type as gengo sees it.
    fn type_lines(&self, ty: TypeId) -> Lines<'u> {
        let Some(id) = self.universe.as_named(ty) else { return Lines::default() };
        let lines = Lines::of(self.universe, &self.universe.named(id).docs);
        match self.alias_docs.get(&id) {
            Some(docs) if lines.is_empty() => Lines::of(self.universe, docs),
            _ => lines,
        }
    }

    fn warn(&mut self, code: &'static str, pos: Pos, message: String) {
        self.diagnostics.push(Diagnostic::warning(code, pos, message));
    }
}
