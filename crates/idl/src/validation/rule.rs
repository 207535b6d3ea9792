//! The program: nodes and rules.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::gotype::GoKind;
use crate::graph::{NamedId, TypeId};
use crate::source::Pos;

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// All rules of the types that were discovered.
#[derive(Debug, Default)]
pub struct Program {
    /// The nodes.
    pub nodes: Vec<TypeNode>,
    /// The types that are validated on their own, sorted by qualified name. Those without any
    /// rule (see [`Program::has_rules`]) have no function upstream.
    pub roots: Vec<Root>,
    pub(super) by_type: HashMap<TypeId, NodeId>,
}

/// A type that is validated on its own.
#[derive(Clone, Debug)]
pub struct Root {
    /// The type.
    pub named: NamedId,
    /// Its node.
    pub node: NodeId,
    /// The subresource paths it answers for, sorted: `/` is the object itself.
    pub subresources: Vec<String>,
}

/// A type and the rules that belong to it wherever it is used. Never a pointer.
#[derive(Debug)]
pub struct TypeNode {
    /// The type, aliases removed.
    pub ty: TypeId,
    /// gengo's kind of it.
    pub kind: GoKind,
    /// Whether it has a function of its own (it is named and its package takes part).
    pub has_function: bool,
    /// Fields, for structs.
    pub fields: Vec<ChildNode>,
    /// Key, for maps.
    pub key: Option<ChildNode>,
    /// Element, for lists and maps.
    pub elem: Option<ChildNode>,
    /// Underlying type, for named types that are neither struct nor interface.
    pub underlying: Option<ChildNode>,
    /// Rules on the type.
    pub rules: Rules,
    /// Calls of the elements' functions; run only with [`TypeNode::rules`] not empty.
    pub val_iterations: Rules,
    /// Calls of the keys' functions; run only with [`TypeNode::rules`] not empty.
    pub key_iterations: Rules,
}

/// A type in use: a field, an element, a key, an underlying type.
#[derive(Debug)]
pub struct ChildNode {
    /// Go name of the field; empty for others.
    pub name: SmolStr,
    /// JSON name of the field; empty when it is inlined.
    pub json_name: SmolStr,
    /// The type as used, possibly a pointer.
    pub ty: TypeId,
    /// The node of its value; `None` when its rules are not run here.
    pub node: Option<NodeId>,
    /// Rules on the field.
    pub rules: Rules,
    /// Calls of the elements' functions.
    pub val_iterations: Rules,
    /// Calls of the keys' functions.
    pub key_iterations: Rules,
}

/// Rules in order of declaration.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The calls.
    pub functions: Vec<Function>,
    /// Tables upstream generates beside the calls.
    pub(super) variables: u32,
    /// Remarks upstream generates beside the calls.
    pub(super) comments: u32,
    /// The rules of the type are not run.
    pub opaque_type: bool,
    /// The rules of the keys' type are not run.
    pub opaque_key: bool,
    /// The rules of the elements' type are not run.
    pub opaque_val: bool,
}

impl Rules {
    /// Whether nothing was declared. Opaqueness alone counts as nothing, as upstream.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.variables == 0 && self.comments == 0
    }

    pub(super) fn of(function: Function) -> Self {
        Self { functions: vec![function], ..Self::default() }
    }

    pub(super) fn add(&mut self, other: Rules) {
        self.functions.extend(other.functions);
        self.variables += other.variables;
        self.comments += other.comments;
        self.opaque_type |= other.opaque_type;
        self.opaque_key |= other.opaque_key;
        self.opaque_val |= other.opaque_val;
    }
}

/// Whose word a rule's errors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Only observed.
    Alpha,
    /// May be switched off.
    Beta,
}

/// A rule as it is called.
#[derive(Clone, Debug)]
pub struct Function {
    /// The tag that declared it.
    pub tag: &'static str,
    /// Rules of one cohort short-circuit only each other.
    pub cohort: String,
    /// When it fails, the rules without this mark do not run.
    pub short_circuit: bool,
    /// Its failure is no error.
    pub non_error: bool,
    /// The mark its errors get.
    pub level: Option<Level>,
    /// The rule.
    pub rule: Rule,
    /// Place of the tag, when a tag declared it.
    pub pos: Option<Pos>,
}

impl Function {
    pub(super) fn new(tag: &'static str, rule: Rule) -> Self {
        Self {
            tag,
            cohort: String::new(),
            short_circuit: false,
            non_error: false,
            level: None,
            rule,
            pos: None,
        }
    }

    pub(super) fn short_circuit(mut self) -> Self {
        self.short_circuit = true;
        self
    }

    pub(super) fn non_error(mut self) -> Self {
        self.non_error = true;
        self
    }

    pub(super) fn level(mut self, level: Option<Level>) -> Self {
        self.level = level;
        self
    }

    /// The rule inside another: upstream passes a rule without arguments by name, and so loses
    /// its level.
    pub(super) fn wrapped(mut self) -> Box<Self> {
        if !self.rule.has_arguments() {
            self.level = None;
        }
        Box::new(self)
    }

    /// A rule around this one, with its flags.
    pub(super) fn around(&self, tag: &'static str, rule: Rule) -> Self {
        Self {
            short_circuit: self.short_circuit,
            non_error: self.non_error,
            pos: self.pos,
            ..Self::new(tag, rule)
        }
    }
}

/// Which zero counts as "not given".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The zero value.
    Value,
    /// Nil.
    Pointer,
    /// Length zero.
    Slice,
    /// Length zero.
    Map,
}

/// A constant in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A string.
    Str(String),
    /// An integer.
    Int(i64),
    /// A boolean.
    Bool(bool),
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// `==`
    Direct,
    /// Kubernetes' deep equality, where nil and empty are equal.
    Semantic,
}

/// How old and new items of a list are brought together, or duplicates found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matching {
    /// By value.
    Value(Equality),
    /// By key fields.
    Keys(Vec<KeyField>),
}

/// A key field of a map list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyField {
    /// JSON name.
    pub json_name: SmolStr,
    /// Go name.
    pub name: SmolStr,
    /// Whether it is a pointer (nil equals nil).
    pub pointer: bool,
}

/// A value that is taken out of an enum under an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The value.
    pub value: SmolStr,
    /// The option.
    pub option: String,
    /// Whether it is excluded when the option is on, or when it is off.
    pub when_enabled: bool,
}

/// What an update may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpdateConstraint {
    /// Set what was not set.
    NoSet,
    /// Unset what was set.
    NoUnset,
    /// Change what is set.
    NoModify,
}

/// How an update rule looks at the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateKind {
    /// A pointer: set means not nil.
    Pointer,
    /// A struct: always set.
    Struct,
    /// A comparable value: set means not zero.
    Value,
    /// A value compared by reflection: set means not zero.
    ValueByReflect,
}

/// The kinds of unions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnionKind {
    /// Exactly one member is set.
    ExactlyOne,
    /// At most one member is set.
    AtMostOne,
}

/// A union member as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionMember {
    /// JSON name of the field, or the item's path element.
    pub field: String,
    /// The discriminator's value for it.
    pub discriminator_value: String,
}

/// How it is found out whether a member is set. The n-th extractor belongs to the n-th member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extractor {
    /// A field of the struct.
    Field {
        /// JSON name.
        json_name: SmolStr,
        /// Go name.
        name: SmolStr,
        /// What "set" means.
        set: SetKind,
    },
    /// An item of the list with these keys.
    Item(Vec<(String, Scalar)>),
}

/// What makes a union's field set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// Not nil.
    Pointer,
    /// Not empty.
    Length,
    /// Not the zero value.
    Value,
    /// Never.
    Never,
}

/// Rules that hold for one value of a discriminator.
#[derive(Clone, Debug)]
pub struct DiscriminatedRule {
    /// The value.
    pub value: Scalar,
    /// The rules.
    pub functions: Vec<Function>,
}

/// A rule. The comment names upstream's function in `k8s.io/apimachinery/pkg/api/validate`.
#[derive(Clone, Debug)]
pub enum Rule {
    /// `RequiredValue`, `RequiredPointer`, `RequiredSlice`, `RequiredMap`
    Required(Presence),
    /// `OptionalValue`, …
    Optional(Presence),
    /// `ForbiddenValue`, …
    Forbidden(Presence),
    /// `MaxLength`
    MaxLength(i64),
    /// `MinLength`
    MinLength(i64),
    /// `MaxBytes`
    MaxBytes(i64),
    /// `MinItems`
    MinItems(i64),
    /// `MaxItems`
    MaxItems(i64),
    /// `Minimum`
    Minimum(i64),
    /// `Maximum`
    Maximum(i64),
    /// `Enum`: values in order of their constants' names.
    Enum {
        /// The values.
        values: Vec<SmolStr>,
        /// Those that an option excludes.
        exclusions: Vec<Exclusion>,
    },
    /// A format's function, by the tag's word.
    Format(&'static str),
    /// `NEQ`
    Neq(Scalar),
    /// `Immutable`
    Immutable,
    /// `UpdatePointer`, `UpdateStruct`, `UpdateValueByCompare`, `UpdateValueByReflect`
    Update(UpdateKind, Vec<UpdateConstraint>),
    /// `Unique`
    Unique(Matching),
    /// `EachSliceVal`
    EachSliceVal {
        /// How an item's old value is found; `None` does not correlate.
        matching: Option<Matching>,
        /// How it is seen that an item did not change; `None` when matching says so.
        equality: Option<Equality>,
        /// The rule for each item.
        call: Box<Function>,
    },
    /// `EachMapVal`
    EachMapVal(Equality, Box<Function>),
    /// `EachMapKey`
    EachMapKey(Box<Function>),
    /// `Subfield`
    Subfield {
        /// JSON name.
        json_name: SmolStr,
        /// Go name.
        name: SmolStr,
        /// How it is seen that the field did not change.
        equality: Equality,
        /// The rule for the field.
        call: Box<Function>,
    },
    /// `SliceItem`
    SliceItem {
        /// Keys of the item.
        keys: Vec<(String, Scalar)>,
        /// How it is seen that the item did not change.
        equality: Equality,
        /// The rule for the item.
        call: Box<Function>,
    },
    /// `IfOption`
    IfOption {
        /// The option.
        option: String,
        /// Whether it must be on or off.
        enabled: bool,
        /// The rule.
        call: Box<Function>,
    },
    /// `Union`, `ZeroOrOneOfUnion`, `DiscriminatedUnion`
    Union {
        /// Exactly or at most one.
        kind: UnionKind,
        /// JSON name of the discriminator and its Go name.
        discriminator: Option<(SmolStr, SmolStr)>,
        /// The members in order of declaration.
        members: Vec<UnionMember>,
        /// How each is looked at.
        extractors: Vec<Extractor>,
    },
    /// `Discriminated`
    Discriminated {
        /// JSON name of the member field.
        json_name: SmolStr,
        /// Go name of the member field.
        name: SmolStr,
        /// Go name of the discriminator field.
        discriminator: SmolStr,
        /// How it is seen that the field did not change.
        equality: Equality,
        /// What holds for values without rules: the field is forbidden.
        default: Box<Function>,
        /// Rules by value.
        rules: Vec<DiscriminatedRule>,
    },
    /// `+k8s:warning=+…`: a text, and the rule whose failure is only told.
    Warn(String, Box<Function>),
    /// `FixedResult`
    FixedResult(bool, String),
    /// The function of a type.
    Call(NodeId),
}

impl Rule {
    /// Whether upstream's function takes arguments beyond the common ones.
    fn has_arguments(&self) -> bool {
        !matches!(
            self,
            Rule::Required(_)
                | Rule::Optional(_)
                | Rule::Forbidden(_)
                | Rule::Immutable
                | Rule::Format(_)
                | Rule::Call(_)
        )
    }
}

/// The order in which upstream runs a list of rules: the unnamed cohort first, then the named
/// ones in order of appearance; within each, those that short-circuit first. A failing
/// short-circuit rule ends its own cohort only when that is named, and the whole function when it
/// is not.
#[must_use]
pub fn cohorts(functions: &[Function]) -> Vec<Vec<&Function>> {
    let mut names: Vec<&str> = Vec::new();
    for function in functions {
        if !function.cohort.is_empty() && !names.contains(&function.cohort.as_str()) {
            names.push(&function.cohort);
        }
    }
    if functions.iter().any(|function| function.cohort.is_empty()) {
        names.insert(0, "");
    }
    names
        .into_iter()
        .map(|name| {
            let own = || functions.iter().filter(|function| function.cohort == name);
            own()
                .filter(|function| function.short_circuit)
                .chain(own().filter(|function| !function.short_circuit))
                .collect()
        })
        .collect()
}

impl Program {
    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &TypeNode {
        &self.nodes[id.0 as usize]
    }

    /// The node of a type, if it was discovered.
    #[must_use]
    pub fn node_of(&self, ty: TypeId) -> Option<NodeId> {
        self.by_type.get(&ty).copied()
    }

    /// Whether a node has rules on itself or anywhere below.
    #[must_use]
    pub fn has_rules(&self, id: NodeId) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            let node = self.node(id);
            if !node.rules.is_empty() {
                return true;
            }
            let others = [&node.key, &node.elem, &node.underlying];
            for child in node.fields.iter().chain(others.into_iter().flatten()) {
                if !child.rules.is_empty() {
                    return true;
                }
                waiting.extend(child.node);
            }
        }
        false
    }
}
