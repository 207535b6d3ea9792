//! The recovering parser, for text that has syntax errors.
//!
//! It words errors and finds its way behind them exactly as the LL(*) parser generator does
//! whose messages users of the language know: a token too many is dropped, a missing one is
//! imagined, and otherwise everything is skipped up to a token that some enclosing rule can go
//! on with. The numbers of `state` are places in the grammar; an error at the same token and
//! place as the one before forces a token to be skipped, so that recovery always ends.

mod aggregates;
mod members;
mod rules;
mod sets;

use super::build::Builder;
use super::errors::{Diagnostics, nesting_too_deep, syntax_error, tree_too_deep};
use super::lexer::{LexError, Lexed, Lexeme, Token};
use super::{ParseOptions, RECURSION_DEPTH_MAX};
use crate::ast::Ast;
use crate::source::{Location, Source};
use sets::{Follow, Set};

/// How many syntax errors are reported before the parser gives up.
const SYNTAX_ERRORS_MAX: usize = 100;
/// How many times the parser tries to go on behind an error.
const ATTEMPTS_MAX: usize = 30;
/// How many tokens one attempt may skip.
const SKIPPED_MAX: usize = 256;

/// Parses text that the fast parser refused.
pub(super) fn parse(source: &Source, lexed: &Lexed, options: &ParseOptions) -> (Ast, Diagnostics) {
    let mut parser = Recovering {
        source,
        lexed,
        at: 0,
        lex_errors_told: 0,
        builder: Builder::new(source, options),
        syntax: Diagnostics::default(),
        syntax_errors: 0,
        attempts: 0,
        recovering: false,
        last_error: None,
        state: 0,
        frames: Vec::new(),
        expr_depth: 0,
        relation_depth: 0,
        calc_depth: 0,
    };
    let outcome = parser.start();
    let Recovering { mut builder, mut syntax, .. } = parser;
    match outcome {
        Ok(root) => {
            if root.height > RECURSION_DEPTH_MAX {
                builder.diagnostics.push(Location::NONE, tree_too_deep());
            }
            for diagnostic in builder.diagnostics.iter() {
                syntax.push(diagnostic.location, diagnostic.message.clone());
            }
            builder.ast.set_root(root.id);
        }
        Err(Abort::Told) => {}
        Err(Abort::Tell(message)) => syntax.push(Location::NONE, message),
    }
    (builder.ast, syntax)
}

/// Why the parser stops altogether.
enum Abort {
    /// A limit that has been reported.
    Told,
    /// A limit still to be reported.
    Tell(String),
}

/// A syntax error that the current rule cannot go on behind.
enum Failure {
    Mismatch,
    /// No alternative matches; the tokens from the first to the second are at fault.
    NoAlternative(Lexeme, Lexeme),
}

/// How a step within a rule ends early.
enum Exit {
    Failed(Failure),
    Aborted(Abort),
}

impl From<Abort> for Exit {
    fn from(abort: Abort) -> Self {
        Self::Aborted(abort)
    }
}

/// What to look for in the input at a choice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The start of alternatives or an optional part: a wrong token may be dropped.
    Block,
    /// The end of one round of a loop that must not end here: wrong tokens are skipped.
    LoopBack,
}

struct Recovering<'a> {
    source: &'a Source,
    lexed: &'a Lexed,
    at: usize,
    /// How many of the lexer's errors have been reported: they come up as tokens are looked at.
    lex_errors_told: usize,
    builder: Builder<'a>,
    syntax: Diagnostics,
    syntax_errors: usize,
    attempts: usize,
    /// Since the last error nothing has matched; errors are not reported meanwhile.
    recovering: bool,
    last_error: Option<(usize, Vec<u16>)>,
    state: u16,
    /// What follows each rule that is being read in the rule that called it.
    frames: Vec<Follow>,
    expr_depth: u16,
    relation_depth: u16,
    calc_depth: u16,
}

impl Recovering<'_> {
    fn lexeme(&mut self, ahead: usize) -> Result<Lexeme, Abort> {
        let last = self.lexed.tokens.len().saturating_sub(1);
        let index = (self.at + ahead).min(last);
        while let Some(error) = self.lexed.errors.get(self.lex_errors_told)
            && error.before <= index
        {
            self.lex_errors_told += 1;
            self.report_lex_error(*error)?;
        }
        let end = Lexeme { token: Token::Eof, start: 0, end: 0 };
        Ok(self.lexed.tokens.get(index).copied().unwrap_or(end))
    }

    fn peek(&mut self) -> Result<Token, Abort> {
        Ok(self.lexeme(0)?.token)
    }

    fn consume(&mut self) -> Result<Lexeme, Abort> {
        let lexeme = self.lexeme(0)?;
        if lexeme.token != Token::Eof {
            self.at += 1;
        }
        Ok(lexeme)
    }

    fn report_lex_error(&mut self, error: LexError) -> Result<(), Abort> {
        let text =
            self.source.text().get(error.start as usize..error.end as usize).unwrap_or_default();
        let message = format!("token recognition error at: '{text}'");
        self.report_at(error.start, &message)
    }

    fn report_at(&mut self, offset: u32, message: &str) -> Result<(), Abort> {
        let location = self.source.location(offset);
        if self.syntax_errors < SYNTAX_ERRORS_MAX {
            self.syntax_errors += 1;
            self.syntax.push(location, syntax_error(message));
            return Ok(());
        }
        let message = format!("More than {SYNTAX_ERRORS_MAX} syntax errors");
        self.syntax.push(location, syntax_error(&message));
        Err(Abort::Told)
    }

    fn display(&self, lexeme: Lexeme) -> String {
        if lexeme.token == Token::Eof {
            return "'<EOF>'".to_owned();
        }
        quoted(self.builder.text(lexeme))
    }

    /// The text from one token to another without what the lexer skipped.
    fn text_between(&self, first: Lexeme, last: Lexeme) -> String {
        if first.token == Token::Eof {
            return "<EOF>".to_owned();
        }
        let mut out = String::new();
        let mut from = first.start;
        let text = self.source.text();
        for error in &self.lexed.errors {
            if error.start >= from && error.end <= last.end {
                out.push_str(text.get(from as usize..error.start as usize).unwrap_or_default());
                from = error.end;
            }
        }
        out.push_str(text.get(from as usize..last.end as usize).unwrap_or_default());
        out
    }

    fn matched(&mut self) {
        self.recovering = false;
        self.last_error = None;
    }

    /// What may come next: `here` and, where rules may end, what follows them.
    fn expected(&self, here: Follow) -> Set {
        let mut set = here.set;
        let mut may_end = here.may_end;
        let mut frames = self.frames.iter().rev();
        while may_end {
            let Some(frame) = frames.next() else {
                return set.and(sets::EOF);
            };
            set = set.and(frame.set);
            may_end = frame.may_end;
        }
        set
    }

    /// Looks at the next token before a choice.
    fn sync(&mut self, state: u16, choice: Choice, here: Follow) -> Result<(), Exit> {
        self.state = state;
        if self.recovering {
            return Ok(());
        }
        let token = self.peek()?;
        if here.may_end || here.set.contains(token) {
            return Ok(());
        }
        match choice {
            Choice::Block => {
                if self.delete_token(here)? {
                    return Ok(());
                }
                Err(Exit::Failed(Failure::Mismatch))
            }
            Choice::LoopBack => {
                self.report_unwanted(here)?;
                let until = self.expected(here).and(self.recovery_set());
                self.skip_until(until, None)?;
                Ok(())
            }
        }
    }

    /// Matches a token; `after` is what follows it in the rule.
    fn token(&mut self, state: u16, token: Token, after: Follow) -> Result<Lexeme, Exit> {
        self.state = state;
        let lexeme = self.lexeme(0)?;
        if lexeme.token == token {
            self.matched();
            return Ok(self.consume()?);
        }
        let here = Follow::only(Set::of(&[token]));
        self.count_attempt()?;
        if self.delete_token(here)? {
            return Ok(self.consume()?);
        }
        if self.expected(after).contains(lexeme.token) {
            self.report_missing(here)?;
            return Ok(Lexeme { token, start: lexeme.start, end: lexeme.start });
        }
        Err(Exit::Failed(Failure::Mismatch))
    }

    fn report_unwanted(&mut self, here: Follow) -> Result<(), Abort> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let lexeme = self.lexeme(0)?;
        let message = format!(
            "extraneous input {} expecting {}",
            self.display(lexeme),
            self.expected(here).display()
        );
        self.report_at(lexeme.start, &message)
    }

    fn report_missing(&mut self, here: Follow) -> Result<(), Abort> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let lexeme = self.lexeme(0)?;
        let message =
            format!("missing {} at {}", self.expected(here).display(), self.display(lexeme));
        self.report_at(lexeme.start, &message)
    }

    /// Drops the next token if the one behind it fits.
    fn delete_token(&mut self, here: Follow) -> Result<bool, Abort> {
        let second = self.lexeme(1)?.token;
        if !self.expected(here).contains(second) {
            return Ok(false);
        }
        self.report_unwanted(here)?;
        self.consume()?;
        self.matched();
        Ok(true)
    }

    fn count_attempt(&mut self) -> Result<(), Abort> {
        if self.attempts == ATTEMPTS_MAX {
            self.attempts += 1;
            let start = self.lexeme(0)?.start;
            let message = format!("error recovery attempt limit exceeded: {ATTEMPTS_MAX}");
            self.report_at(start, &message)?;
            return Err(Abort::Told);
        }
        self.attempts += 1;
        Ok(())
    }

    /// Ends a rule that failed: reports and skips to where an enclosing rule can go on.
    fn recover(&mut self, failure: &Failure, expecting: Follow) -> Result<(), Abort> {
        if !self.recovering {
            self.recovering = true;
            match failure {
                Failure::Mismatch => {
                    let lexeme = self.lexeme(0)?;
                    let message = format!(
                        "mismatched input {} expecting {}",
                        self.display(lexeme),
                        self.expected(expecting).display()
                    );
                    self.report_at(lexeme.start, &message)?;
                }
                Failure::NoAlternative(first, last) => {
                    let text = self.text_between(*first, *last);
                    self.report_at(last.start, &no_viable_alternative(&text))?;
                }
            }
        }
        self.count_attempt()?;
        let mut skipped = 0;
        let place = (self.at, self.state);
        let mut states = match self.last_error.take() {
            Some((at, states)) => {
                if at == place.0 && states.contains(&place.1) {
                    self.consume()?;
                    skipped = 1;
                }
                states
            }
            None => Vec::new(),
        };
        states.push(place.1);
        self.last_error = Some((self.at, states));
        let until = self.recovery_set();
        self.skip_until(until, Some(skipped))
    }

    /// What any of the enclosing rules can go on with.
    fn recovery_set(&self) -> Set {
        self.frames.iter().fold(Set::EMPTY, |set, frame| set.and(frame.set))
    }

    /// Skips tokens; an attempt to recover may not skip too many.
    fn skip_until(&mut self, until: Set, mut skipped: Option<usize>) -> Result<(), Abort> {
        loop {
            let token = self.peek()?;
            if token == Token::Eof || until.contains(token) {
                return Ok(());
            }
            if let Some(count) = &mut skipped {
                if *count >= SKIPPED_MAX {
                    return Err(Abort::Tell(format!(
                        "error recovery token lookahead limit exceeded: {SKIPPED_MAX}"
                    )));
                }
                *count += 1;
            }
            self.consume()?;
        }
    }

    fn no_alternative(&mut self, ahead: usize) -> Result<Exit, Abort> {
        let first = self.lexeme(0)?;
        let last = self.lexeme(ahead)?;
        Ok(Exit::Failed(Failure::NoAlternative(first, last)))
    }
}

fn too_deep() -> Abort {
    Abort::Tell(nesting_too_deep())
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    format!("'{escaped}'")
}

/// Literals in the place of a field name are worded as a wrong token instead.
fn no_viable_alternative(text: &str) -> String {
    let mut chars = text.chars();
    chars.next();
    let rest = chars.as_str();
    if matches!(rest, "true" | "false" | "null") {
        return format!("mismatched input '{rest}' expecting IDENTIFIER");
    }
    format!("no viable alternative at input {}", quoted(text))
}
