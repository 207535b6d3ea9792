//! Where the walk stands, as messages write it.

use std::fmt::Write as _;

/// A place by links to its parents, on the stack.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Property(&'a str),
    /// A key without a declared property. Its dot is written even at the root: upstream does.
    Additional(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    pub(super) fn root() -> Place<'static> {
        Place { parent: None, step: Step::Root }
    }

    pub(super) fn property(&'a self, name: &'a str) -> Place<'a> {
        Place { parent: Some(self), step: Step::Property(name) }
    }

    pub(super) fn additional(&'a self, key: &'a str) -> Place<'a> {
        Place { parent: Some(self), step: Step::Additional(key) }
    }

    pub(super) fn index(&'a self, index: usize) -> Place<'a> {
        Place { parent: Some(self), step: Step::Index(index) }
    }

    /// Whether another place may have the same text.
    pub(super) fn is_ambiguous(&self) -> bool {
        let mut at = Some(self);
        while let Some(place) = at {
            if let Step::Property(text) | Step::Additional(text) = place.step
                && text.bytes().any(|it| matches!(it, b'.' | b'['))
            {
                return true;
            }
            at = place.parent;
        }
        false
    }

    pub(super) fn text(&self) -> String {
        let (mut steps, mut bytes) = (0, 0);
        let mut at = Some(self);
        while let Some(place) = at {
            steps += 1;
            bytes += match place.step {
                Step::Root => 0,
                Step::Property(text) | Step::Additional(text) => text.len() + 1,
                Step::Index(_) => 6,
            };
            at = place.parent;
        }
        let mut text = String::with_capacity(bytes);
        let mut few = [Step::Root; 24];
        let mut many = Vec::new();
        let chain: &mut [Step<'_>] = if steps <= few.len() {
            &mut few[..steps]
        } else {
            many.resize(steps, Step::Root);
            &mut many
        };
        let mut at = Some(self);
        for slot in chain.iter_mut().rev() {
            if let Some(place) = at {
                *slot = place.step;
                at = place.parent;
            }
        }
        for step in chain {
            step.write(&mut text);
        }
        text
    }
}

impl Step<'_> {
    fn write(&self, text: &mut String) {
        match self {
            Step::Root => {}
            Step::Property(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Step::Additional(key) => {
                text.push('.');
                text.push_str(key);
            }
            Step::Index(index) => {
                let _ = write!(text, "[{index}]");
            }
        }
    }
}
