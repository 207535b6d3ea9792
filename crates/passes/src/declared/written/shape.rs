//! What is to be asked of a new object, by the keys that it has.
//!
//! Objects of one struct come in few shapes: a shape is the set of keys that are there. From it follows
//! where each field stands, which fields are absent, and with that what many conditions and tests
//! say. So each shape that is met gets a list of visits once, and objects of that shape are asked
//! only what their values decide.

use std::sync::OnceLock;

use ordain_cel::program::Partly;
use ordain_cel::value::ViewRef;
use ordain_schema::native::TypeId;
use ordain_schema::written::{Below, ExpressionId, FieldRules, Over, Rule, StructRules, Test};
use ordain_value::{Map, Text};

use super::outline::{is_loud, is_loud_struct, minds_zero};
use super::shapes::Name;
use super::{WrittenRules, plain};

/// Objects with more keys have no shape.
const KEYS_MAX: usize = 64;

/// So many fields that hold objects of one shape are remembered.
const HOLDERS_MAX: usize = 4;

/// A set of keys, and what is to be asked of a new object that has them.
pub(super) struct Shape {
    keys: Box<[Text]>,
    /// The rules of the struct as a whole.
    pub(super) own: Box<[Due]>,
    /// The fields to look at, in order of declaration.
    pub(super) visits: Box<[Visit]>,
    /// What the keys say of the rules of fields that hold such an object, for the fields met first.
    holders: [OnceLock<Holder>; HOLDERS_MAX],
}

/// Rules of a field by their places: of each whether it is to be asked, and if so whether its
/// condition is known to hold.
struct Holder {
    /// The address of the field, which lives as long as the rules.
    field: usize,
    asks: Box<[Option<bool>]>,
}

/// A field to look at.
pub(super) struct Visit {
    /// Its place among the fields with rules.
    pub(super) field: usize,
    /// Its place among the entries of the object, if it is there.
    pub(super) entry: Option<usize>,
    /// The rules of its own value that are to be asked.
    pub(super) own: Box<[Due]>,
    /// Those are all that is to be asked, and they ask nothing but the value.
    plain: bool,
    /// The struct whose keys may decide some of them.
    pub(super) inner: Option<TypeId>,
}

impl Visit {
    /// Whether it is known that nothing is wrong with the field in an object of the shape.
    #[inline]
    pub(super) fn passes(&self, field: &FieldRules, object: &Map) -> bool {
        let Some((_, value)) = self.entry.and_then(|at| object.entries().get(at)) else {
            return false;
        };
        let passes = |it: &Due| plain::passes(&field.rules[it.rule], value, field.pointer);
        self.plain && self.own.iter().all(passes)
    }
}

/// A rule to be asked.
pub(super) struct Due {
    /// Its place among the rules.
    pub(super) rule: usize,
    /// Its condition is known to hold.
    pub(super) holds: bool,
}

/// What a shape says of the variables of a rule.
struct Known<'k> {
    set: &'k WrittenRules,
    own: Own<'k>,
    parent: Option<Keys<'k>>,
    pointer: bool,
}

#[derive(Clone, Copy)]
struct Keys<'k> {
    ty: ViewRef<'k>,
    has: &'k dyn Fn(&str) -> bool,
}

#[derive(Clone, Copy)]
enum Own<'k> {
    /// The struct that has the keys.
    Struct(Keys<'k>),
    Absent(TypeId),
    Present,
}

impl Shape {
    /// The shape of an object of a struct; none where too much is there.
    pub(super) fn of(set: &WrittenRules, rules: &StructRules, object: &Map) -> Option<Self> {
        let entries = object.entries();
        if entries.len() > KEYS_MAX || entries.iter().any(|it| it.1.is_null()) {
            return None;
        }
        let has = |key: &str| object.find(key).is_some();
        let keys = Keys { ty: set.shapes.view(rules.ty), has: &has };
        let known = Known { set, own: Own::Struct(keys), parent: None, pointer: false };
        let own = known.due(&rules.rules);
        let fields = rules.fields.iter().enumerate();
        let visits = fields.filter_map(|(at, field)| visit(set, keys, at, field, object)).collect();
        let keys = entries.iter().map(|it| it.0.clone()).collect();
        Some(Shape { keys, own, visits, holders: Default::default() })
    }

    /// What is to be asked by the rules of a field that holds an object of this shape, by their
    /// places; none where that is not known.
    pub(super) fn asks(&self, set: &WrittenRules, field: &FieldRules) -> Option<&[Option<bool>]> {
        let address = std::ptr::from_ref(field) as usize;
        for slot in &self.holders {
            let holder = slot.get_or_init(|| {
                let has = |key: &str| self.keys.iter().any(|it| it == key);
                let keys = Keys { ty: set.shapes.view(field.ty), has: &has };
                let (own, pointer) = (Own::Struct(keys), field.pointer);
                let known = Known { set, own, parent: None, pointer };
                let asks = field.rules.iter().map(|it| known.asks(it)).collect();
                Holder { field: address, asks }
            });
            if holder.field == address {
                return Some(&holder.asks);
            }
        }
        None
    }

    /// Whether an object has just these keys.
    #[inline]
    pub(super) fn fits(&self, object: &Map) -> bool {
        let entries = object.entries();
        entries.len() == self.keys.len()
            && entries.iter().zip(&self.keys).all(|(it, key)| it.0 == *key && !it.1.is_null())
    }
}

fn visit(
    set: &WrittenRules,
    keys: Keys<'_>,
    at: usize,
    field: &FieldRules,
    object: &Map,
) -> Option<Visit> {
    let written = &set.shapes.program.written;
    if field.json.is_empty() {
        return Some(Visit {
            field: at,
            entry: None,
            own: Box::default(),
            plain: false,
            inner: None,
        });
    }
    let entry = object.find(&field.json);
    let absent = Own::Absent(field.ty);
    let own = if entry.is_some() { Own::Present } else { absent };
    let known = Known { set, own, parent: Some(keys), pointer: field.pointer };
    if entry.is_none() && !is_loud(written, field, 0) {
        return None;
    }
    let own = known.due(&field.rules);
    let below = match field.below {
        Below::Struct(ty) if entry.is_none() => !field.pointer && is_loud_struct(written, ty, 0),
        _ => entry.is_some(),
    };
    let is_plain = |it: &Due| plain::is_plain(&field.rules[it.rule], it.holds);
    let plain = plain::is_alone(field) && own.iter().all(is_plain);
    // What is there, has no rule left and nothing below need not be looked at either.
    let below = below && !(plain && own.is_empty());
    let asks = |it: &Due| matches!(field.rules[it.rule].test, Test::Expression(_));
    let inner = match field.below {
        Below::Struct(ty) if entry.is_some() && own.iter().any(asks) => Some(ty),
        _ => None,
    };
    (below || !own.is_empty()).then_some(Visit { field: at, entry, own, plain, inner })
}

impl Known<'_> {
    /// The rules about the value itself that a new object of the shape is to be asked.
    fn due(&self, rules: &[Rule]) -> Box<[Due]> {
        let own = rules.iter().enumerate().filter(|it| it.1.over == Over::Own);
        own.filter_map(|(at, rule)| Some(Due { rule: at, holds: self.asks(rule)? })).collect()
    }

    /// Whether the condition of a rule is known to hold; none where the rule has nothing to say.
    fn asks(&self, rule: &Rule) -> Option<bool> {
        let test = match rule.test {
            Test::Expression(id) => Some(id),
            _ => None,
        };
        if rule.updates || self.set.shapes.program.written.uses_old(rule) {
            return None;
        }
        if self.is_silent(rule) || test.is_some_and(|id| self.decided(id) == Some(true)) {
            return None;
        }
        match rule.when {
            // Asked of each item.
            Some(_) if matches!(rule.test, Test::Unique { .. }) => Some(false),
            Some(id) => match self.decided(id) {
                Some(false) => None,
                decided => Some(decided == Some(true)),
            },
            None => Some(true),
        }
    }

    /// Whether the shape alone says that a rule has nothing against the value, nor ends the others.
    fn is_silent(&self, rule: &Rule) -> bool {
        match (&self.own, &rule.test) {
            (_, Test::Immutable) => true,
            (Own::Struct(_), _)
            | (Own::Absent(_), Test::Required | Test::Optional | Test::Skip) => false,
            (Own::Absent(_), Test::Forbidden) => true,
            (Own::Absent(_), _) => self.pointer || !minds_zero(rule),
            (Own::Present, Test::Required | Test::Optional) => self.pointer,
            (Own::Present, _) => false,
        }
    }

    fn decided(&self, id: ExpressionId) -> Option<bool> {
        let compiled = self.set.compiled(id)?;
        let program = compiled.program.as_ref().ok()?;
        program.decided(|at| match compiled.variables.get(at).copied().flatten()? {
            Name::Own => match self.own {
                Own::Struct(keys) => Some(keys.partly()),
                Own::Absent(ty) => Some(Partly::Is(self.set.shapes.view(ty).zero())),
                Own::Present => None,
            },
            Name::Parent => self.parent.map(Keys::partly),
            _ => None,
        })
    }
}

impl<'k> Keys<'k> {
    fn partly(self) -> Partly<'k> {
        Partly::Record { ty: self.ty, has: self.has }
    }
}
