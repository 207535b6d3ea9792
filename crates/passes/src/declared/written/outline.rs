//! What is known of the rules of a struct before there is an object: which fields have something to
//! say where they are absent. Most fields of an object are absent, and most of these say nothing.

use std::sync::OnceLock;

use ordain_schema::native::TypeId;
use ordain_schema::written::{Below, FieldRules, Over, Rule, StructRules, Test, Written};
use ordain_value::Map;

use super::WrittenRules;
use super::shape::Shape;
use super::shapes::{LetKeys, Shapes};

/// Structs with more fields are walked field by field.
const FIELDS_MAX: usize = 128;
/// So many shapes of a struct are remembered; objects of others are asked field by field.
const SHAPES_MAX: usize = 16;
/// A struct that is absent is looked into so deep.
const DEPTH_MAX: usize = 8;

/// Fields of a struct, one bit each by their place.
pub(super) struct Places(u128);

impl Iterator for Places {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(at as usize)
    }
}

/// The outline of a struct.
pub(super) struct Outline {
    /// Whether expressions in and below the struct may read something of it by a name.
    pub(super) named: bool,
    /// By what the named values of the struct are found.
    pub(super) keys: LetKeys,
    /// The fields with a rule that may have something against a new object without them.
    loud: u128,
    /// Places of all others, by their names in JSON.
    quiet: Box<[usize]>,
    /// By what the named values of fields are found, by the places of the fields.
    pub(super) field_keys: Box<[LetKeys]>,
    /// The shapes that were met first.
    shapes: Box<[OnceLock<Shape>]>,
}

impl Outline {
    pub(super) fn new(shapes: &Shapes, rules: &StructRules) -> Self {
        let written = &shapes.program.written;
        let has_sound = rules.fields.iter().any(|it| !it.sound.is_empty());
        let named = !rules.name.is_empty() || !rules.lets.is_empty() || has_sound;
        // An embedded struct has its fields in the same object.
        let is_loud = |at: &usize| {
            let field = &rules.fields[*at];
            field.json.is_empty() || is_loud(written, field, 0)
        };
        let places = 0..rules.fields.len().min(FIELDS_MAX);
        let (loud, mut quiet): (Vec<usize>, Vec<usize>) = places.partition(is_loud);
        quiet.sort_by(|a, b| rules.fields[*a].json.cmp(&rules.fields[*b].json));
        let loud = loud.into_iter().fold(0u128, |all, at| all | (1u128 << at));
        let keys = shapes.keys(&rules.lets);
        let field_keys = rules.fields.iter().map(|it| shapes.keys(&it.lets)).collect();
        let shapes = (0..SHAPES_MAX).map(|_| OnceLock::new()).collect();
        Outline { named, keys, loud, quiet: quiet.into(), field_keys, shapes }
    }

    /// What is to be asked of a new object with just its keys; none where too many shapes were met.
    pub(super) fn shape(
        &self,
        set: &WrittenRules,
        rules: &StructRules,
        object: &Map,
    ) -> Option<&Shape> {
        for slot in &self.shapes {
            if let Some(shape) = slot.get() {
                if shape.fits(object) {
                    return Some(shape);
                }
                continue;
            }
            let made = Shape::of(set, rules, object)?;
            // Another thread may have been first, with another shape.
            let shape = slot.get_or_init(|| made);
            if shape.fits(object) {
                return Some(shape);
            }
        }
        None
    }

    /// The fields that a new object is to be asked about; none where that is not known.
    pub(super) fn asked(&self, rules: &StructRules, object: &Map) -> Option<Places> {
        if rules.fields.len() > FIELDS_MAX {
            return None;
        }
        // Both are in order of their names.
        let mut entries = object.entries().iter().map(|it| it.0.as_str()).peekable();
        let mut asked = self.loud;
        for at in self.quiet.iter() {
            let name = rules.fields[*at].json.as_str();
            while entries.next_if(|it| *it < name).is_some() {}
            match entries.peek() {
                Some(given) if *given == name => asked |= 1u128 << *at,
                Some(_) => {}
                None => break,
            }
        }
        Some(Places(asked))
    }
}

/// Whether something may be wrong with a new object because a field is absent.
pub(super) fn is_loud(written: &Written, field: &FieldRules, depth: usize) -> bool {
    if field.json.is_empty() {
        return field.below.ty().is_some_and(|ty| is_loud_struct(written, ty, depth));
    }
    for rule in field.rules.iter().filter(|it| it.over == Over::Own && !it.updates) {
        match &rule.test {
            Test::Required => return true,
            // Nothing further is asked, neither of the field nor of what it holds.
            Test::Optional if rule.when.is_none() && rule.on.is_empty() => return false,
            _ if field.pointer => {}
            _ if minds_zero(rule) => return true,
            _ => {}
        }
    }
    match field.below {
        Below::Struct(ty) if !field.pointer => is_loud_struct(written, ty, depth),
        _ => false,
    }
}

pub(super) fn is_loud_struct(written: &Written, ty: TypeId, depth: usize) -> bool {
    let Some(rules) = written.rules_of(ty) else { return false };
    depth >= DEPTH_MAX
        || rules.rules.iter().any(|it| !it.updates && minds_zero(it))
        || rules.fields.iter().any(|it| is_loud(written, it, depth + 1))
}

/// Whether a rule may have something against the zero value of a type that is no pointer.
pub(super) fn minds_zero(rule: &Rule) -> bool {
    match &rule.test {
        Test::Required | Test::OneOf(_) | Test::Format(_) | Test::Expression(_) | Test::Code(_) => {
            true
        }
        Test::Minimum(min) => *min > 0,
        Test::Maximum(max) => *max < 0,
        Test::Range(min, max) => *min > 0 || *max < 0,
        Test::MinItems(min) => *min > 0,
        Test::MaxItems(max) | Test::MaxBytes(max) => *max < 0,
        // There is no item that could be there twice, and nothing was there before.
        Test::Unique { .. } | Test::Immutable | Test::Forbidden | Test::Optional | Test::Skip => {
            false
        }
    }
}
