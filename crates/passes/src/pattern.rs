//! Patterns of schemas: regular expressions in Go's dialect, searched anywhere in the text.

use std::borrow::Cow;

use ordain_go::regex::{GoRegex, translate};
use regex_automata::Input;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;

/// Automata beyond this many bytes are left to the lazy engine.
const AUTOMATON_BYTES_MAX: usize = 32 * 1024;

/// What has more states than fit into so many bytes is no such automaton either.
const STATES_BYTES_MAX: usize = 1 << 20;

/// A pattern, compiled once. One that does not compile fails every text, with the reason.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    /// A table that is followed byte by byte: nothing to set up, nothing to share.
    Automaton(Box<Table>),
    Regex(GoRegex),
    Invalid(String),
}

/// A search that is surely shorter than this is not counted: states times bytes.
const LIGHT_SEARCH: usize = 4_096;
/// States that are looked at in the time of a step.
const STATES_PER_STEP: usize = 8;

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        let engine = match translate(text) {
            Err(error) => Engine::Invalid(error.to_string()),
            Ok(translated) => match automaton(&translated) {
                Some(automaton) => Engine::Automaton(Box::new(automaton)),
                None => match GoRegex::new(text) {
                    Ok(regex) => Engine::Regex(regex),
                    Err(error) => Engine::Invalid(error.to_string()),
                },
            },
        };
        Pattern { text: text.to_owned(), engine }
    }

    #[inline]
    pub(crate) fn matches(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Automaton(table) => table.matches(text),
            Engine::Regex(regex) => regex.is_match(text),
            Engine::Invalid(_) => false,
        }
    }

    /// How long a search may take at worst, in steps of a validation; nothing when that is not worth
    /// counting.
    #[inline]
    pub(crate) fn steps(&self, text: &str) -> usize {
        match &self.engine {
            Engine::Regex(regex) => {
                // What can be under way at a byte began at one before it.
                let busy = text.len().saturating_mul(2).min(regex.size());
                let search = text.len().saturating_mul(busy);
                if search < LIGHT_SEARCH { 0 } else { search / STATES_PER_STEP }
            }
            _ => 0,
        }
    }

    /// How messages show the pattern.
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        match &self.engine {
            Engine::Invalid(error) => {
                format!("{}, but pattern is invalid: {error}", self.text).into()
            }
            _ => self.text.as_str().into(),
        }
    }
}

/// An automaton and the state in which every search begins.
#[derive(Debug)]
struct Table {
    automaton: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Table {
    /// Whether a match ends anywhere; the automaton says so one byte late.
    #[inline]
    fn matches(&self, text: &str) -> bool {
        let mut state = self.start;
        for byte in text.bytes() {
            state = self.automaton.next_state(state, byte);
            if self.automaton.is_special_state(state) {
                if self.automaton.is_match_state(state) {
                    return true;
                }
                if self.automaton.is_dead_state(state) {
                    return false;
                }
            }
        }
        self.automaton.is_match_state(self.automaton.next_eoi_state(state))
    }
}

fn automaton(pattern: &str) -> Option<Table> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(AUTOMATON_BYTES_MAX))
        .determinize_size_limit(Some(8 * AUTOMATON_BYTES_MAX));
    let states = thompson::Config::new().nfa_size_limit(Some(STATES_BYTES_MAX));
    let automaton = dense::Builder::new().configure(config).thompson(states).build(pattern).ok()?;
    let start = automaton.start_state_forward(&Input::new("")).ok()?;
    // Patterns that look at Unicode words give up on some bytes; the other engine does not.
    let gives_up =
        (0..=u8::MAX).any(|byte| automaton.is_quit_state(automaton.next_state(start, byte)));
    (!gives_up).then_some(Table { automaton, start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ascii() {
        assert!(Pattern::new(r"^\d+$").matches("123"));
        assert!(!Pattern::new(r"^\d+$").matches("١٢٣"));
        assert!(!Pattern::new(r"^[\w.]+$").matches("é"));
        assert!(!Pattern::new(r"^\w{2,250}$").matches("é"));
        assert!(Pattern::new(r"^[[:alpha:]]+$").matches("ab"));
        assert!(Pattern::new(r"^[^[a]+$").matches("bc"));
        assert!(Pattern::new(r"^[]a]+$").matches("]a"));
        assert!(Pattern::new(r"^([a:]*[ab])?$").matches("a:b"));
        assert!(Pattern::new(r"^\Qa.b\E$").matches("a.b"));
    }

    #[test]
    fn searches_of_usual_names_are_hardly_counted() {
        let name = Pattern::new(r"^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z]{2,63}$");
        assert_eq!(name.steps("web.shop.example.com"), 0);
        let longest = "a".repeat(253);
        // More than a thousand of the longest names pass within the steps of one validation.
        assert!(name.steps(&longest) < 20_000, "{}", name.steps(&longest));
        let slow = Pattern::new("^[ab]*a[ab]{900}c$");
        assert!(slow.steps(&"a".repeat(300_000)) > 20_000_000);
    }

    #[test]
    fn a_pattern_that_does_not_compile_matches_nothing_and_says_why() {
        let pattern = Pattern::new("(");
        assert!(!pattern.matches(""));
        let reason = "(, but pattern is invalid: error parsing regexp: missing closing ): `(`";
        assert_eq!(pattern.shown(), reason);
    }
}
