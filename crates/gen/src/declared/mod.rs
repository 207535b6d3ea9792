//! Tags of the proposals and of validation-gen in generated schemas: as a keyword where there is
//! one, as a CEL rule where CEL can say it, and otherwise an error that names the tag and the way
//! out.
//!
//! controller-gen and openapi-gen read none of these, and drop them without a word. Only tags that
//! stand in the packages at hand count: types that others publish come out as those tools write
//! them.

mod cel;
mod default;

use std::collections::HashMap;
use std::rc::Rc;

use ordain_idl::graph::{Docs, Field, NamedId, PackageId, TypeId};
use ordain_idl::proposals::{self, Constraints};
use ordain_idl::tags::codetag;
use ordain_idl::tags::registry::{self, Family};
use ordain_idl::validation;
use ordain_idl::{Diagnostic, Pos, Severity, Universe, lower};
use ordain_schema::model::Rule;
use ordain_schema::native::{Check, Level, Match, Rule as Tag};
use ordain_schema::raw::{BoolOr, Items, Raw};
use ordain_schema::rule_cel::format_check;
use ordain_schema::rule_words::sentence;
use ordain_value::Text;

pub(crate) use default::imply;

/// The code of findings about tags that are lost.
pub const LOSS: &str = "loss";

/// Tags without a counterpart in schemas, with the way out.
const LOST: [(&str, &str); 7] = [
    ("k8s:featureGate", "schemas have no gates: serve the types themselves"),
    ("k8s:warning", "schemas give no warnings: serve the types themselves"),
    ("validationError", "write a `+validationRule` with a message"),
    ("override", "declare the field in a type of its own"),
    ("conversionName", "convert by a webhook"),
    ("k8s:customUnique", "write a `+validationRule`"),
    ("k8s:opaqueType", "give the field a type of its own"),
];

/// Tags that documents may do without.
const HARMLESS: [&str; 2] = ["k8s:opaqueType", "k8s:customUnique"];

/// Tags of validation-gen that controller-gen reads by itself.
const READ: [&str; 6] =
    ["k8s:required", "k8s:optional", "k8s:immutable", "k8s:enum", "k8s:listType", "k8s:listMapKey"];

/// Where schemas go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A server enforces them, formats it does not know aside: those become rules.
    Definition,
    /// Clients read them: a format says enough.
    OpenApi,
}

impl Target {
    fn words(self) -> &'static str {
        match self {
            Target::Definition => "a CustomResourceDefinition",
            Target::OpenApi => "an OpenAPI document",
        }
    }
}

/// The tags of the packages at hand, for one generator.
pub(crate) struct Tags<'u> {
    universe: &'u Universe,
    target: Target,
    allow_loss: bool,
    /// The rules of validation-gen's tags, made when they are first needed.
    program: Option<Rc<validation::Program>>,
    /// Packages in which `+default` means all that KEP-1929 says.
    proposal_defaults: HashMap<PackageId, bool>,
    /// What was found since it was last taken.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'u> Tags<'u> {
    pub(crate) fn new(universe: &'u Universe, target: Target, allow_loss: bool) -> Self {
        Tags {
            universe,
            target,
            allow_loss,
            program: None,
            proposal_defaults: HashMap::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The rules of validation-gen's tags, read once.
    fn program(&mut self) -> Rc<validation::Program> {
        if let Some(program) = &self.program {
            return Rc::clone(program);
        }
        if !self.has_tags(&[Family::Validation]) {
            // What validation-gen does not support is no concern of packages that do not ask it.
            let program = Rc::new(validation::Program::default());
            self.program = Some(Rc::clone(&program));
            return program;
        }
        let options = validation::Options { all_types: true, no_lint: true, newer_tags_pass: true };
        let (program, found) = validation::declare(self.universe, &options);
        let own = |it: &Diagnostic| it.pos.is_some_and(|pos| self.is_own(pos));
        let mut found: Vec<Diagnostic> = found.into_iter().filter(own).collect();
        if self.allow_loss {
            found.iter_mut().for_each(|it| it.severity = Severity::Warning);
        }
        self.diagnostics.extend(found);
        let program = Rc::new(program);
        self.program = Some(Rc::clone(&program));
        program
    }

    /// Whether a package at hand has tags of some families that controller-gen does not read.
    fn has_tags(&self, families: &[Family]) -> bool {
        let universe = self.universe;
        let speaks = |docs: &Docs| {
            let lines = universe.lines(docs.file, docs.closest);
            codetag::extract("+", &lines).iter().any(|it| {
                let specs = registry::find(it.name);
                specs.iter().any(|it| families.contains(&it.family)) && !self.reads(it.name)
            })
        };
        let mut constants = universe.requested().flat_map(|it| it.consts.values());
        if constants.any(|id| speaks(&universe.constant(*id).docs)) {
            return true;
        }
        universe.requested().flat_map(|it| it.types.values()).any(|id| {
            let named = universe.named(*id);
            let fields = if named.alias { &[] } else { universe.fields(named.target) };
            speaks(&named.docs) || fields.iter().any(|it| speaks(&it.docs))
        })
    }

    /// Whether the generator reads a tag by itself.
    fn reads(&self, name: &str) -> bool {
        let immutable = self.target == Target::OpenApi && name == "k8s:immutable";
        READ.contains(&name) && !immutable
    }

    /// Whether a place is in a package that was asked for.
    fn is_own(&self, pos: Pos) -> bool {
        let package = self.universe.file(pos.file).package;
        self.universe.package(package).requested
    }

    /// Adds what the tags of a field say about its value.
    pub(crate) fn declare_field(&mut self, owner: NamedId, field: &Field, schema: &mut Raw) {
        if !self.is_own(field.pos) {
            return;
        }
        self.losses(&field.docs);
        match self.target {
            Target::Definition => self.constrain(&field.docs, field.ty, schema, false),
            // Scalars have no definition of their own that their type's tags could stand in.
            Target::OpenApi => self.declare_scalar(field.ty, schema),
        }
        let program = self.program();
        let node = program.node_of(self.universe.type_of(owner)).map(|it| program.node(it));
        let child = node.and_then(|it| it.fields.iter().find(|it| it.name == field.name));
        for function in child.iter().flat_map(|it| &it.rules.functions) {
            self.value_rule(&function.check, schema, function.pos.unwrap_or(field.pos));
        }
    }

    /// Adds what the tags of a declared type say, and for a struct what those of its fields say
    /// about each other.
    pub(crate) fn declare_type(&mut self, id: NamedId, schema: &mut Raw) {
        let universe = self.universe;
        let named = universe.named(id);
        if !self.is_own(named.pos) {
            return;
        }
        self.losses(&named.docs);
        if self.target == Target::Definition {
            self.constrain(&named.docs, named.ty, schema, true);
            self.enumerate(id, schema);
        }
        let program = self.program();
        let Some(node) = program.node_of(universe.type_of(id)).map(|it| program.node(it)) else {
            return;
        };
        for function in &node.rules.functions {
            let pos = function.pos.unwrap_or(named.pos);
            match &function.check.rule {
                Tag::Union(union) => match cel::tagged_union(union) {
                    Some(rules) => rules.into_iter().for_each(|it| add_rule(schema, it)),
                    None => self.unsaid(&function.check.rule, schema, pos),
                },
                Tag::Discriminated(tagged) => {
                    let field = node.fields.iter().find(|it| it.name == tagged.discriminator);
                    match field.and_then(|it| cel::discriminated(tagged, &it.json_name)) {
                        Some(rule) => add_rule(schema, rule),
                        None => self.unsaid(&function.check.rule, schema, pos),
                    }
                }
                _ => self.value_rule(&function.check, schema, pos),
            }
        }
        for child in &node.fields {
            let checks = child.rules.functions.iter().map(|it| &it.check);
            let checks = checks.filter(|it| it.level != Some(Level::Alpha));
            let rules = checks.flat_map(|it| cel::field_rules(&it.rule, &child.json_name));
            rules.for_each(|it| add_rule(schema, it));
        }
    }

    /// Adds what the tags of a named scalar say, and of what a list or map of them holds.
    fn declare_scalar(&mut self, ty: TypeId, schema: &mut Raw) {
        let universe = self.universe;
        let ty = universe.deref(ty);
        if let Some(id) = universe.as_named(ty).filter(|_| schema.properties.is_none()) {
            self.declare_type(id, schema);
        }
        let Some(elem) = universe.go_elem(universe.native_base(ty)) else { return };
        match (&mut schema.items, &mut schema.additional_properties) {
            (Some(Items::One(items)), _) => self.declare_scalar(elem, items),
            (_, Some(BoolOr::Schema(values))) => self.declare_scalar(elem, values),
            _ => {}
        }
    }

    /// The values of a type tagged `+enum`, which controller-gen does not read.
    fn enumerate(&mut self, id: NamedId, schema: &mut Raw) {
        let universe = self.universe;
        let named = universe.named(id);
        let lines = universe.lines(named.docs.file, named.docs.closest);
        let tags = codetag::extract("+", &lines);
        let Some(tag) = tags.iter().find(|it| it.name == "enum") else { return };
        if schema.enumeration.is_some() {
            return;
        }
        if !self.has_tags(&[Family::Validation, Family::Proposal]) {
            let pos = Pos { file: named.docs.file, offset: tag.offset };
            let message = "tag `+enum` has no effect here, as controller-gen does not read it";
            let help = "write `+k8s:enum` or `+kubebuilder:validation:Enum`";
            self.diagnostics.push(Diagnostic::warning(LOSS, pos, message).help(help));
            return;
        }
        let (lowered, _) = lower::lower_type(universe, id);
        let values = lowered.and_then(|it| it.root_node().validation.clone());
        schema.enumeration = values.map(|it| it.enumeration).filter(|it| !it.is_empty());
    }

    /// The format of names that a kind asks for, and where.
    pub(crate) fn name_format(&self, kind: NamedId) -> Option<String> {
        let universe = self.universe;
        let named = universe.named(kind);
        let metadata = universe.fields(named.target).iter().find(|it| it.json.name == "metadata");
        let mut docs = metadata.map(|it| it.docs).into_iter().chain([named.docs]);
        docs.find_map(|it| proposals::constraints(universe, &it, named.ty).0.name_format)
    }

    /// The format of names, which only the root of a kind can speak of.
    pub(crate) fn declare_names(&mut self, kind: NamedId, schema: &mut Raw) {
        let named = self.universe.named(kind);
        if let Some(format) = self.name_format(kind) {
            match format_check(&format, "self.metadata.name") {
                Some(check) => {
                    let words = format!("metadata.name must have the format {format}");
                    add_rule(schema, cel::rule(check, words));
                }
                None => self.loss(named.pos, "nameFormat", "write a `+validationRule` on the kind"),
            }
        }
    }

    /// Limits, formats and rules of KEP-4153, and unions of KEP-1027.
    fn constrain(&mut self, docs: &Docs, ty: TypeId, schema: &mut Raw, of_type: bool) {
        let (found, findings) = proposals::constraints(self.universe, docs, ty);
        self.diagnostics.extend(findings);
        tighten(schema, &found);
        if let Some(format) = &found.format {
            let check = format_check(format, "self");
            match check.filter(|_| self.target == Target::Definition) {
                Some(check) => {
                    let words = format!("must have the format {format}");
                    add_rule(schema, cel::rule(check, words));
                }
                None => schema.format = Text::from(format.as_str()),
            }
        }
        let named = self.universe.as_named(ty).filter(|_| of_type);
        let is_struct = named.is_some() && schema.properties.is_some();
        match named.filter(|_| is_struct) {
            Some(id) => self.struct_rules(id, schema),
            None => {
                for rule in &found.rules {
                    add_rule(schema, lower::rule_of(rule));
                }
            }
        }
    }

    /// Rules of a struct: those written on it, those that tags of its fields make, its unions.
    fn struct_rules(&mut self, id: NamedId, schema: &mut Raw) {
        let (lowered, _) = lower::lower_type(self.universe, id);
        let Some(lowered) = lowered else { return };
        if self.target == Target::Definition {
            self.declare_defaults(id, &lowered, schema);
        }
        let root = lowered.root_node();
        for rule in &root.rules {
            add_rule(schema, rule.clone());
        }
        // Documents have words of their own for unions.
        let unions = root.declared.iter().flat_map(|it| &it.unions);
        for union in unions.filter(|_| self.target == Target::Definition) {
            cel::union_rules(union).into_iter().for_each(|it| add_rule(schema, it));
        }
    }

    /// A rule about a value: a keyword, or CEL.
    fn value_rule(&mut self, check: &Check, schema: &mut Raw, pos: Pos) {
        // What is only observed refuses nothing; a failure that is no error neither.
        if check.level == Some(Level::Alpha) || check.non_error {
            return;
        }
        match &check.rule {
            Tag::Immutable if self.target == Target::OpenApi => {
                add_rule(schema, cel::rule("self == oldSelf".to_owned(), "field is immutable"));
            }
            // Read by controller-gen itself, or by the struct around the field.
            Tag::Required(_) | Tag::Optional(_) | Tag::Immutable | Tag::Call(_) => {}
            Tag::Forbidden(_) | Tag::Update { .. } | Tag::Forced { valid: true, .. } => {}
            Tag::Enum { values, exclusions } if exclusions.is_empty() => {
                if self.target == Target::Definition && schema.enumeration.is_some() {
                    schema.enumeration = Some(values.iter().cloned().map(Into::into).collect());
                }
            }
            Tag::Minimum(_)
            | Tag::Maximum(_)
            | Tag::MinLength(_)
            | Tag::MaxLength(_)
            | Tag::MinItems(_)
            | Tag::MaxItems(_) => tighten(schema, &limit(&check.rule)),
            Tag::Format(it) if schema.format.is_empty() && self.has_format(it.name()) => {
                schema.format = Text::new_static(it.name());
            }
            Tag::Unique(matching) => unique(schema, matching),
            Tag::EachValue { inner, .. } => {
                if let Some(Items::One(items)) = &mut schema.items {
                    self.value_rule(inner, items, pos);
                }
            }
            Tag::EachMapValue { inner, .. } => {
                if let Some(BoolOr::Schema(values)) = &mut schema.additional_properties {
                    self.value_rule(inner, values, pos);
                }
            }
            rule => match cel::predicate(rule, "self") {
                Some(expression) => add_rule(schema, cel::rule(expression, Text::default())),
                None => self.unsaid(rule, schema, pos),
            },
        }
    }

    /// A rule that neither a keyword nor CEL can say: in words where people read them, else lost.
    fn unsaid(&mut self, rule: &Tag, schema: &mut Raw, pos: Pos) {
        let words = (self.target == Target::OpenApi).then(|| sentence(rule, "")).flatten();
        match words {
            Some(words) if schema.description.is_empty() => schema.description = words.into(),
            Some(words) => schema.description = format!("{} {words}", schema.description).into(),
            None => {
                let way = "serve the types themselves, or write a `+validationRule`";
                self.loss(pos, rule.tag(), way);
            }
        }
    }

    /// Whether whoever reads the schema knows a format.
    fn has_format(&self, name: &str) -> bool {
        self.target == Target::OpenApi || matches!(name, "k8s-short-name" | "k8s-long-name")
    }

    /// Tells the tags of a comment that definitions cannot express.
    fn losses(&mut self, docs: &Docs) {
        let lines = self.universe.lines(docs.file, docs.closest);
        let found: Vec<(Pos, String, &'static str)> = codetag::extract("+", &lines)
            .iter()
            .filter(|it| !(it.name == "k8s:warning" && it.text.contains("=+")))
            // Documents have an extension for it.
            .filter(|it| !(it.name == "validationError" && self.target == Target::OpenApi))
            .filter_map(|it| {
                let way = way_out(it.name)?;
                Some((Pos { file: docs.file, offset: it.offset }, it.name.to_owned(), way))
            })
            .collect();
        for (pos, tag, way) in found {
            self.loss(pos, &tag, way);
        }
    }

    fn loss(&mut self, pos: Pos, tag: &str, way: &str) {
        let message = format!("tag `+{tag}` cannot be expressed in {}", self.target.words());
        let help = format!("{way}; --allow-loss leaves the tag out");
        // A document says more of an opaque field than holds, and refuses nobody for it.
        let harmless = self.target == Target::OpenApi && HARMLESS.contains(&tag);
        let finding = if self.allow_loss || harmless {
            Diagnostic::warning(LOSS, pos, message)
        } else {
            Diagnostic::error(LOSS, pos, message)
        };
        self.diagnostics.push(finding.help(help));
    }
}

/// What to do instead of writing a tag that has no counterpart in schemas.
fn way_out(name: &str) -> Option<&'static str> {
    if name.starts_with("rule:") {
        return Some("write a `+validationRule`");
    }
    LOST.iter().find(|(tag, _)| *tag == name).map(|(_, way)| *way)
}

/// Adds a rule unless a marker has written the same expression.
fn add_rule(schema: &mut Raw, rule: Rule) {
    let known = schema.validations.iter().flatten().any(|it| it.rule == rule.rule);
    if !known {
        schema.validations.get_or_insert_default().push(rule);
    }
}

/// A limit of validation-gen as one of KEP-4153.
#[expect(clippy::cast_precision_loss, reason = "JSON has the same numbers")]
fn limit(tag: &Tag) -> Constraints {
    let mut out = Constraints::default();
    match tag {
        Tag::Minimum(it) => out.minimum = Some(*it as f64),
        Tag::Maximum(it) => out.maximum = Some(*it as f64),
        Tag::MinLength(it) => out.min_length = Some(*it),
        Tag::MaxLength(it) => out.max_length = Some(*it),
        Tag::MinItems(it) => out.min_items = Some(*it),
        Tag::MaxItems(it) => out.max_items = Some(*it),
        _ => {}
    }
    out
}

/// Both limits hold, so the tighter one is written.
fn tighten(schema: &mut Raw, added: &Constraints) {
    let most = |own: &mut Option<i64>, new: Option<i64>| {
        *own = own.map_or(new, |it| Some(new.map_or(it, |new| it.min(new))));
    };
    let least = |own: &mut Option<i64>, new: Option<i64>| {
        *own = own.map_or(new, |it| Some(new.map_or(it, |new| it.max(new))));
    };
    most(&mut schema.max_length, added.max_length);
    least(&mut schema.min_length, added.min_length);
    most(&mut schema.max_items, added.max_items);
    least(&mut schema.min_items, added.min_items);
    most(&mut schema.max_properties, added.max_properties);
    least(&mut schema.min_properties, added.min_properties);
    if let Some(new) = added.maximum.filter(|new| schema.maximum.is_none_or(|old| *new <= old)) {
        schema.exclusive_maximum |= added.exclusive_maximum;
        schema.maximum = Some(new);
    }
    if let Some(new) = added.minimum.filter(|new| schema.minimum.is_none_or(|old| *new >= old)) {
        schema.exclusive_minimum |= added.exclusive_minimum;
        schema.minimum = Some(new);
    }
    if let Some(pattern) = added.pattern.as_deref().filter(|it| schema.pattern != *it) {
        if schema.pattern.is_empty() {
            schema.pattern = Text::from(pattern);
        } else {
            let branch = Raw { pattern: Text::from(pattern), ..Raw::default() };
            schema.all_of.get_or_insert_default().push(branch);
        }
    }
}

/// No item twice: by the list's type where it has one, else by CEL.
fn unique(schema: &mut Raw, matching: &Match) {
    if schema.list_type.as_deref().is_some_and(|it| it != "atomic") {
        return;
    }
    let same = match matching {
        Match::Equal(_) | Match::None => "one == other".to_owned(),
        Match::Keys(keys) => {
            let equal = keys.iter().map(|it| {
                let key = lower::cel_name(&it.json);
                format!("has(one.{key}) == has(other.{key}) && (!has(one.{key}) || one.{key} == other.{key})")
            });
            equal.collect::<Vec<_>>().join(" && ")
        }
    };
    let expression = format!("self.all(one, self.exists_one(other, {same}))");
    add_rule(schema, cel::rule(expression, "must have no item twice"));
}
