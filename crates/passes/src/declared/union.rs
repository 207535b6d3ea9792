//! Unions (KEP-1027): the discriminator decides.
//!
//! *Normalization*, on update: where the discriminator was modified, every member but the one it
//! names is cleared; otherwise nothing is. "Modified" compares the stored, defaulted old object
//! with the final new one. A replacement whose discriminator is unchanged keeps the selected member
//! even if the client left it out. *Validation* then refuses several members, a member the discriminator
//! does not name, a named member that is missing and not optional, and unknown discriminator
//! values. What the old object got wrong in the same way is let pass (ratcheting). *Inference*, before
//! all of it and only where it is declared: the discriminator follows the member that is set.

use ordain_schema::{Arity, Node, Presence, Schema, Union, UnionMember};
use ordain_value::field::{BadValue, Error, ErrorList, Kind};
use ordain_value::{Map, Value, go_quote};

use super::DeclaredPlan;
use super::strip_zero::is_zero;
use super::walk::{Location, Visit, walk};

const ORIGIN: &str = "union";

/// Clears the members that a modified discriminator no longer names. Returns what was cleared, so
/// that its owners can be determined.
pub fn normalize(plan: &DeclaredPlan, new: &mut Value, old: &Value) -> Vec<Location> {
    let mut cleared = Vec::new();
    walk(&plan.schema, &plan.unions, new, Some(old), true, &mut |visit| {
        let Some(old) = visit.old else { return };
        for union in unions(visit.node) {
            let (selected, before) = selectors(union, visit.new, old);
            if selected == before || !is_known(union, selected) {
                continue;
            }
            if union.inferred && selected.is_empty() {
                // Left out by a client that does not know it.
                continue;
            }
            for member in &union.members {
                if member.value != selected && visit.new.contains_key(&member.field) {
                    cleared.push(visit.location().field(&member.field));
                }
            }
        }
    });
    for location in &cleared {
        location.remove_from(new);
    }
    cleared
}

/// Lets the discriminators of unions that declare it follow the one member that is set, where the
/// request does not change them or leaves them out: its client knows the fields from before they
/// became a union. Several members, and a discriminator that was changed, stay as they are.
pub fn infer(plan: &DeclaredPlan, new: &mut Value, old: Option<&Value>) {
    let mut meant: Vec<(Location, Value)> = Vec::new();
    walk(&plan.schema, &plan.unions, new, old, true, &mut |visit| {
        for union in unions(visit.node).iter().filter(|it| it.inferred) {
            let Some(name) = &union.discriminator else { continue };
            let selected = selector(union, visit.new);
            let unchanged = visit.old.is_some_and(|old| selector(union, old) == selected);
            let set = |it: &&UnionMember| is_set(&plan.schema, visit.node, it, visit.new);
            let mut members = union.members.iter().filter(set);
            let (Some(member), None) = (members.next(), members.next()) else { continue };
            if member.value != selected && (selected.is_empty() || unchanged) {
                let value = Value::Str(member.value.clone());
                meant.push((visit.location().field(name), value));
            }
        }
    });
    for (location, value) in meant {
        location.insert_into(new, value);
    }
}

/// Puts members back that a replacement left out although its discriminator still selects them:
/// the client echoes an object of which it does not know every member, and the unchanged
/// discriminator says that no change of the union is meant (cases 12 and 16 of the proposal).
/// Where another member is set nothing is put back; that is a mistake for validation to tell.
/// Returns the places.
pub fn keep(plan: &DeclaredPlan, new: &mut Value, old: &Value) -> Vec<Location> {
    let mut kept: Vec<(Location, Value)> = Vec::new();
    walk(&plan.schema, &plan.unions, new, Some(old), true, &mut |visit| {
        let Some(old) = visit.old else { return };
        for union in unions(visit.node) {
            let (selected, before) = selectors(union, visit.new, old);
            if selected.is_empty() || selected != before {
                continue;
            }
            let is_set =
                |it: &UnionMember| visit.new.get(&it.field).is_some_and(|it| !it.is_null());
            let member = union.members.iter().find(|it| it.value == selected);
            let stored = member.and_then(|it| Some((it, old.get(&it.field)?)));
            if let Some((member, value)) = stored.filter(|_| !union.members.iter().any(is_set)) {
                kept.push((visit.location().field(&member.field), value.clone()));
            }
        }
    });
    kept.into_iter()
        .map(|(location, value)| {
            location.insert_into(new, value);
            location
        })
        .collect()
}

/// Checks the unions of an object, after normalization.
pub fn validate(plan: &DeclaredPlan, new: &Value, old: Option<&Value>) -> ErrorList {
    let mut errors = ErrorList::new();
    walk(&plan.schema, &plan.unions, new, old, true, &mut |visit| {
        for union in unions(visit.node) {
            let mut faults = faults(&plan.schema, visit.node, union, visit.new);
            if faults.is_empty() {
                continue;
            }
            if let Some(old) = visit.old.filter(|it| !is_modified(union, visit.new, it)) {
                let before = self::faults(&plan.schema, visit.node, union, old);
                faults.retain(|it| !before.contains(it));
            }
            errors.extend(faults.into_iter().map(|it| render(visit, union, it)));
        }
    });
    errors
}

fn unions(node: &Node) -> &[Union] {
    node.declared.as_ref().map_or(&[], |it| &it.unions)
}

/// The value of the discriminator; absent and empty are the same.
fn selector<'a>(union: &Union, object: &'a Map) -> &'a str {
    let value = union.discriminator.as_ref().and_then(|it| object.get(it));
    value.and_then(Value::as_str).unwrap_or("")
}

/// The values of the discriminator in the new and in the old object.
fn selectors<'a>(union: &Union, new: &'a Map, old: &'a Map) -> (&'a str, &'a str) {
    let Some(name) = &union.discriminator else { return ("", "") };
    let Ok(at) = new.position(name) else { return ("", selector(union, old)) };
    let text = |value: Option<&'a Value>| value.and_then(Value::as_str).unwrap_or("");
    // Both mostly have the same fields, so that it stands at the same place.
    let before = match old.entries().get(at) {
        Some((key, value)) if key == name => text(Some(value)),
        _ => selector(union, old),
    };
    (text(new.entries().get(at).map(|it| &it.1)), before)
}

fn is_modified(union: &Union, new: &Map, old: &Map) -> bool {
    let (new, old) = selectors(union, new, old);
    new != old
}

/// Does a discriminator value mean something, absence included?
fn is_known(union: &Union, value: &str) -> bool {
    value.is_empty()
        || union.members.iter().any(|it| it.value == value)
        || union.empty_values.iter().any(|it| it == value)
}

/// What can be wrong with a union; equal faults in old and new ratchet.
#[derive(Debug, PartialEq)]
enum Fault<'a> {
    UnknownValue(String),
    Several(Vec<&'a str>),
    NotSelected(&'a UnionMember),
    SelectedMissing(&'a UnionMember),
    NoneSet,
}

/// Whether a member is there; the zero value of what is no pointer in Go is not.
fn is_set(schema: &Schema, node: &Node, member: &UnionMember, object: &Map) -> bool {
    let go_zero = || {
        let id = node.property(&member.field);
        id.is_some_and(|it| {
            let child = schema.node(it);
            let pointer = child.declared.as_ref().is_some_and(|it| it.pointer);
            child.presence() == Presence::GoZero && !pointer
        })
    };
    let value = object.get(&member.field).filter(|it| !it.is_null());
    value.is_some_and(|it| !is_zero(it) || !go_zero())
}

fn faults<'a>(schema: &Schema, node: &Node, union: &'a Union, object: &Map) -> Vec<Fault<'a>> {
    let is_set = |member: &&UnionMember| is_set(schema, node, member, object);
    let set: Vec<&UnionMember> = union.members.iter().filter(is_set).collect();
    let names = || set.iter().map(|it| it.field.as_str()).collect();
    let mut faults = Vec::new();
    let Some(discriminator) = &union.discriminator else {
        match (set.len(), union.arity) {
            (0, Arity::ExactlyOne) => faults.push(Fault::NoneSet),
            (0 | 1, _) => {}
            _ => faults.push(Fault::Several(names())),
        }
        return faults;
    };
    let selected = selector(union, object);
    if !is_known(union, selected) {
        // The enumeration of the field reports values of its own accord.
        let listed =
            node.property(discriminator).and_then(|it| schema.node(it).validation.as_ref());
        let refused = listed.is_some_and(|it| {
            !it.enumeration.is_empty()
                && !it.enumeration.iter().any(|it| it.as_str() == Some(selected))
        });
        if !refused {
            faults.push(Fault::UnknownValue(selected.to_owned()));
        }
        return faults;
    }
    if set.len() > 1 {
        faults.push(Fault::Several(names()));
    } else {
        faults
            .extend(set.iter().filter(|it| it.value != selected).map(|it| Fault::NotSelected(it)));
    }
    faults.extend(
        (union.members.iter())
            .filter(|it| it.value == selected && !it.optional && !selected.is_empty())
            .filter(|it| !is_set(it))
            .map(Fault::SelectedMissing),
    );
    faults
}

fn render(visit: &Visit<'_, '_>, union: &Union, fault: Fault<'_>) -> Error {
    let at = visit.location();
    let discriminator = union.discriminator.as_deref().unwrap_or_default();
    let ticked =
        |names: &[&str]| names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let all: Vec<&str> = union.members.iter().map(|it| it.field.as_str()).collect();
    let error = match fault {
        Fault::UnknownValue(value) => {
            let mut known: Vec<&str> = union.members.iter().map(|it| it.value.as_str()).collect();
            known.extend(union.empty_values.iter().map(|it| it.as_str()));
            known.sort_unstable();
            known.dedup();
            let quoted: Vec<String> = known.iter().map(|it| go_quote(it)).collect();
            let path = at.field(&discriminator.into()).to_string();
            let detail = format!("supported values: {}", quoted.join(", "));
            Error::at(Kind::NotSupported, path, BadValue::from(value), detail)
        }
        Fault::Several(names) => {
            let shown = format!("{{{}}}", names.join(", "));
            let detail = match (&union.discriminator, visit.old) {
                (None, _) => match union.arity {
                    Arity::ExactlyOne => format!("must specify exactly one of: {}", ticked(&all)),
                    Arity::ZeroOrOne => format!("must specify at most one of: {}", ticked(&all)),
                },
                (Some(_), None) => format!(
                    "must specify at most one of: {}; `{discriminator}` names the one",
                    ticked(&all)
                ),
                (Some(_), Some(_)) => format!(
                    "must specify at most one of: {}; to change the member, change \
                     `{discriminator}` as well, and the other members are cleared",
                    ticked(&all)
                ),
            };
            Error::at(Kind::Invalid, at.to_string(), BadValue::from(shown), detail)
        }
        Fault::NotSelected(member) => {
            let path = at.field(&member.field).to_string();
            let value = go_quote(&member.value);
            let detail = format!("may only be specified when `{discriminator}` is {value}");
            Error::at(Kind::Invalid, path, BadValue::from(""), detail)
        }
        Fault::SelectedMissing(member) => {
            let path = at.field(&member.field).to_string();
            let value = go_quote(&member.value);
            let detail = format!("must be specified when `{discriminator}` is {value}");
            Error::at(Kind::Invalid, path, BadValue::from(""), detail)
        }
        Fault::NoneSet => {
            let detail = format!("must specify one of: {}", ticked(&all));
            Error::at(Kind::Invalid, at.to_string(), BadValue::from(""), detail)
        }
    };
    error.with_origin(ORIGIN)
}
