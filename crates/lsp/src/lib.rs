//! Manifests in an editor: the language server protocol over the offline engine.
//!
//! Bytes come in as framed messages ([`frame`]), [`session`] keeps the open texts ([`text`]) and
//! answers requests. Diagnostics while one types are the findings of `ordain validate` ([`diagnostics`]),
//! so it is what the server will say. [`hover`] and [`completion`] read the schema of the kind at a
//! place, which [`place`] finds: by the positions of the parsed text where it parses, and by
//! indentation where it is half typed ([`outline`]). Questions of editors are one module each:
//! [`symbol`], [`fold`], [`format`], [`definition`], [`action`], [`hint`], [`rename`];
//! [`modeline`] reads what a text says of itself.
//!
//! No input makes it stop: what is not understood is answered with an error of the protocol.

mod action;
mod completion;
mod definition;
mod diagnostics;
mod flow;
mod fold;
mod format;
mod frame;
mod hint;
mod hover;
mod indent;
mod modeline;
mod object;
mod outline;
mod place;
mod rename;
mod session;
mod symbol;
mod text;
mod uri;

pub use session::{Files, Session, serve};
