//! Where the walk stands, as messages write it.

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

    pub(super) fn text(&self) -> String {
        self.render().0
    }

    /// The text, and whether another place may have the same one.
    pub(super) fn render(&self) -> (String, bool) {
        let mut few = [Step::Root; 24];
        let (mut steps, mut bytes) = (0, 0);
        let mut at = Some(self);
        while let Some(place) = at {
            if let Some(slot) = few.get_mut(steps) {
                *slot = place.step;
            }
            steps += 1;
            bytes += match place.step {
                Step::Root => 0,
                Step::Property(text) | Step::Additional(text) => text.len() + 1,
                Step::Index(_) => 7,
            };
            at = place.parent;
        }
        let mut text = String::with_capacity(bytes);
        let mut ambiguous = false;
        if let Some(few) = few.get(..steps) {
            for step in few.iter().rev() {
                ambiguous |= step.write(&mut text);
            }
        } else {
            let mut many = Vec::with_capacity(steps);
            let mut at = Some(self);
            while let Some(place) = at {
                many.push(place.step);
                at = place.parent;
            }
            for step in many.iter().rev() {
                ambiguous |= step.write(&mut text);
            }
        }
        (text, ambiguous)
    }
}

impl Step<'_> {
    /// Returns whether the name looks like several steps.
    #[inline]
    fn write(&self, text: &mut String) -> bool {
        let name = match self {
            Step::Root => return false,
            Step::Property(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                name
            }
            Step::Additional(key) => {
                text.push('.');
                key
            }
            Step::Index(index) => {
                text.push('[');
                text.push_str(itoa::Buffer::new().format(*index));
                text.push(']');
                return false;
            }
        };
        text.push_str(name);
        name.bytes().fold(false, |found, it| found | (it == b'.') | (it == b'['))
    }
}
