//! Label and field selectors: the texts of `labelSelector` and `fieldSelector`, parsed.

use std::collections::BTreeSet;
use std::fmt;

use ordain_value::{Map, Text, Value, go_quote};

use crate::name;

mod fields;
mod parse;

pub use fields::{FieldRequirement, FieldSelector};
use parse::LabelParser;

/// Why a selector text is refused, in the words that clients see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError(pub String);

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SelectorError {}

/// What a requirement asks of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// The label is there.
    Exists,
    /// The label is not there.
    DoesNotExist,
    /// It has this value.
    Equals,
    /// It is not there or has another value.
    NotEquals,
    /// It has one of these values.
    In,
    /// It is not there or has none of these values.
    NotIn,
    /// It is an integer above this one.
    GreaterThan,
    /// It is an integer below this one.
    LessThan,
}

/// One condition on one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The label that is looked at.
    pub key: Text,
    /// How its value is compared.
    pub operator: Operator,
    /// What it is compared with; none for operators that only ask whether the label is there.
    pub values: BTreeSet<Text>,
}

/// Conditions on labels that must all hold. The default selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelSelector {
    /// All of them have to be fulfilled.
    pub requirements: Vec<Requirement>,
}

impl LabelSelector {
    /// Whether it selects every object.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether an object with these labels is selected; no labels is an empty map.
    pub fn matches(&self, labels: Option<&Map>) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = labels.and_then(|map| map.get(&requirement.key)).and_then(|v| v.as_str());
            requirement.matches(value)
        })
    }

    /// Reads the structured form; `None` if it makes no sense, which validation refuses.
    pub fn from_value(value: &Value) -> Option<Self> {
        Self::read(value).ok()
    }

    /// Reads the form that selectors have inside objects: `matchLabels` and `matchExpressions`.
    ///
    /// # Errors
    /// When an operator, a key, a value or the number of values is wrong.
    pub fn read(selector: &Value) -> Result<Self, SelectorError> {
        let mut requirements = Vec::new();
        let labels = selector.get("matchLabels").and_then(Value::as_map);
        for (key, value) in labels.into_iter().flat_map(Map::iter) {
            let values = BTreeSet::from([value.as_text().cloned().unwrap_or_default()]);
            requirements.push(sound(key.clone(), Operator::Equals, values)?);
        }
        let expressions = selector.get("matchExpressions").and_then(Value::as_list);
        for expression in expressions.into_iter().flat_map(|list| list.iter()) {
            let text = |name: &str| expression.get(name).and_then(Value::as_str).unwrap_or("");
            let operator = match text("operator") {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    let why = format!("{} is not a valid label selector operator", go_quote(other));
                    return Err(SelectorError(why));
                }
            };
            let values = expression.get("values").and_then(Value::as_list);
            let values = values.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_text);
            requirements.push(sound(text("key").into(), operator, values.cloned().collect())?);
        }
        requirements.sort_by(|a: &Requirement, b| a.key.cmp(&b.key));
        Ok(Self { requirements })
    }

    /// Parses the text form: `a=b,c in (d,e),!f,g>3`.
    pub fn decode(text: &str) -> Result<Self, SelectorError> {
        LabelParser::new(text).selector()
    }
}

/// A requirement that can be met.
fn sound(
    key: Text,
    operator: Operator,
    values: BTreeSet<Text>,
) -> Result<Requirement, SelectorError> {
    let fail = |why: String| Err(SelectorError(why));
    match operator {
        Operator::In | Operator::NotIn if values.is_empty() => {
            return fail("for 'in', 'notin' operators, values set can't be empty".to_owned());
        }
        Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
            return fail("values set must be empty for exists and does not exist".to_owned());
        }
        _ => {}
    }
    let problems = name::qualified_name(&key);
    let problems = problems.into_iter().chain(values.iter().flat_map(|it| name::label_value(it)));
    match problems.into_iter().next() {
        Some(problem) => fail(problem),
        None => Ok(Requirement { key, operator, values }),
    }
}

impl fmt::Display for LabelSelector {
    /// `a=b,c in (d,e),!f`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, requirement) in self.requirements.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        let values = self.values.iter().map(Text::as_str).collect::<Vec<_>>().join(",");
        match self.operator {
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Exists => write!(f, "{key}"),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

impl Requirement {
    fn matches(&self, value: Option<&str>) -> bool {
        match self.operator {
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Equals | Operator::In => value.is_some_and(|value| self.has(value)),
            Operator::NotEquals | Operator::NotIn => !value.is_some_and(|value| self.has(value)),
            Operator::GreaterThan => {
                self.compare(value).is_some_and(|(label, bound)| label > bound)
            }
            Operator::LessThan => self.compare(value).is_some_and(|(label, bound)| label < bound),
        }
    }

    fn has(&self, value: &str) -> bool {
        self.values.contains(value)
    }

    fn compare(&self, value: Option<&str>) -> Option<(i64, i64)> {
        let bound = self.values.first()?;
        Some((value?.parse().ok()?, bound.parse().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn selected(text: &str, labels: &ordain_value::Value) -> bool {
        LabelSelector::decode(text).unwrap().matches(labels.as_map())
    }

    #[test]
    fn label_selectors_select() {
        let labels = value!({"app": "a", "tier": "2"});
        for text in ["", "app=a", "app in (a,b)", "app notin (b)", "!x", "tier>1", "app,tier!=3"] {
            assert!(selected(text, &labels), "{text}");
        }
        for text in ["app=b", "x", "!app", "tier<2", "app in ()", "x=a", "app=a,app=b"] {
            assert!(!selected(text, &labels), "{text}");
        }
    }

    #[test]
    fn bad_label_selectors_say_where() {
        let message = |text: &str| LabelSelector::decode(text).unwrap_err().0;
        assert_eq!(message("app=a b"), "found 'b', expected: ',' or 'end of string'");
        assert_eq!(
            message("app in (a"),
            "unable to parse requirement: found '', expected: ',' or ')'"
        );
        assert_eq!(
            message("!!app"),
            "unable to parse requirement: found '!', expected: identifier"
        );
        assert_eq!(message(",a=b"), "found ',', expected: !, identifier, or 'end of string'");
    }

    #[test]
    fn field_selectors_unescape() {
        let selector = FieldSelector::decode(r"metadata.name=a\,b,spec.x!=\\").unwrap();
        assert_eq!(selector.requirements[0].value, "a,b");
        assert_eq!(selector.requirements[1].value, "\\");
        assert!(!selector.requirements[1].equal);
        let error = FieldSelector::decode("metadata.name").unwrap_err();
        assert_eq!(error.0, "invalid selector: 'metadata.name'; can't understand 'metadata.name'");
    }
}
