//! What is wrong with a declaration: severity, code, place, text and a fix.

use std::fmt;

use crate::source::{Pos, Position};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The declaration cannot be used.
    Error,
    /// Probably a mistake; the declaration is used.
    Warning,
}

/// One finding about the author's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A short stable word for the kind of finding, such as `syntax` or `unknown-tag`.
    pub code: &'static str,
    /// What is wrong, lower case and without a final period.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where, when there is a place.
    pub pos: Option<Pos>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(code: &'static str, pos: Pos, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            help: None,
            pos: Some(pos),
        }
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(code: &'static str, pos: Pos, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            code,
            message: message.into(),
            help: None,
            pos: Some(pos),
        }
    }

    /// An error that belongs to no place.
    #[must_use]
    pub fn nowhere(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), help: None, pos: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether this is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A finding together with its readable place, ready to print.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    /// The finding.
    pub diagnostic: &'a Diagnostic,
    /// Its place, if any.
    pub position: Option<Position>,
}

impl fmt::Display for Located<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{position}: ")?;
        }
        let severity = match self.diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.diagnostic.message)?;
        if let Some(help) = &self.diagnostic.help {
            write!(f, " (help: {help})")?;
        }
        Ok(())
    }
}
