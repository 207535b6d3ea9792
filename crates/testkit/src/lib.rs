//! Plays recorded conversations with a real kube-apiserver against a server of ours, and says how
//! closely the answers agree.
//!
//! [`transcript`] reads the recordings, [`client`] speaks HTTP, [`normal`] brings answers into the
//! form in which they were recorded (uids, versions and times replaced by symbols), [`play`] makes
//! the requests, [`level`] judges each answer: same code, same causes, or exactly the same.
//! [`native`] has the form of recordings of native kinds. [`known`] is the list of differences that
//! are known: what is listed must differ, and what differs must be listed; [`tally`] counts cases
//! and holds them to that list. [`outside`] says what tests need that is no part of the repository.
//!
//! `ordain replay` and the recordings of the test API stand on it; the server itself does not.

mod body;
pub mod client;
mod definition;
pub mod known;
pub mod level;
pub mod native;
pub mod normal;
pub mod outside;
pub mod play;
pub mod tally;
pub mod transcript;
pub mod watch;

pub use body::body_bytes;
pub use client::Client;
pub use definition::definition;
pub use level::Level;
pub use outside::Need;
pub use play::{Outcome, play_file, play_sample, record_file};
