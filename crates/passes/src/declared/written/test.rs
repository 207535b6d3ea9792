//! What a rule asks, and the error that it makes.

use std::collections::BTreeSet;

use ordain_cel::value::tree::to_tree;
use ordain_cel::value::view::{is_absent, is_absent_map};
use ordain_cel::value::{List, Map, Str, Val};
use ordain_meta::format;
use ordain_schema::native::TypeId;
use ordain_schema::written::{ExpressionId, Reason, Rule, Test};
use ordain_value::field::{BadValue, Error, Kind, Path};
use ordain_value::{Text, Value, json};
use smallvec::SmallVec;

use super::super::internal;
use super::run::Run;
use super::subject::{Own, Subject};
use super::worded::FIELD_COST;

/// So many texts are compared with each other one by one.
const FEW: usize = 8;

impl<'v> Run<'v> {
    /// Asks a rule; true when it has something against the value.
    pub(super) fn test(&mut self, rule: &'v Rule, subject: &Subject<'v>, path: &Path<'_>) -> bool {
        let failed = match &rule.test {
            Test::Required => (!subject.is_set()).then_some((Reason::Required, String::new())),
            Test::Forbidden => subject.is_set().then_some((Reason::Forbidden, String::new())),
            Test::Immutable => (self.is_update() && !subject.is_unchanged())
                .then(|| (Reason::Invalid, "field is immutable".to_owned())),
            Test::Minimum(_) | Test::Maximum(_) | Test::Range(..) => {
                number_problem(&rule.test, subject).map(|it| (Reason::Invalid, it))
            }
            Test::Expression(id) => match self.holds(*id, subject, path) {
                Some(true) => None,
                Some(false) => Some((Reason::Invalid, String::new())),
                // The error is told already.
                None => return true,
            },
            Test::MaxBytes(_) | Test::MinItems(_) | Test::MaxItems(_) => {
                return self.size(rule, subject, path);
            }
            Test::OneOf(values) => return self.one_of(rule, values, subject, path),
            Test::Format(name) => return self.format(rule, name, subject, path),
            Test::Unique { key, among } => return self.unique(rule, *key, *among, subject, path),
            Test::Code(name) => return self.coded(name, subject, path),
            Test::Optional | Test::Skip => None,
        };
        let Some((reason, problem)) = failed else { return false };
        self.fail(rule, reason, &[problem], subject, path);
        true
    }

    /// Reports a failure, once for each problem, in the rule's own words where it has some.
    fn fail(
        &mut self,
        rule: &'v Rule,
        reason: Reason,
        problems: &[String],
        subject: &Subject<'v>,
        path: &Path<'_>,
    ) {
        let reason = rule.reason.unwrap_or(reason);
        let Some(shown) = self.shown(rule, subject, path) else { return };
        let words = match rule.message_expression {
            Some(id) => match self.eval(id, subject) {
                Ok(Val::Str(text)) => vec![text.as_str().to_owned()],
                Ok(Val::List(list)) => texts(&list),
                Ok(_) => {
                    let _: Option<()> = self.broken(id, "the expression gives no text", path);
                    return;
                }
                Err(why) => {
                    let _: Option<()> = self.broken(id, why.message(), path);
                    return;
                }
            },
            None if !rule.message.is_empty() => vec![rule.message.to_string()],
            None => problems.to_vec(),
        };
        at(path, &rule.at, |place| {
            for problem in words {
                self.errors.push(error(reason, place, shown.clone(), problem));
            }
        });
    }

    /// The value that an error shows: structs as their internal type does.
    fn shown(&mut self, rule: &Rule, subject: &Subject<'v>, path: &Path<'_>) -> Option<BadValue> {
        if rule.valueless {
            return Some(BadValue::Omitted);
        }
        let Some(id) = rule.value else {
            if subject.is_absent() && self.set.shapes.is_nil_able(subject.ty) {
                return Some(null());
            }
            // Checks of formats are given the text alone.
            let shows_type = !matches!(rule.test, Test::Format(_));
            return Some(match subject.shown() {
                whole @ (Value::Map(_) | Value::List(_)) => self.internal(subject.ty, &whole),
                Value::Str(text) if shows_type && self.set.shapes.is_named_text(subject.ty) => {
                    BadValue::named(&text)
                }
                plain => plain.into(),
            });
        };
        match self.eval(id, subject) {
            Ok(Val::Map(Map::View { map, .. })) if is_absent_map(map) => Some(null()),
            Ok(Val::Map(Map::View { map, ty })) => {
                Some(self.internal(TypeId(ty.id().0), &Value::Map(map.clone())))
            }
            Ok(Val::List(list)) if is_absent(&list) => Some(null()),
            Ok(Val::List(List::View { list, ty })) => {
                Some(self.internal(TypeId(ty.id().0), &Value::List(list.clone())))
            }
            Ok(Val::Null) => Some(null()),
            Ok(value @ Val::Map(Map::Owned(_))) => Some(BadValue::Json(in_order(&value))),
            // Values of a set have a type with a name.
            Ok(Val::Str(text)) if rule.reason == Some(Reason::NotSupported) => {
                Some(BadValue::named(text.as_str()))
            }
            Ok(value) => Some(to_tree(&value).into()),
            Err(why) => self.broken(id, why.message(), path),
        }
    }

    fn internal(&self, ty: TypeId, value: &Value) -> BadValue {
        let program = &self.set.shapes.program;
        // What has no declared type is shown as it is.
        match program.types.get(ty.0 as usize) {
            Some(_) => BadValue::Json(internal::text(program, ty, value)),
            None => value.clone().into(),
        }
    }

    fn size(&mut self, rule: &Rule, subject: &Subject<'v>, path: &Path<'_>) -> bool {
        let len = i64::try_from(subject.len()).unwrap_or(i64::MAX);
        let bytes = match subject.shown() {
            Value::Str(text) => i64::try_from(text.len()).unwrap_or(i64::MAX),
            _ => 0,
        };
        let made = |place: &Path<'_>| match rule.test {
            Test::MaxBytes(max) if bytes > max => Some(Error::too_long(place, max)),
            Test::MinItems(min) if len < min => Some(Error::too_few(place, len, min)),
            Test::MaxItems(max) if len > max => Some(Error::too_many(place, len, max)),
            _ => None,
        };
        let before = self.errors.len();
        at(path, &rule.at, |place| self.errors.extend(made(place)));
        self.errors.len() > before
    }

    fn one_of(
        &mut self,
        rule: &Rule,
        values: &[Text],
        subject: &Subject<'v>,
        path: &Path<'_>,
    ) -> bool {
        let shown = subject.shown();
        let given = shown.as_str().unwrap_or("");
        if values.iter().any(|it| it == given) {
            return false;
        }
        let Some(shown) = self.shown(rule, subject, path) else { return true };
        at(path, &rule.at, |place| {
            self.errors.push(Error::not_supported(place, shown, values));
        });
        true
    }

    fn format(
        &mut self,
        rule: &'v Rule,
        name: &str,
        subject: &Subject<'v>,
        path: &Path<'_>,
    ) -> bool {
        let problems = format::problems(name, &subject.shown());
        if problems.is_empty() {
            return false;
        }
        self.fail(rule, Reason::Invalid, &problems, subject, path);
        true
    }

    /// Whether the keys of few items are different texts, which most are. Where they may not be,
    /// nothing was done.
    fn are_apart(&self, key: ExpressionId, list: &Subject<'v>) -> bool {
        if list.len() > FEW {
            return false;
        }
        let budget = self.budget.get();
        let field = self.set.compiled(key).and_then(|it| it.field.as_ref());
        let mut seen: SmallVec<[&str; FEW]> = SmallVec::new();
        for item in list.items(self.set) {
            let text = match field.and_then(|it| self.field_text(it, &item)) {
                Some(text) => Some(text),
                None => match self.eval(key, &item) {
                    Ok(Val::Str(Str::Ref(text))) => Some(text),
                    _ => None,
                },
            };
            match text {
                Some(text) if !seen.contains(&text) => seen.push(text),
                _ => {
                    self.budget.set(budget);
                    return false;
                }
            }
        }
        true
    }

    /// The text of a field of an item, which costs what reading it in an expression does.
    fn field_text(&self, field: &Text, item: &Subject<'v>) -> Option<&'v str> {
        let Own::Value(Value::Map(map)) = item.own else { return None };
        let text = map.get(field)?.as_str()?;
        self.budget.set(self.budget.get().checked_sub(FIELD_COST)?);
        Some(text)
    }

    fn unique(
        &mut self,
        rule: &'v Rule,
        key: ExpressionId,
        among: Option<ExpressionId>,
        list: &Subject<'v>,
        path: &Path<'_>,
    ) -> bool {
        if among.is_none() && (list.len() < 2 || rule.when.is_none() && self.are_apart(key, list)) {
            return false;
        }
        // Most keys are short texts in short lists, which need no hashes and no room of their own.
        let mut seen: BTreeSet<Text> = BTreeSet::new();
        if let (Some(id), Some(first)) = (among, list.items(self.set).next()) {
            match self.eval(id, &first) {
                Ok(Val::List(list)) => seen.extend(texts(&list).into_iter().map(Text::from)),
                Ok(_) => {
                    return self.broken(id, "the expression gives no list", path).unwrap_or(true);
                }
                Err(why) => return self.broken(id, why.message(), path).unwrap_or(true),
            }
        }
        let mut failed = false;
        for (index, item) in list.items(self.set).enumerate() {
            let path = path.index(index);
            if let Some(when) = rule.when
                && self.holds(when, &item, &path) != Some(true)
            {
                continue;
            }
            let value = match self.eval(key, &item) {
                Ok(value) => to_tree(&value),
                Err(why) => return self.broken(key, why.message(), &path).unwrap_or(true),
            };
            let text = value.as_text().cloned();
            let text = text.unwrap_or_else(|| json::encode_string(&value).into());
            if seen.insert(text) {
                continue;
            }
            failed = true;
            let shown = match rule.value {
                Some(_) => self.shown(rule, &item, &path).unwrap_or_default(),
                None => value.into(),
            };
            let reason = rule.reason.unwrap_or(Reason::Duplicate);
            at(&path, &rule.at, |place| {
                self.errors.push(error(reason, place, shown, rule.message.to_string()));
            });
        }
        failed
    }

    fn coded(&mut self, name: &str, subject: &Subject<'v>, path: &Path<'_>) -> bool {
        let before = self.errors.len();
        let mut found = std::mem::take(&mut self.errors);
        match self.code(name) {
            Some(code) => code(&self.asked(*subject), path, &mut found),
            None => found.push(Error::internal(path, format!("no code has the name {name}"))),
        }
        self.errors = found;
        self.errors.len() > before
    }
}

fn number_problem(test: &Test, subject: &Subject<'_>) -> Option<String> {
    let number = subject.shown().as_int()?;
    match *test {
        Test::Minimum(min) if number < min => {
            Some(format!("must be greater than or equal to {min}"))
        }
        Test::Maximum(max) if number > max => Some(format!("must be less than or equal to {max}")),
        Test::Range(min, max) if number < min || number > max => {
            Some(format!("must be between {min} and {max}, inclusive"))
        }
        _ => None,
    }
}

fn texts(list: &List<'_>) -> Vec<String> {
    let texts = list.iter().filter_map(Result::ok);
    texts.filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

/// Runs something with the place of an error: `name` below the value, `^` above it, `[key]` an entry.
fn at(path: &Path<'_>, steps: &str, run: impl FnOnce(&Path<'_>)) {
    let mut place = path;
    let mut rest = steps;
    while let Some(above) = rest.strip_prefix('^') {
        place = place.parent().unwrap_or(place);
        rest = above.strip_prefix('.').unwrap_or(above);
    }
    let (field, key) = match rest.strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((field, key)) => (field, Some(key)),
        None => (rest, None),
    };
    let child = place.child(field);
    let place = if field.is_empty() { place } else { &child };
    match key {
        Some(key) => run(&place.key(key)),
        None => run(place),
    }
}

/// A map as JSON, with its entries in the order in which the expression has them.
fn in_order(value: &Val<'_>) -> String {
    let Val::Map(map @ Map::Owned(_)) = value else {
        return json::encode_string(&to_tree(value));
    };
    let entries = map.keys().into_iter().map(|key| {
        let found = map.find(&key).ok().flatten().unwrap_or(Val::Null);
        format!("{}:{}", json::encode_string(&to_tree(&key)), in_order(&found))
    });
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

/// A value that is null, and not one that is left out.
fn null() -> BadValue {
    BadValue::Json("null".to_owned())
}

fn error(reason: Reason, place: &Path<'_>, shown: BadValue, problem: String) -> Error {
    let kind = match reason {
        Reason::Required => return Error::required(place, problem),
        Reason::Forbidden => return Error::forbidden(place, problem),
        Reason::Internal => return Error::internal(place, problem),
        Reason::Invalid => Kind::Invalid,
        Reason::NotSupported => Kind::NotSupported,
        Reason::Duplicate => Kind::Duplicate,
        Reason::NotFound => Kind::NotFound,
        Reason::TooLong => Kind::TooLong,
        Reason::TooMany => Kind::TooMany,
        Reason::TypeInvalid => Kind::TypeInvalid,
    };
    Error::new(kind, place, shown, problem)
}
