//! The keywords of one node, compiled.

use ordain_meta::KubeVersion;
use ordain_schema::formats::{self, FormatState};
use ordain_schema::{Node, Type};
use ordain_value::{Text, Value, go_quote, json};

use super::enumeration::{Many, matches};
use super::format::Format;
use super::number::NumberChecks;
use super::string::{is_longer, is_shorter};
use crate::pattern::Pattern;
use crate::plan::{Ends, Id, Kinds};

/// What validation checks at a node, its type apart. Groups that say nothing are absent.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    /// The name as written, when it is a format that the type knows.
    pub(super) format: Option<Text>,
    /// The same, when it is a format of strings.
    pub(super) string_format: Option<Format>,
    pub(super) string: Option<StringChecks>,
    pub(super) number: Option<Box<NumberChecks>>,
    pub(super) list: Option<ListChecks>,
    pub(super) object: Option<Box<ObjectChecks>>,
    pub(super) enumeration: Option<Box<Enumeration>>,
    pub(super) junctors: Option<Box<Junctors>>,
}

#[derive(Debug)]
pub(super) struct StringChecks {
    pub(super) max_length: Option<i64>,
    pub(super) min_length: Option<i64>,
    /// With this many bytes a text is surely long enough.
    sure_min: usize,
    /// With fewer bytes than this a text is surely short enough.
    sure_below: usize,
    pub(super) pattern: Option<Box<Pattern>>,
}

impl Checks {
    /// Leaves the junctors to the rules whose branches hold some: without them a branch cannot be judged.
    pub(crate) fn leave_to_rules(&mut self, has_rules: &dyn Fn(Id) -> bool) {
        let Some(junctors) = &mut self.junctors else { return };
        for list in [&mut junctors.any_of, &mut junctors.one_of] {
            if list.iter().any(|branch| has_rules(*branch)) {
                *list = Box::default();
            }
        }
        junctors.not = junctors.not.filter(|branch| !has_rules(*branch));
    }
}

impl StringChecks {
    /// Whether a text passes all of them.
    #[inline]
    pub(super) fn pass(&self, text: &str) -> bool {
        // Bytes are never fewer than characters and never more than four times as many.
        let long_enough = text.len() >= self.sure_min || !self.is_too_short(text);
        let short_enough = text.len() < self.sure_below || !self.is_too_long(text);
        // A pattern that may take long is tried where it is counted.
        let passes = |it: &Pattern| it.steps(text) == 0 && it.matches(text);
        long_enough && short_enough && self.pattern.as_deref().is_none_or(passes)
    }

    pub(super) fn is_too_long(&self, text: &str) -> bool {
        self.max_length.is_some_and(|max| is_longer(text, max))
    }

    pub(super) fn is_too_short(&self, text: &str) -> bool {
        self.min_length.is_some_and(|min| is_shorter(text, min))
    }
}

/// Lengths of lists and objects that pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    from: usize,
    /// One more than the greatest.
    below: usize,
}

impl Lengths {
    fn new(min: Option<i64>, max: Option<i64>) -> Self {
        let above = |max: i64| usize::try_from(max.saturating_add(1)).unwrap_or(0);
        Lengths {
            from: min.map_or(0, |min| usize::try_from(min).unwrap_or(0)),
            below: max.map_or(usize::MAX, above),
        }
    }

    #[inline]
    pub(super) fn pass(self, len: usize) -> bool {
        self.from <= len && len < self.below
    }
}

#[derive(Debug)]
pub(super) struct ListChecks {
    pub(super) max_items: Option<i64>,
    pub(super) min_items: Option<i64>,
    pub(super) len: Lengths,
    pub(super) unique_items: bool,
}

#[derive(Debug)]
pub(super) struct ObjectChecks {
    pub(super) max_properties: Option<i64>,
    pub(super) min_properties: Option<i64>,
    pub(super) len: Lengths,
    pub(super) required: Box<[Text]>,
    /// How many of the required names are declared properties; `None` when one is not.
    pub(super) required_declared: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Enumeration {
    pub(super) values: Box<[Value]>,
    /// How messages list them.
    pub(super) detail: String,
    /// The ends of the listed texts: a short text is found without touching them.
    ends: Box<[Ends]>,
    /// The same to look up in, when they are many.
    many: Option<Box<Many>>,
}

/// More listed values than this are not compared one by one.
const COMPARED_MAX: usize = 64;

impl Enumeration {
    /// Null is never among them, not even when it is listed.
    #[inline]
    pub(super) fn has(&self, value: &Value) -> bool {
        if let Some(many) = &self.many {
            return many.has(value);
        }
        if let Value::Str(text) = value
            && text.len() <= 16
        {
            return self.ends.contains(&Ends::of(text));
        }
        self.values.iter().any(|listed| matches(value, listed))
    }
}

#[derive(Debug)]
pub(super) struct Junctors {
    pub(super) all_of: Box<[Id]>,
    pub(super) any_of: Box<[Id]>,
    pub(super) one_of: Box<[Id]>,
    pub(super) not: Option<Id>,
}

impl Checks {
    /// Whether a text passes length, pattern and format.
    #[inline]
    pub(super) fn pass_text(&self, text: &str) -> bool {
        self.string.as_ref().is_none_or(|it| it.pass(text))
            && self.string_format.is_none_or(|it| it.accepts(text))
    }

    /// When integers are only compared with bounds: those that pass.
    pub(crate) fn sure_ints(&self, ty: Type) -> Option<(i64, i64)> {
        let plain = self.junctors.is_none()
            && self.enumeration.is_none()
            && matches!(ty, Type::Integer | Type::Number);
        self.number.as_deref().filter(|_| plain)?.sure_ints()
    }

    /// When texts are only measured: from and below how many bytes they surely pass.
    pub(crate) fn sure_lengths(&self) -> Option<(usize, usize)> {
        let it = self.string.as_ref().filter(|it| it.pattern.is_none())?;
        self.is_plain().then_some((it.sure_min, it.sure_below))
    }

    /// Without junctors, enum and format.
    pub(crate) fn is_plain(&self) -> bool {
        self.junctors.is_none() && self.enumeration.is_none() && self.format.is_none()
    }

    /// Whether nothing here is about values of this kind. A format says something about every kind.
    pub(crate) fn spare(&self, kind: Kinds) -> bool {
        let none = self.enumeration.is_none() && (self.junctors.is_none() || kind == Kinds::NULL);
        none && match kind {
            Kinds::NULL => true,
            Kinds::INT | Kinds::FLOAT => self.number.is_none() && self.string_format.is_none(),
            Kinds::STR => self.string.is_none() && self.format.is_none(),
            Kinds::LIST => self.list.is_none() && self.format.is_none(),
            Kinds::MAP => self.object.is_none() && self.format.is_none(),
            _ => self.format.is_none(),
        }
    }

    /// `None` when there is nothing to check.
    pub(crate) fn compile(node: &Node, release: KubeVersion) -> Option<Checks> {
        let it = node.validation.as_deref()?;
        let mut checks = Checks::default();
        if let Some(known) = known_format(node.ty, &it.format, release) {
            checks.format = Some(it.format.clone());
            checks.string_format = known;
        }
        if it.max_length.is_some() || it.min_length.is_some() || !it.pattern.is_empty() {
            checks.string = Some(StringChecks {
                max_length: it.max_length,
                min_length: it.min_length,
                sure_min: sure_min(it.min_length),
                sure_below: it
                    .max_length
                    .map_or(usize::MAX, |max| usize::try_from(max.saturating_add(1)).unwrap_or(0)),
                pattern: (!it.pattern.is_empty()).then(|| Box::new(Pattern::new(&it.pattern))),
            });
        }
        checks.number = NumberChecks::compile(node.ty, checks.format.as_deref(), it);
        if it.max_items.is_some() || it.min_items.is_some() || it.unique_items {
            checks.list = Some(ListChecks {
                max_items: it.max_items,
                min_items: it.min_items,
                len: Lengths::new(it.min_items, it.max_items),
                unique_items: it.unique_items,
            });
        }
        if it.max_properties.is_some() || it.min_properties.is_some() || !it.required.is_empty() {
            checks.object = Some(Box::new(object_checks(node)));
        }
        if !it.enumeration.is_empty() {
            checks.enumeration = Some(Box::new(Enumeration {
                values: it.enumeration.iter().cloned().collect(),
                detail: supported(&it.enumeration),
                ends: it.enumeration.iter().filter_map(Value::as_str).map(Ends::of).collect(),
                many: (it.enumeration.len() > COMPARED_MAX)
                    .then(|| Box::new(Many::new(&it.enumeration))),
            }));
        }
        if !(it.all_of.is_empty()
            && it.any_of.is_empty()
            && it.one_of.is_empty()
            && it.not.is_none())
        {
            let ids = |list: &[ordain_schema::NodeId]| list.iter().map(|it| Id(it.0)).collect();
            checks.junctors = Some(Box::new(Junctors {
                all_of: ids(&it.all_of),
                any_of: ids(&it.any_of),
                one_of: ids(&it.one_of),
                not: it.not.map(|it| Id(it.0)),
            }));
        }
        let empty = checks.format.is_none()
            && checks.string.is_none()
            && checks.number.is_none()
            && checks.list.is_none()
            && checks.object.is_none()
            && checks.enumeration.is_none()
            && checks.junctors.is_none();
        (!empty).then_some(checks)
    }
}

/// A format that counts for the type in a release: `Some(None)` for one of numbers, `Some(Some(_))` for
/// one of strings.
fn known_format(ty: Type, name: &str, release: KubeVersion) -> Option<Option<Format>> {
    match ty {
        _ if name.is_empty() => None,
        Type::Any | Type::String | Type::IntOrString => Format::from_name(name)
            .filter(|_| formats::state(name, release) == FormatState::Supported)
            .map(Some),
        Type::Integer => matches!(name, "int32" | "int64").then_some(None),
        Type::Number => matches!(name, "float" | "double").then_some(None),
        Type::Object | Type::Array | Type::Boolean => None,
    }
}

fn sure_min(min: Option<i64>) -> usize {
    match min.unwrap_or_default() {
        ..=0 => 0,
        1 => 1,
        min => usize::try_from(min).unwrap_or(usize::MAX).saturating_mul(4),
    }
}

fn object_checks(node: &Node) -> ObjectChecks {
    let it = node.validation.as_deref();
    let required: Box<[Text]> =
        it.map_or_else(Box::default, |it| it.required.iter().cloned().collect());
    let declared = node.properties.iter().filter(|(name, _)| required.contains(name)).count();
    let all_declared = required.iter().all(|name| node.property(name).is_some());
    ObjectChecks {
        max_properties: it.and_then(|it| it.max_properties),
        min_properties: it.and_then(|it| it.min_properties),
        len: it.map_or(Lengths::new(None, None), |it| {
            Lengths::new(it.min_properties, it.max_properties)
        }),
        required,
        required_declared: all_declared.then_some(declared),
    }
}

/// Listed values as messages show them.
fn supported(values: &[Value]) -> String {
    let mut text = String::from("supported values: ");
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&match value {
            Value::Str(it) => go_quote(it),
            other => go_quote(&json::encode_string(other)),
        });
    }
    text
}
