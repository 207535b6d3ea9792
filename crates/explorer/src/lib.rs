//! The explorer: the page that `/ui` serves, and the answers that it needs besides the API's own.
//!
//! The page is made in `ui/` and carried inside the binary ([`page`]). Its questions about rules
//! and expressions are answered from what it posts and from the kinds that are served ([`ask`]): no
//! answer reads an object, so none can show what its asker may not read. Everything here is pure;
//! the server says who may ask, how much and how often.

mod ask;
mod cases;
mod console;
pub mod page;
mod rules;

pub use ask::{Question, Unanswered};
pub use cases::Served;
