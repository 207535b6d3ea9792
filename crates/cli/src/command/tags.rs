//! `ordain tags`.

use clap::Args;
use ordain_idl::tags::registry;

use crate::command::{Failure, say};

/// List every supported tag, with where it may be used and what it means.
#[derive(Debug, Args)]
pub(crate) struct Tags {
    /// Only tags whose name contains this.
    filter: Option<String>,
    /// Print all tags as Markdown.
    #[arg(long, conflicts_with = "filter")]
    markdown: bool,
}

impl Tags {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.markdown {
            say(registry::markdown().trim_end());
            return Ok(());
        }
        let filter = self.filter.as_deref().unwrap_or("");
        let found: Vec<_> = registry::all().filter(|spec| spec.name.contains(filter)).collect();
        if found.is_empty() {
            return Err(format!("no tag has `{filter}` in its name"));
        }
        for spec in found {
            let places: Vec<&str> = spec.places.iter().map(|place| place.words()).collect();
            say(&format!("+{} ({})", spec.name, spec.family.name()));
            say(&format!("    {}\n    {}\n    on {}", spec.usage, spec.meaning, places.join(", ")));
        }
        Ok(())
    }
}
