//! The page's questions: which there are, and what each is given and gives back.

use ordain_schema::{Raw, Schema};
use ordain_value::{Value, json};

use crate::cases::{self, Served};
use crate::{console, rules};

/// Something the page asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// What an expression is on an object: value, type, cost, and the same for each part of it.
    Expression,
    /// What the rules of a schema can cost, against what they may.
    Rules,
    /// What comes of the cases of a table, and which constraints they cover.
    Cases,
}

/// Why a question has no answer, in words for the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered(pub String);

impl std::fmt::Display for Unanswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unanswered {}

impl From<String> for Unanswered {
    fn from(why: String) -> Self {
        Unanswered(why)
    }
}

impl Question {
    /// The question of a path under `/ui/api/`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "cel" => Some(Self::Expression),
            "rules" => Some(Self::Rules),
            "cases" => Some(Self::Cases),
            _ => None,
        }
    }

    /// Answers it from the JSON that was posted, and from the kinds that are served: `served` finds
    /// one by group and resource.
    ///
    /// # Errors
    /// When what was posted is not what the question needs.
    pub fn answer(
        self,
        posted: &[u8],
        served: &dyn Fn(&str, &str) -> Option<Served>,
    ) -> Result<Value, Unanswered> {
        let posted = json::decode(posted).map_err(|error| Unanswered(error.to_string()))?;
        match self {
            Self::Expression => console::answer(&posted),
            Self::Rules => rules::answer(&posted),
            Self::Cases => cases::answer(&posted, served),
        }
    }
}

/// The schema that was posted, if one was.
pub(crate) fn schema(posted: &Value) -> Result<Option<Schema>, Unanswered> {
    let Some(schema) = posted.get("schema").filter(|it| !it.is_null()) else { return Ok(None) };
    let (raw, _) = Raw::decode(schema).map_err(|error| format!("schema: {}", error.0))?;
    let schema = ordain_schema::resolve(&raw).map_err(|error| format!("schema: {error}"))?;
    Ok(Some(schema))
}

/// A number for JSON, which knows no larger ones.
pub(crate) fn int(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
