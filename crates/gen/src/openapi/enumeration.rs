//! Enumerations: string types tagged `+enum`, with the constants declared of them.

use std::collections::HashMap;

use ordain_idl::Universe;
use ordain_idl::graph::{Basic, ConstType, ConstValue, NamedId, Type, TypeId};
use ordain_value::{Value, go_quote};

use super::tags::Lines;

/// All enumerations that were read.
#[derive(Debug, Default)]
pub(super) struct Enumerations {
    known: HashMap<NamedId, Enumeration>,
}

/// The values of one type.
#[derive(Debug, Default)]
pub(super) struct Enumeration {
    values: Vec<EnumValue>,
}

#[derive(Debug)]
struct EnumValue {
    name: String,
    value: String,
    comment: String,
}

impl Enumerations {
    pub(super) fn of(universe: &Universe) -> Self {
        let mut known: HashMap<NamedId, Enumeration> = HashMap::new();
        for (id, named) in universe.all_named() {
            let beneath = universe.ty(universe.underlying(named.ty));
            let tagged = || Lines::of(universe, &named.docs).has("enum");
            if !named.alias && matches!(beneath, Type::Basic(Basic::String)) && tagged() {
                known.insert(id, Enumeration::default());
            }
        }
        for package in universe.packages() {
            for constant in package.consts.values().map(|id| universe.constant(*id)) {
                let (ConstType::Typed(ty), ConstValue::Str(value)) = (constant.ty, &constant.value)
                else {
                    continue;
                };
                let Some(id) = universe.as_named(ty) else { continue };
                let Some(enumeration) = known.get_mut(&id) else { continue };
                let lines = universe.lines(constant.docs.file, constant.docs.closest);
                let comment: Vec<&str> = lines.iter().map(|line| line.text).collect();
                enumeration.add(EnumValue {
                    name: constant.name.to_string(),
                    value: value.to_string(),
                    comment: comment.join(" "),
                });
            }
        }
        Self { known }
    }

    /// The enumeration a type is, or points to.
    pub(super) fn get(&self, universe: &Universe, ty: TypeId) -> Option<&Enumeration> {
        let ty = match universe.ty(universe.unalias(ty)) {
            Type::Pointer(inner) => *inner,
            _ => ty,
        };
        self.known.get(&universe.as_named(ty)?)
    }
}

impl Enumeration {
    /// Of constants with the same value, the one with the longer comment speaks.
    fn add(&mut self, value: EnumValue) {
        let Some(known) = self.values.iter_mut().find(|known| known.value == value.value) else {
            self.values.push(value);
            return;
        };
        let (old, new) = (&known.comment, &value.comment);
        if old.len() < new.len() || (old.len() == new.len() && old > new) {
            *known = value;
        }
    }

    /// The values, in the order of their Go literals.
    pub(super) fn values(&self) -> Value {
        let mut values: Vec<(String, &str)> = self
            .values
            .iter()
            .map(|value| (go_quote(&value.value), value.value.as_str()))
            .collect();
        values.sort();
        Value::from(values.into_iter().map(|(_, value)| Value::from(value)).collect::<Vec<_>>())
    }

    /// Comment lines that list the values.
    pub(super) fn description(&self) -> Vec<String> {
        if self.values.is_empty() {
            return Vec::new();
        }
        let mut lines: Vec<String> = self.values.iter().map(EnumValue::line).collect();
        lines.sort();
        let mut out = vec![String::new(), "Possible enum values:".to_string()];
        out.append(&mut lines);
        out
    }
}

impl EnumValue {
    fn line(&self) -> String {
        let comment = self.comment.trim();
        let comment = comment.strip_prefix(&self.name).unwrap_or(comment);
        let words: Vec<&str> = comment
            .split(['\t', '\n', '\u{c}', '\r', ' '])
            .filter(|word| !word.is_empty())
            .collect();
        format!(" - `{}` {}", go_quote(&self.value), words.join(" ").trim())
    }
}
