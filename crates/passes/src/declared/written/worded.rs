//! Expressions that say no more than that a text has a format, such as
//! `self.name.problems('dns-label').size() == 0`, or which text it is, such as `self.name`. They are
//! answered without an evaluation, and cost what it would.

use ordain_meta::format::{self, Problems};
use ordain_value::{Text, Value};

use super::subject::Own;

/// What an evaluation costs beyond the way to the text: the call, the size and the comparison.
const COST: u64 = 3;

/// The format that a text has to have, and the way to that text.
pub(super) struct Worded {
    fields: Box<[Text]>,
    problems: Problems,
    pub(super) cost: u64,
}

impl Worded {
    /// What an expression says, if it says no more.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (way, call) = text.strip_suffix("').size() == 0")?.split_once(".problems('")?;
        let (root, fields) = match way.split_once('.') {
            Some((root, fields)) => (root, fields.split('.').map(Text::from).collect()),
            None => (way, Box::default()),
        };
        let is_name = |it: &Text| it.bytes().all(|it| it.is_ascii_alphanumeric());
        if root != "self" || !fields.iter().all(is_name) {
            return None;
        }
        let cost = 1 + fields.len() as u64 + COST;
        Some(Self { fields, problems: format::find(call)?, cost })
    }

    /// Whether the text has the format; none where there is no text.
    pub(super) fn holds(&self, own: Own<'_>) -> Option<bool> {
        let text = match (own, &*self.fields) {
            (Own::Key(key), []) => key,
            (Own::Value(value), fields) => text_at(value, fields)?,
            (Own::Struct(map), [first, rest @ ..]) => text_at(map.get(first)?, rest)?,
            _ => return None,
        };
        Some((self.problems)(text).is_empty())
    }
}

/// What reading a field of the value costs.
pub(super) const FIELD_COST: u64 = 2;

/// The field that an expression reads of the value, if it does no more.
pub(super) fn field_of(text: &str) -> Option<Text> {
    let field = text.strip_prefix("self.")?;
    field.bytes().all(|it| it.is_ascii_alphanumeric()).then(|| field.into())
}

fn text_at<'v>(mut value: &'v Value, fields: &[Text]) -> Option<&'v str> {
    for field in fields {
        value = value.as_map()?.get(field)?;
    }
    value.as_str()
}

#[cfg(test)]
mod tests {
    use ordain_cel::program::{EvalOptions, Program};
    use ordain_cel::types::Type;
    use ordain_cel::value::{Map, Str, Val};
    use ordain_value::value;

    use super::*;
    use crate::cel_library::Environment;

    /// What evaluating an expression about a value says and costs.
    fn evaluated(text: &str, own: &Value) -> (String, u64) {
        let written = Environment::written();
        let (ty, it) = match own {
            Value::Map(map) => (Type::map(Type::String, Type::String), Val::Map(Map::of(map))),
            other => (Type::String, Val::Str(Str::Ref(other.as_str().unwrap()))),
        };
        let checked = written.env.with_variable("self", ty).compile(text).unwrap();
        let program = Program::new(&checked, &written.functions).unwrap();
        let found = |_: &str| Some(Ok(it.clone()));
        let outcome = program.eval_lazy(found, &|_| None, EvalOptions::default());
        let said = match outcome.value.unwrap() {
            Val::Str(text) => text.as_str().to_owned(),
            other => format!("{}", matches!(other, Val::Bool(true))),
        };
        (said, outcome.cost)
    }

    #[test]
    fn they_say_and_cost_what_evaluations_do() {
        for word in ["a", "", "A", "name-of-more-than-ten-letters", "-", "a.b", "ä"] {
            let field = value!({"name": word});
            for (text, own) in [
                ("self.problems('dns-label').size() == 0", &Value::from(word)),
                ("self.name.problems('dns-subdomain').size() == 0", &field),
                ("self.name.problems('port-name').size() == 0", &field),
            ] {
                let worded = Worded::of(text).unwrap();
                let said = worded.holds(Own::Value(own)).unwrap().to_string();
                assert_eq!((said, worded.cost), evaluated(text, own), "{text} {word}");
            }
            assert_eq!((word.to_owned(), FIELD_COST), evaluated("self.name", &field));
        }
    }

    #[test]
    fn only_the_one_form_is_taken() {
        for text in
            ["self.problems('dns-label').size() == 0", "self.a.b.problems('port-name').size() == 0"]
        {
            assert!(Worded::of(text).is_some(), "{text}");
        }
        for text in [
            "parent.name.problems('dns-label').size() == 0",
            "self.problems('no-format').size() == 0",
            "self.problems('dns-label').size() == 1",
            "self.name == '' || self.name.problems('dns-label').size() == 0",
            "self[0].problems('dns-label').size() == 0",
            "self.a.trim().problems('dns-label').size() == 0",
        ] {
            assert!(Worded::of(text).is_none(), "{text}");
        }
    }

    #[test]
    fn fields_are_read_by_their_names_alone() {
        assert_eq!(field_of("self.name").as_deref(), Some("name"));
        for text in ["self", "self.a.b", "self.size()", "parent.name", "self.name != ''"] {
            assert_eq!(field_of(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_text_is_left_to_an_evaluation() {
        let worded = Worded::of("self.a.problems('dns-label').size() == 0").unwrap();
        for (object, holds) in [
            (value!({"a": "b"}), Some(true)),
            (value!({"a": "B"}), Some(false)),
            (value!({"a": null}), None),
            (value!({}), None),
            (value!({"a": 1}), None),
        ] {
            assert_eq!(worded.holds(Own::Value(&object)), holds, "{object:?}");
            let map = object.as_map().unwrap();
            assert_eq!(worded.holds(Own::Struct(map)), holds, "{object:?}");
        }
    }
}
