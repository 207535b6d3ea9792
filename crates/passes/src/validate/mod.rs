//! Value validation: the keywords of a schema against a value, with upstream's kinds, paths and words.
//!
//! One walk serves everything. It reports into [`Walk`], which renders an error only while it is recording:
//! junctors first probe their branches without rendering and then walk the chosen one again. While probing, the
//! walk also counts matches, by which upstream picks the branch whose errors are shown.

mod checks;
mod clean;
mod enumeration;
pub mod format;
mod junctor;
mod list;
mod number;
mod object;
mod place;
mod sound;
mod string;
mod type_;

use std::collections::HashMap;

use ordain_meta::status::MORE_ERRORS;
use ordain_schema::Type;
use ordain_value::Value;
use ordain_value::field::{BadValue, Error, ErrorList, Kind};

pub(crate) use checks::Checks;
use place::Place;
use sound::{Trail, sound};

use crate::plan::{DEPTH_MAX, Id, Plan, PlanNode};
use crate::ratchet;

impl Plan {
    /// The schema's checks of a whole object. With an old object, errors on unchanged parts are dropped.
    #[must_use]
    pub fn validate_schema(&self, object: &Value, old: Option<&Value>) -> ErrorList {
        self.validate_at(self.root, object, old, "")
    }

    /// The schema's checks of `status` alone. Paths start with `status`, messages do not.
    #[must_use]
    pub fn validate_status_schema(&self, object: &Value, old: Option<&Value>) -> ErrorList {
        let (Some(id), Some(status)) = (self.status, object.get("status")) else {
            return ErrorList::new();
        };
        let old = old.map(|old| old.get("status").unwrap_or(&Value::Null));
        self.validate_at(id, status, old, "status")
    }

    pub(crate) fn validate_at(
        &self,
        id: Id,
        value: &Value,
        old: Option<&Value>,
        base: &str,
    ) -> ErrorList {
        let mut trail = Trail::default();
        if sound(self, self.node(id), value, 0, &mut trail) {
            return ErrorList::new();
        }
        let mut walk = Walk {
            plan: self,
            base,
            trail,
            recording: true,
            may_repeat: false,
            failures: 0,
            errors: Vec::new(),
            text_bytes: 0,
            steps: 0,
        };
        walk.visit::<Plainly>(id, value, None, &Place::root(), 0);
        // Ratcheting only takes errors away, so an object without any needs no comparison.
        if walk.failures > 0 && old.is_some() {
            walk.failures = 0;
            walk.trail.clear();
            walk.forget(0);
            walk.steps = 0;
            walk.visit::<Ratcheting>(id, value, old, &Place::root(), 0);
        }
        if walk.steps > STEPS_MAX {
            let detail = format!("must take no more than {STEPS_MAX} steps to be validated");
            walk.errors.push(Error::at(Kind::Invalid, walk.path(String::new()), "".into(), detail));
        }
        if walk.may_repeat { without_repeats(walk.errors) } else { walk.errors.into() }
    }
}

/// What a walk does besides looking for errors.
trait Mode {
    /// What is sound is passed over.
    const SKIP: bool;
    /// Matches are counted.
    const COUNT: bool;
    /// Errors on unchanged parts are dropped.
    const RATCHET: bool;
}

struct Plainly;

impl Mode for Plainly {
    const SKIP: bool = true;
    const COUNT: bool = false;
    const RATCHET: bool = false;
}

struct Counting;

impl Mode for Counting {
    const SKIP: bool = false;
    const COUNT: bool = true;
    const RATCHET: bool = false;
}

struct Ratcheting;

impl Mode for Ratcheting {
    const SKIP: bool = false;
    const COUNT: bool = false;
    const RATCHET: bool = true;
}

/// How many errors of one object are reported, and how much text: a message may be as long as a
/// definition, and an object may break its rule in every item.
const ERRORS_MAX: usize = 10_000;
const ERROR_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How much a validation may do: values times the schemas they are held against. Branches, required
/// names and patterns may be as many as a definition has room for, for each item of a long list.
const STEPS_MAX: usize = 20_000_000;

/// Upstream keeps errors with the same text once.
fn without_repeats(errors: Vec<Error>) -> ErrorList {
    if errors.len() < 2 {
        return errors.into();
    }
    // Errors with one path hang together in a chain; chains are short.
    let mut last_with_path: HashMap<&str, usize> = HashMap::with_capacity(errors.len());
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(errors.len());
    let mut repeated = Vec::new();
    for (at, error) in errors.iter().enumerate() {
        let last = last_with_path.insert(&error.path, at);
        previous.push(last);
        let mut earlier = last;
        while let Some(it) = earlier {
            if errors[it].kind == error.kind && errors[it].detail() == error.detail() {
                repeated.push(at);
                break;
            }
            earlier = previous[it];
        }
    }
    if repeated.is_empty() {
        return errors.into();
    }
    let kept = errors.into_iter().enumerate().filter(|(at, _)| repeated.binary_search(at).is_err());
    kept.map(|(_, error)| error).collect()
}

/// The state of one validation.
pub(crate) struct Walk<'p> {
    plan: &'p Plan,
    /// What the paths of errors start with.
    base: &'p str,
    /// The way to what the verdict without words stopped at.
    trail: Trail,
    /// Whether errors are rendered, or only counted.
    recording: bool,
    /// Whether the same error may have been found twice: in a branch, or where a key with a dot or
    /// a bracket makes two places read the same.
    may_repeat: bool,
    failures: usize,
    errors: Vec<Error>,
    /// What the texts of all errors take.
    text_bytes: usize,
    /// What was done so far.
    steps: usize,
}

impl Walk<'_> {
    /// Checks a value; returns the number of matches when the mode counts (else a meaningless number).
    fn visit<M: Mode>(
        &mut self,
        id: Id,
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        let plan = self.plan;
        let node = plan.node(id);
        if !self.spends(1) {
            return 0;
        }
        if depth >= DEPTH_MAX {
            self.plain(|| format!("{} is nested too deeply", place.text()));
            return 0;
        }
        if !M::RATCHET {
            return self.visit_node::<M>(node, value, None, place, depth);
        }
        let (failures, errors) = (self.failures, self.errors.len());
        let count = self.visit_node::<M>(node, value, old, place, depth);
        if let Some(old) = old
            && self.failures > failures
            && ratchet::unchanged(plan, id, value, old)
        {
            self.failures = failures;
            self.forget(errors);
        }
        count
    }

    #[inline]
    fn visit_node<M: Mode>(
        &mut self,
        node: &PlanNode,
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        if !M::COUNT && node.plain {
            let checks = node.checks.as_deref();
            match (value, node.ty) {
                (Value::Map(map), Type::Object) => {
                    return self.check_object::<M>(node, checks, map, old, place, depth);
                }
                (Value::List(list), Type::Array) => {
                    return self.check_list::<M>(node, checks, list, old, place, depth);
                }
                _ => {}
            }
        }
        self.visit_fully::<M>(node, value, old, place, depth)
    }

    /// All keywords in upstream's order.
    fn visit_fully<M: Mode>(
        &mut self,
        node: &PlanNode,
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        let checks = node.checks.as_deref();
        let mut count = self.check_type(node, checks, value, place);
        if value.is_null() {
            self.check_enum(checks, value, place);
            return count;
        }
        // The junctor, the enum and the whole node count once each.
        count += 4;
        if let Some(junctors) = checks.and_then(|it| it.junctors.as_deref()) {
            count += self.check_junctors::<M>(junctors, value, place, depth);
        }
        match value {
            Value::Str(text) => count += self.check_string(checks, text, place),
            Value::Int(_) | Value::Float(_) => {
                self.check_number(node.ty, checks, value, place);
                count += 2;
            }
            Value::List(list) => {
                count += 2 + self.check_list::<M>(node, checks, list, old, place, depth);
            }
            _ => {}
        }
        self.check_enum(checks, value, place);
        if let Value::Map(map) = value {
            count += 1 + self.check_object::<M>(node, checks, map, old, place, depth);
        }
        count
    }

    /// Whether a value surely passes; if not, the trail leads to what is in the way.
    #[inline]
    fn is_sound(&mut self, id: Id, value: &Value, depth: usize) -> bool {
        self.trail.clear();
        sound(self.plan, self.plan.node(id), value, depth, &mut self.trail)
    }

    /// An error at a place, with the text of the place in its message.
    fn fail(&mut self, place: &Place<'_>, make: impl FnOnce(&str) -> (Kind, BadValue, String)) {
        self.failures += 1;
        if self.tells() {
            let (name, ambiguous) = place.render();
            self.may_repeat |= ambiguous;
            let (kind, bad_value, detail) = make(&name);
            let path = self.path(name);
            self.tell(Error::at(kind, path, bad_value, detail));
        }
    }

    /// Whether so many more steps may be taken. When they may not, the value fails whatever the
    /// rest of it is.
    fn spends(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        self.failures += usize::from(self.steps > STEPS_MAX);
        self.steps <= STEPS_MAX
    }

    /// Whether one more error is reported.
    fn tells(&self) -> bool {
        self.recording && self.errors.len() < ERRORS_MAX && self.text_bytes < ERROR_BYTES_MAX
    }

    fn tell(&mut self, error: Error) {
        self.text_bytes += text_len(&error);
        self.errors.push(error);
        if !self.tells() {
            let path = self.path(String::new());
            self.errors.push(Error::at(Kind::Invalid, path, "".into(), MORE_ERRORS));
        }
    }

    /// Takes back all errors but the first ones.
    fn forget(&mut self, len: usize) {
        self.text_bytes -= self.errors.drain(len..).map(|error| text_len(&error)).sum::<usize>();
    }

    /// A limit that a value does not keep. The message is made when it is asked for.
    fn fail_limit(
        &mut self,
        place: &Place<'_>,
        bad_value: impl FnOnce() -> BadValue,
        words: &'static [&'static str; 2],
        limit: i64,
    ) {
        self.failures += 1;
        if !self.tells() {
            return;
        }
        let (name, ambiguous) = place.render();
        self.may_repeat |= ambiguous;
        let is_path = self.base.is_empty() && !name.is_empty() && !name.starts_with('.');
        self.tell(if is_path {
            Error::in_body(name, bad_value(), words, limit)
        } else {
            let [before, after] = words;
            let detail = format!("{name} in body {before}{limit}{after}");
            Error::at(Kind::Invalid, self.path(name), bad_value(), detail)
        });
    }

    /// An error that upstream reports without a place of its own.
    fn plain(&mut self, detail: impl FnOnce() -> String) {
        self.failures += 1;
        if self.tells() {
            let path = self.path(String::new());
            self.tell(Error::at(Kind::Invalid, path, "".into(), detail()));
        }
    }

    fn path(&self, name: String) -> String {
        if self.base.is_empty() && !name.is_empty() && !name.starts_with('.') {
            return name;
        }
        let name = name.strip_prefix('.').unwrap_or(&name);
        match (self.base, name) {
            ("", "") => "<nil>".to_owned(),
            ("", name) => name.to_owned(),
            (base, "") => base.to_owned(),
            (base, name) => format!("{base}.{name}"),
        }
    }
}

fn text_len(error: &Error) -> usize {
    error.path.len() + error.detail_len()
}

/// A message about a place, in one allocation.
fn in_body(name: &str, parts: &[&str]) -> String {
    const WORDS: &str = " in body ";
    let len: usize = parts.iter().map(|it| it.len()).sum();
    let mut text = String::with_capacity(name.len() + WORDS.len() + len);
    text.push_str(name);
    text.push_str(WORDS);
    for part in parts {
        text.push_str(part);
    }
    text
}
