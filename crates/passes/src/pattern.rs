//! Patterns of schemas: regular expressions in Go's dialect, searched anywhere in the text.

use regex::Regex;
use regex_automata::Input;
use regex_automata::dfa::{Automaton, StartKind, dense};

/// Automata beyond this many bytes are left to the lazy engine.
const AUTOMATON_BYTES_MAX: usize = 32 * 1024;

/// A pattern, compiled once. One that does not compile fails every text, with the reason.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    /// A table that is followed byte by byte: nothing to set up, nothing to share.
    Automaton(Box<dense::DFA<Vec<u32>>>),
    Regex(Regex),
    Invalid(String),
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        let translated = translate(text);
        let engine = match (automaton(&translated), Regex::new(&translated)) {
            (_, Err(error)) => Engine::Invalid(error.to_string()),
            (Some(automaton), Ok(_)) => Engine::Automaton(Box::new(automaton)),
            (None, Ok(regex)) => Engine::Regex(regex),
        };
        Pattern { text: text.to_owned(), engine }
    }

    #[inline]
    pub(crate) fn matches(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Automaton(automaton) => {
                let input = Input::new(text).earliest(true);
                automaton.try_search_fwd(&input).is_ok_and(|it| it.is_some())
            }
            Engine::Regex(regex) => regex.is_match(text),
            Engine::Invalid(_) => false,
        }
    }

    /// How messages show the pattern.
    pub(crate) fn shown(&self) -> String {
        match &self.engine {
            Engine::Invalid(error) => format!("{}, but pattern is invalid: {error}", self.text),
            _ => self.text.clone(),
        }
    }
}

fn automaton(pattern: &str) -> Option<dense::DFA<Vec<u32>>> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(AUTOMATON_BYTES_MAX))
        .determinize_size_limit(Some(8 * AUTOMATON_BYTES_MAX));
    dense::Builder::new().configure(config).build(pattern).ok()
}

/// Go's classes are ASCII and its character sets know no nesting and no set operators.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars().peekable();
    let mut in_set = false;
    let mut set_start = false;
    let mut in_class_name = false;
    while let Some(c) = chars.next() {
        let first_in_set = std::mem::take(&mut set_start);
        match c {
            '\\' => match chars.next() {
                Some('d') => out.push_str(if in_set { "0-9" } else { "[0-9]" }),
                Some('w') => out.push_str(if in_set { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
                Some('s') => out.push_str(if in_set { r"\t\n\x0c\r " } else { r"[\t\n\x0c\r ]" }),
                Some('D') => out.push_str("[^0-9]"),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('S') => out.push_str(r"[^\t\n\x0c\r ]"),
                Some('b') if !in_set => out.push_str(r"(?-u:\b)"),
                Some('B') if !in_set => out.push_str(r"(?-u:\B)"),
                Some('Q') if !in_set => quote(&mut chars, &mut out),
                Some(next) => {
                    out.push('\\');
                    out.push(next);
                }
                None => out.push('\\'),
            },
            '[' if !in_set => {
                in_set = true;
                set_start = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
            }
            '[' if chars.peek() == Some(&':') => {
                in_class_name = true;
                out.push('[');
            }
            '[' => out.push_str(r"\["),
            ']' if in_set && first_in_set => out.push_str(r"\]"),
            ']' if in_class_name => {
                in_class_name = false;
                out.push(']');
            }
            ']' => {
                in_set = false;
                out.push(']');
            }
            '&' | '~' if in_set => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Literal text up to `\E`.
fn quote(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    let mut literal = String::new();
    for c in chars.by_ref() {
        literal.push(c);
        if literal.ends_with("\\E") {
            literal.truncate(literal.len() - 2);
            break;
        }
    }
    out.push_str(&regex::escape(&literal));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ascii() {
        assert!(Pattern::new(r"^\d+$").matches("123"));
        assert!(!Pattern::new(r"^\d+$").matches("١٢٣"));
        assert!(!Pattern::new(r"^[\w.]+$").matches("é"));
        assert!(Pattern::new(r"^[[:alpha:]]+$").matches("ab"));
        assert!(Pattern::new(r"^[^[a]+$").matches("bc"));
        assert!(Pattern::new(r"^[]a]+$").matches("]a"));
        assert!(Pattern::new(r"^([a:]*[ab])?$").matches("a:b"));
        assert!(Pattern::new(r"^\Qa.b\E$").matches("a.b"));
    }

    #[test]
    fn a_pattern_that_does_not_compile_matches_nothing_and_says_why() {
        let pattern = Pattern::new("(");
        assert!(!pattern.matches(""));
        assert!(pattern.shown().starts_with("(, but pattern is invalid: "));
    }
}
