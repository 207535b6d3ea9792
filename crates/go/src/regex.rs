//! Regular expressions as Go's `regexp` reads them.
//!
//! [`GoRegex::new`] reads Go's (RE2's) syntax with Go's limits and error texts and writes the
//! same expression in the syntax of the `regex` crate, whose matching then agrees: leftmost
//! first, linear time. Where the two syntaxes differ — ASCII `\d`, `\w`, `\s` and `\b`, `\Q…\E`,
//! octal escapes, `{,n}` as text, no set operators in classes — the written form is explicit.

use std::fmt;

mod classes;
mod parse;

use parse::Parser;

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct GoRegex {
    regex: regex::Regex,
    size: usize,
}

/// An expression that was read, so that it is known how much work it is before it is done.
#[derive(Clone, Debug)]
pub struct GoPattern<'p> {
    text: &'p str,
    /// The same in the syntax of the `regex` crate with the number of its states, or why Go refuses
    /// it.
    read: Result<(String, usize), GoRegexError>,
}

impl<'p> GoPattern<'p> {
    /// Reads an expression.
    #[must_use]
    pub fn read(text: &'p str) -> Self {
        Self { text, read: Parser::read(text).map(|Parser { out, size, .. }| (out, size)) }
    }

    /// How much work it is: about the number of states that it is compiled to. What is refused is
    /// not compiled, and no more work than reading its text.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.read.as_ref().map_or(self.text.len(), |(_, size)| *size)
    }

    /// Compiles it.
    ///
    /// # Errors
    /// When Go would refuse it, with Go's text, or its program is too large.
    pub fn compile(self) -> Result<GoRegex, GoRegexError> {
        let (written, size) = self.read?;
        regex::RegexBuilder::new(&written)
            .size_limit(SIZE_MAX)
            .nest_limit(4_000)
            .build()
            .map(|regex| GoRegex { regex, size })
            .map_err(|_| too_large(self.text))
    }
}

/// Why an expression cannot be used; the text is Go's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoRegexError {
    message: String,
    too_large: bool,
}

impl GoRegexError {
    /// Whether the expression is refused for its size alone, which took some work to find out.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }
}

impl fmt::Display for GoRegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GoRegexError {}

/// Memory of a compiled expression.
const SIZE_MAX: usize = 10 << 20;

impl GoRegex {
    /// Reads an expression.
    ///
    /// # Errors
    /// When Go would refuse it, with Go's text.
    pub fn new(pattern: &str) -> Result<Self, GoRegexError> {
        GoPattern::read(pattern).compile()
    }

    /// Whether the expression matches anywhere in the text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The first match.
    #[must_use]
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.regex.find(text).map(|found| found.as_str())
    }

    /// Up to `limit` matches with their places, as Go's `FindAllString`: an empty match next to the
    /// previous match does not count.
    pub fn find_all<'t>(
        &self,
        text: &'t str,
        limit: usize,
    ) -> impl Iterator<Item = (usize, &'t str)> {
        self.regex.find_iter(text).take(limit).map(|found| (found.start(), found.as_str()))
    }

    /// About how many states it has. Each byte of a text may keep all of them busy.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}

fn error(code: &str, expr: &str) -> GoRegexError {
    GoRegexError { message: format!("error parsing regexp: {code}: `{expr}`"), too_large: false }
}

fn too_large(expr: &str) -> GoRegexError {
    GoRegexError { too_large: true, ..error("expression too large", expr) }
}

/// Writes a Go expression in the syntax of the `regex` crate.
///
/// # Errors
/// When Go would refuse it.
pub fn translate(pattern: &str) -> Result<String, GoRegexError> {
    Parser::read(pattern).map(|parser| parser.out)
}

#[cfg(test)]
mod tests;
