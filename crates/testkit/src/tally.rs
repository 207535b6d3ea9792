//! Cases counted by name and held to the list of known differences.
//!
//! Every case that is played has a place of its own. One that differs must be listed with a reason,
//! one that is listed must differ: there is no share of cases that may be wrong.

use std::path::Path;

use crate::known::Known;

/// What came of the cases of a set.
#[derive(Debug)]
pub struct Tally {
    /// The first word of every place: the test and its set, such as `schema-names`.
    name: &'static str,
    played: Vec<(String, bool)>,
    shown: Vec<(String, String)>,
    left_out: usize,
}

impl Tally {
    /// A tally of nothing yet. The name is the first word of every place in the list.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self { name, played: Vec::new(), shown: Vec::new(), left_out: 0 }
    }

    /// Counts a case that agrees.
    pub fn agrees(&mut self, place: &str) {
        self.played.push((format!("{} {place}", self.name), true));
    }

    /// Counts a case that differs, with what was got and wanted.
    pub fn differs(&mut self, place: &str, shown: impl Into<String>) {
        let place = format!("{} {place}", self.name);
        self.shown.push((place.clone(), shown.into()));
        self.played.push((place, false));
    }

    /// Counts a case by whether two things are the same.
    pub fn compare<T: PartialEq + std::fmt::Debug>(&mut self, place: &str, got: &T, wanted: &T) {
        match got == wanted {
            true => self.agrees(place),
            false => self.differs(place, format!("got    {got:?}\n  wanted {wanted:?}")),
        }
    }

    /// Counts a case that this test is not about.
    pub fn left_out(&mut self) {
        self.left_out += 1;
    }

    /// Holds the cases to `fixtures/known-differences.toml`, one line for each that is wrong.
    ///
    /// # Panics
    /// When a case differs that is not listed, one is listed that agrees, or too few were played.
    #[expect(clippy::print_stdout, reason = "a test tells how much it played")]
    pub fn check(&self, at_least: usize) {
        let set = self.name;
        let list =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/known-differences.toml");
        let known = Known::read(&list).unwrap_or_else(|error| unreadable(&list, &error));
        let agree = self.played.iter().filter(|it| it.1).count();
        let (played, left_out) = (self.played.len(), self.left_out);
        println!("{set}: {agree} of {played} cases agree, {left_out} are not for this test");
        let mut complaints = known.complaints(&self.played);
        complaints.extend(
            known.unknown_places(set, &self.played).iter().map(|it| format!("not played: {it}")),
        );
        for complaint in &mut complaints {
            let shown = self.shown.iter().find(|(place, _)| complaint.ends_with(place.as_str()));
            if let Some((_, shown)) = shown {
                complaint.push_str("\n  ");
                complaint.push_str(shown);
            }
        }
        assert!(complaints.is_empty(), "{set}:\n{}", complaints.join("\n"));
        assert!(played >= at_least, "{set}: {played} cases were played, {at_least} are expected");
    }
}

#[expect(clippy::panic, reason = "a test without its list cannot judge")]
fn unreadable(list: &Path, error: &std::io::Error) -> Known {
    panic!("{}: {error}", list.display())
}
