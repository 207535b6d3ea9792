//! Declared rules to functions: what runs for each type and field, in order.

use std::collections::HashMap;

use ordain_schema::native as out;
use ordain_value::{Text, Value};

use crate::diagnostic::Diagnostic;
use crate::graph::{NamedId, PackageId, Type, TypeId, Universe};
use crate::tags::codetag;
use crate::validation::{
    ChildNode, Equality, Extractor, Function, GoKind, Level, Matching, NodeId, Presence, Program,
    Rule, Scalar, SetKind, TypeNode, UnionKind, UpdateConstraint, UpdateKind,
};

pub(super) struct Lowering<'u> {
    pub(super) universe: &'u Universe,
    declared: &'u Program,
    pub(super) program: out::Program,
    pub(super) shapes: HashMap<TypeId, out::TypeId>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'u> Lowering<'u> {
    pub(super) fn new(universe: &'u Universe, declared: &'u Program) -> Self {
        Lowering {
            universe,
            declared,
            program: out::Program::default(),
            shapes: HashMap::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Every node becomes a function with the node's number; those without rules stay empty.
    pub(super) fn run(
        mut self,
        package: Option<PackageId>,
        ruled: &[(Text, NamedId)],
    ) -> (out::Program, Vec<Diagnostic>) {
        let declared = self.declared;
        for node in &declared.nodes {
            let func = self.function(node);
            self.program.funcs.push(func);
        }
        let universe = self.universe;
        let wanted = |named| package.is_none_or(|it| universe.named(named).package == it);
        let roots = declared.roots.iter().filter(|it| wanted(it.named));
        for root in roots.filter(|it| declared.has_rules(it.node)) {
            let ty = self.shape(declared.node(root.node).ty);
            self.program.roots.push(out::Root {
                name: universe.named(root.named).name.clone(),
                ty,
                func: out::FuncId(root.node.0),
                subresources: root.subresources.iter().map(Text::new).collect(),
            });
        }
        self.program.roots.sort_by(|a, b| a.name.cmp(&b.name));
        if !ruled.is_empty() {
            self.written(ruled);
        }
        (self.program, self.diagnostics)
    }

    fn has_rules(&self, child: Option<&ChildNode>) -> bool {
        child.and_then(|it| it.node).is_some_and(|it| self.declared.has_rules(it))
    }

    fn function(&mut self, node: &TypeNode) -> out::TypeFunc {
        let mut func = out::TypeFunc::default();
        if !node.rules.is_empty() {
            func.checks = checks(&node.rules.functions);
            if let Some(under) = node.underlying.as_ref().and_then(|it| it.node) {
                let under = self.declared.node(under);
                if self.has_rules(under.key.as_ref()) {
                    func.keys = checks(&node.key_iterations.functions);
                }
                if self.has_rules(under.elem.as_ref()) {
                    func.values = checks(&node.val_iterations.functions);
                }
            }
        }
        for child in &node.fields {
            let gates = self.gates(node.ty, &child.name);
            func.fields.extend(self.field(child).map(|it| out::FieldFunc { gates, ..it }));
        }
        func
    }

    fn field(&mut self, child: &ChildNode) -> Option<out::FieldFunc> {
        let mut call = None;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        if let Some(id) = child.node {
            let node = self.declared.node(id);
            match node.kind {
                GoKind::Alias | GoKind::Struct if self.declared.has_rules(id) => {
                    call = Some(out::FuncId(id.0));
                }
                GoKind::Slice | GoKind::Map => {
                    if self.has_rules(node.key.as_ref()) {
                        keys = checks(&child.key_iterations.functions);
                    }
                    if self.has_rules(node.elem.as_ref()) {
                        values = checks(&child.val_iterations.functions);
                    }
                }
                _ => {}
            }
        }
        let checks = checks(&child.rules.functions);
        if checks.is_empty() && call.is_none() && keys.is_empty() && values.is_empty() {
            return None;
        }
        let inline = child.json_name.is_empty();
        let path = if inline { self.type_word(child.ty) } else { child.json_name.clone() };
        Some(out::FieldFunc {
            go: child.name.clone(),
            path,
            inline,
            ty: self.shape(child.ty),
            equality: self.equality(child.ty),
            gates: Vec::new(),
            checks,
            call,
            keys,
            values,
        })
    }

    /// The feature gates of a field.
    fn gates(&self, owner: TypeId, name: &str) -> Vec<Text> {
        let universe = self.universe;
        let field = universe.fields(owner).iter().find(|it| it.name == name);
        let Some(docs) = field.map(|it| it.docs) else { return Vec::new() };
        let lines = universe.lines(docs.file, docs.closest);
        let tags = codetag::extract("+", &lines);
        let gates = tags.iter().filter(|it| it.name == "k8s:featureGate");
        let values = gates.filter_map(|it| it.text.split_once('='));
        values.map(|(_, value)| Text::from(value.trim().trim_matches('"'))).collect()
    }

    /// The name of a field's type as code in its package spells it.
    fn type_word(&self, ty: TypeId) -> Text {
        let universe = self.universe;
        let base = match universe.ty(universe.unalias(ty)) {
            Type::Pointer(to) => *to,
            _ => ty,
        };
        match universe.as_named(base) {
            Some(id) if universe.package_of(id).requested => universe.named(id).name.clone(),
            Some(id) => {
                let package = &universe.package_of(id).name;
                Text::from(format!("{package}.{}", universe.named(id).name))
            }
            None => Text::from(universe.display(base)),
        }
    }

    /// How values of a field are compared, behind any pointers.
    fn equality(&self, ty: TypeId) -> out::Equality {
        if self.universe.is_direct_comparable(self.universe.native_base(ty)) {
            out::Equality::Direct
        } else {
            out::Equality::Semantic
        }
    }
}

fn checks(functions: &[Function]) -> Vec<out::Check> {
    functions.iter().map(check).collect()
}

fn check(function: &Function) -> out::Check {
    out::Check {
        rule: rule(&function.rule),
        short_circuit: function.short_circuit,
        non_error: function.non_error,
        cohort: Text::new(&function.cohort),
        level: function.level.map(|it| match it {
            Level::Alpha => out::Level::Alpha,
            Level::Beta => out::Level::Beta,
        }),
    }
}

fn boxed(function: &Function) -> Box<out::Check> {
    Box::new(check(function))
}

fn rule(rule: &Rule) -> out::Rule {
    match rule {
        Rule::Required(it) => out::Rule::Required(setness(*it)),
        Rule::Optional(it) => out::Rule::Optional(setness(*it)),
        Rule::Forbidden(it) => out::Rule::Forbidden(setness(*it)),
        Rule::MaxLength(it) => out::Rule::MaxLength(*it),
        Rule::MinLength(it) => out::Rule::MinLength(*it),
        Rule::MaxBytes(it) => out::Rule::MaxBytes(*it),
        Rule::MinItems(it) => out::Rule::MinItems(*it),
        Rule::MaxItems(it) => out::Rule::MaxItems(*it),
        Rule::Minimum(it) => out::Rule::Minimum(*it),
        Rule::Maximum(it) => out::Rule::Maximum(*it),
        Rule::Enum { values, exclusions } => enumeration(values, exclusions),
        Rule::Format(name) => format(name),
        Rule::Neq(it) => out::Rule::NotEqual(scalar(it)),
        Rule::Immutable => out::Rule::Immutable,
        Rule::Update(kind, constraints) => update(*kind, constraints),
        Rule::Unique(it) => out::Rule::Unique(matching(Some(it))),
        Rule::EachSliceVal { matching: by, equality: equal, call } => out::Rule::EachValue {
            matching: matching(by.as_ref()),
            equivalence: equal.map(equality),
            inner: boxed(call),
        },
        Rule::EachMapVal(equal, call) => {
            out::Rule::EachMapValue { equivalence: equality(*equal), inner: boxed(call) }
        }
        Rule::EachMapKey(call) => out::Rule::EachKey { inner: boxed(call) },
        Rule::Subfield { json_name, name, equality: equal, call } => out::Rule::Subfield {
            json: json_name.clone(),
            go: name.clone(),
            equality: equality(*equal),
            inner: boxed(call),
        },
        Rule::SliceItem { keys, equality: equal, call } => out::Rule::Item {
            criteria: criteria(keys),
            equality: equality(*equal),
            inner: boxed(call),
        },
        Rule::IfOption { option, enabled, call } => {
            out::Rule::IfOption { option: Text::new(option), enabled: *enabled, inner: boxed(call) }
        }
        Rule::Union { kind, discriminator, members, extractors } => {
            let pairs = members.iter().zip(extractors);
            out::Rule::Union(out::UnionRule {
                discriminator: discriminator.clone(),
                zero_or_one: *kind == UnionKind::AtMostOne,
                members: pairs
                    .map(|(member, extractor)| out::UnionRuleMember {
                        name: Text::new(&member.field),
                        discriminator_value: Text::new(&member.discriminator_value),
                        select: select(extractor),
                    })
                    .collect(),
            })
        }
        Rule::Discriminated { json_name, name, discriminator, equality: equal, default, rules } => {
            out::Rule::Discriminated(out::DiscriminatedRule {
                json: json_name.clone(),
                go: name.clone(),
                discriminator: discriminator.clone(),
                equality: equality(*equal),
                rules: rules.iter().map(|it| (scalar(&it.value), checks(&it.functions))).collect(),
                otherwise: vec![check(default)],
            })
        }
        Rule::Warn(text, call) => out::Rule::Warn { text: Text::new(text), inner: boxed(call) },
        Rule::FixedResult(valid, message) => {
            out::Rule::Forced { valid: *valid, message: Text::new(message) }
        }
        Rule::Call(NodeId(id)) => out::Rule::Call(out::FuncId(*id)),
    }
}

fn enumeration(values: &[Text], exclusions: &[crate::validation::Exclusion]) -> out::Rule {
    let mut values = values.to_vec();
    values.sort();
    out::Rule::Enum {
        values,
        exclusions: exclusions
            .iter()
            .map(|it| out::Exclusion {
                value: it.value.clone(),
                option: Text::new(&it.option),
                when: it.when_enabled,
            })
            .collect(),
    }
}

/// The names were checked when the tags were read; an unknown one can never match.
fn format(name: &str) -> out::Rule {
    match out::Format::from_name(name) {
        Some(format) => out::Rule::Format(format),
        None => {
            let message = Text::from(format!("unknown format {name}"));
            out::Rule::Forced { valid: false, message }
        }
    }
}

fn update(kind: UpdateKind, constraints: &[UpdateConstraint]) -> out::Rule {
    out::Rule::Update {
        constraints: constraints
            .iter()
            .map(|it| match it {
                UpdateConstraint::NoSet => out::UpdateConstraint::NoSet,
                UpdateConstraint::NoUnset => out::UpdateConstraint::NoUnset,
                UpdateConstraint::NoModify => out::UpdateConstraint::NoModify,
            })
            .collect(),
        setness: match kind {
            UpdateKind::Pointer => out::UpdateSetness::Pointer,
            UpdateKind::Struct => out::UpdateSetness::Struct,
            UpdateKind::Value | UpdateKind::ValueByReflect => out::UpdateSetness::Value,
        },
    }
}

fn setness(presence: Presence) -> out::Setness {
    match presence {
        Presence::Value => out::Setness::Value,
        Presence::Pointer => out::Setness::Pointer,
        Presence::Slice => out::Setness::List,
        Presence::Map => out::Setness::Map,
    }
}

fn equality(equality: Equality) -> out::Equality {
    match equality {
        Equality::Direct => out::Equality::Direct,
        Equality::Semantic => out::Equality::Semantic,
    }
}

fn matching(matching: Option<&Matching>) -> out::Match {
    match matching {
        None => out::Match::None,
        Some(Matching::Value(it)) => out::Match::Equal(equality(*it)),
        Some(Matching::Keys(keys)) => {
            out::Match::Keys(keys.iter().map(|it| it.name.clone()).collect())
        }
    }
}

fn scalar(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Str(it) => Value::str(it.as_str()),
        Scalar::Int(it) => Value::Int(*it),
        Scalar::Bool(it) => Value::Bool(*it),
    }
}

fn criteria(keys: &[(String, Scalar)]) -> Vec<out::Criterion> {
    keys.iter()
        .map(|(json, value)| out::Criterion { json: Text::new(json), value: scalar(value) })
        .collect()
}

fn select(extractor: &Extractor) -> out::UnionSelect {
    match extractor {
        Extractor::Item(keys) => out::UnionSelect::Item(criteria(keys)),
        Extractor::Field { name, set, .. } => out::UnionSelect::Field {
            go: name.clone(),
            setness: match set {
                SetKind::Pointer | SetKind::Never => out::Setness::Pointer,
                SetKind::Length => out::Setness::List,
                SetKind::Value => out::Setness::Value,
            },
        },
    }
}
