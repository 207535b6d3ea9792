//! Label and field selectors: the texts of `labelSelector` and `fieldSelector`, parsed.

use std::collections::BTreeSet;
use std::fmt;

use ordain_value::{Map, Text, Value, go_quote};

use crate::name;

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
    Exists,
    DoesNotExist,
    Equals,
    NotEquals,
    In,
    NotIn,
    GreaterThan,
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
        LabelParser { tokens: lex(text), at: 0 }.selector()
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

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Error(String),
    End,
    Close,
    Comma,
    Not,
    Equals,
    DoubleEquals,
    Greater,
    Identifier(String),
    In,
    Less,
    NotEquals,
    NotIn,
    Open,
}

impl Token {
    fn literal(&self) -> &str {
        match self {
            Self::Error(text) | Self::Identifier(text) => text,
            Self::End => "",
            Self::Close => ")",
            Self::Comma => ",",
            Self::Not => "!",
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::Greater => ">",
            Self::In => "in",
            Self::Less => "<",
            Self::NotEquals => "!=",
            Self::NotIn => "notin",
            Self::Open => "(",
        }
    }

    /// `in` and `notin` are plain words where a key or a value is expected.
    fn as_word(&self) -> Option<&str> {
        match self {
            Self::Identifier(_) | Self::In | Self::NotIn => Some(self.literal()),
            _ => None,
        }
    }
}

fn symbol(text: &str) -> Option<Token> {
    Some(match text {
        ")" => Token::Close,
        "," => Token::Comma,
        "!" => Token::Not,
        "==" => Token::DoubleEquals,
        "=" => Token::Equals,
        ">" => Token::Greater,
        "<" => Token::Less,
        "!=" => Token::NotEquals,
        "(" => Token::Open,
        _ => return None,
    })
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'=' | b'!' | b'(' | b')' | b',' | b'>' | b'<')
}

/// Cuts the text into tokens; the last is always `End`. A NUL byte ends the text, as upstream's
/// lexer reads it.
fn lex(text: &str) -> Vec<Token> {
    let text = text.split('\0').next().unwrap_or("");
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if is_space(bytes[at]) {
            at += 1;
        } else if is_symbol(bytes[at]) {
            let (token, len) = lex_symbol(&text[at..]);
            tokens.push(token);
            at += len;
        } else {
            let len = bytes[at..].iter().take_while(|b| !is_space(**b) && !is_symbol(**b)).count();
            tokens.push(match &text[at..at + len] {
                "in" => Token::In,
                "notin" => Token::NotIn,
                word => Token::Identifier(word.to_owned()),
            });
            at += len;
        }
    }
    tokens.push(Token::End);
    tokens
}

/// The longest run of symbols that is a token; none has more than two.
fn lex_symbol(text: &str) -> (Token, usize) {
    for len in [2, 1] {
        if let Some(token) = text.get(..len).and_then(symbol) {
            return (token, len);
        }
    }
    let run = text.bytes().take_while(|byte| is_symbol(*byte)).count();
    (Token::Error(format!("error expected: keyword found '{}'", &text[..run])), run)
}

struct LabelParser {
    tokens: Vec<Token>,
    at: usize,
}

impl LabelParser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn selector(mut self) -> Result<LabelSelector, SelectorError> {
        let mut requirements = Vec::new();
        loop {
            let token = self.peek();
            if *token == Token::End {
                return Ok(LabelSelector { requirements });
            }
            if token.as_word().is_none() && *token != Token::Not {
                let found = token.literal();
                return Err(SelectorError(format!(
                    "found '{found}', expected: !, identifier, or 'end of string'"
                )));
            }
            let requirement = self
                .requirement()
                .map_err(|text| SelectorError(format!("unable to parse requirement: {text}")))?;
            requirements.push(requirement);
            match self.next() {
                Token::End => return Ok(LabelSelector { requirements }),
                Token::Comma => {
                    let after = self.peek();
                    if after.as_word().is_none() && *after != Token::Not {
                        let found = after.literal();
                        return Err(SelectorError(format!(
                            "found '{found}', expected: identifier after ','"
                        )));
                    }
                }
                other => {
                    let found = other.literal();
                    return Err(SelectorError(format!(
                        "found '{found}', expected: ',' or 'end of string'"
                    )));
                }
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.next();
        let negated = token == Token::Not;
        if negated {
            token = self.next();
        }
        let Some(key) = token.as_word() else {
            return Err(format!("found '{}', expected: identifier", token.literal()));
        };
        check_key(key)?;
        let key: Text = key.into();
        if negated {
            return Ok(Requirement {
                key,
                operator: Operator::DoesNotExist,
                values: BTreeSet::new(),
            });
        }
        if matches!(self.peek(), Token::End | Token::Comma) {
            return Ok(Requirement { key, operator: Operator::Exists, values: BTreeSet::new() });
        }
        let operator = self.operator()?;
        let values = match operator {
            Operator::In | Operator::NotIn => self.values()?,
            _ => BTreeSet::from([self.value()?]),
        };
        check_values(&key, operator, &values)?;
        Ok(Requirement { key, operator, values })
    }

    fn operator(&mut self) -> Result<Operator, String> {
        let token = self.next();
        Ok(match token {
            Token::In => Operator::In,
            Token::NotIn => Operator::NotIn,
            Token::Equals | Token::DoubleEquals => Operator::Equals,
            Token::NotEquals => Operator::NotEquals,
            Token::Greater => Operator::GreaterThan,
            Token::Less => Operator::LessThan,
            other => {
                let found = other.literal();
                return Err(format!("found '{found}', expected: in, notin, =, ==, !=, gt, lt"));
            }
        })
    }

    fn values(&mut self) -> Result<BTreeSet<Text>, String> {
        let open = self.next();
        if open != Token::Open {
            return Err(format!("found '{}' expected: '('", open.literal()));
        }
        let first = self.peek().clone();
        if first == Token::Close {
            self.next();
            return Ok(BTreeSet::from([Text::default()]));
        }
        if first != Token::Comma && first.as_word().is_none() {
            return Err(format!("found '{}', expected: ',', ')' or identifier", first.literal()));
        }
        let values = self.value_list()?;
        if self.next() != Token::Close {
            return Err(format!("found '{}', expected: ')'", first.literal()));
        }
        Ok(values)
    }

    fn value_list(&mut self) -> Result<BTreeSet<Text>, String> {
        let mut values = BTreeSet::new();
        loop {
            let token = self.next();
            if let Some(word) = token.as_word() {
                values.insert(Text::from(word));
                match self.peek() {
                    Token::Comma => {}
                    Token::Close => return Ok(values),
                    other => {
                        return Err(format!("found '{}', expected: ',' or ')'", other.literal()));
                    }
                }
            } else if token == Token::Comma {
                if values.is_empty() {
                    values.insert(Text::default());
                }
                match self.peek() {
                    Token::Close => {
                        values.insert(Text::default());
                        return Ok(values);
                    }
                    Token::Comma => {
                        values.insert(Text::default());
                    }
                    _ => {}
                }
            } else {
                return Err(format!("found '{}', expected: ',', or identifier", token.literal()));
            }
        }
    }

    fn value(&mut self) -> Result<Text, String> {
        if matches!(self.peek(), Token::End | Token::Comma) {
            return Ok(Text::default());
        }
        let token = self.next();
        match token.as_word() {
            Some(word) => Ok(word.into()),
            None => Err(format!("found '{}', expected: identifier", token.literal())),
        }
    }
}

fn check_key(key: &str) -> Result<(), String> {
    let problems = name::qualified_name(key);
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("<nil>: Invalid value: {}: {}", go_quote(key), problems.join("; ")))
}

fn check_values(key: &str, operator: Operator, values: &BTreeSet<Text>) -> Result<(), String> {
    let mut errors = Vec::new();
    if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
        for (index, value) in values.iter().enumerate() {
            if value.parse::<i64>().is_err() {
                errors.push(format!(
                    "values[{index}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value \
                     must be an integer",
                    go_quote(value)
                ));
            }
        }
    }
    for (index, value) in values.iter().enumerate() {
        let problems = name::label_value(value);
        if !problems.is_empty() {
            let (value, problems) = (go_quote(value), problems.join("; "));
            errors.push(format!("values[{index}][{key}]: Invalid value: {value}: {problems}"));
        }
    }
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        _ => Err(format!("[{}]", errors.join(", "))),
    }
}

/// One condition on one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRequirement {
    /// The field that is looked at, such as `metadata.name`.
    pub field: Text,
    /// What it is compared with.
    pub value: Text,
    /// Whether the field must have the value, or must not.
    pub equal: bool,
}

/// Conditions on fields that must all hold. The default selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSelector {
    /// All of them have to be fulfilled.
    pub requirements: Vec<FieldRequirement>,
}

impl FieldSelector {
    /// Whether it selects every object.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether an object is selected, given a way to read its fields as text.
    pub fn matches<'a>(&self, mut read: impl FnMut(&str) -> std::borrow::Cow<'a, str>) -> bool {
        self.requirements.iter().all(|requirement| {
            (read(&requirement.field) == requirement.value.as_str()) == requirement.equal
        })
    }

    /// The value a field must have, if the selector names just one.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.requirements
            .iter()
            .find(|requirement| requirement.equal && requirement.field == field)
            .map(|requirement| requirement.value.as_str())
    }

    /// Parses the text form: `a.b=c,d!=e`, with `\` before a comma, equals sign or backslash
    /// that belongs to a value.
    pub fn decode(text: &str) -> Result<Self, SelectorError> {
        let mut requirements = Vec::new();
        let mut parts = split_terms(text);
        parts.sort_unstable();
        for part in parts {
            if part.is_empty() {
                continue;
            }
            let refused =
                || SelectorError(format!("invalid selector: '{text}'; can't understand '{part}'"));
            let (field, equal, value) = split_term(part).ok_or_else(refused)?;
            let value = unescape(value).map_err(SelectorError)?;
            requirements.push(FieldRequirement { field: field.into(), value, equal });
        }
        Ok(Self { requirements })
    }
}

fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    for at in 0..term.len() {
        let Some(rest) = term.get(at..) else { continue };
        for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
            if let Some(value) = rest.strip_prefix(operator) {
                return Some((&term[..at], equal, value));
            }
        }
    }
    None
}

fn unescape(text: &str) -> Result<Text, String> {
    if !text.contains(['\\', ',', '=']) {
        return Ok(text.into());
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        match next {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                Some(other) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                let code = u32::from(next);
                return Err(format!(
                    "invalid field selector: unescaped character in value: {code}"
                ));
            }
            other => out.push(other),
        }
    }
    Ok(out.into())
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
