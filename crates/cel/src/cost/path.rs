//! Paths from a variable through fields, items, keys and values.
//!
//! The reference implementation appends to shared buffers: where a buffer has room, the second
//! of two paths with a common beginning overwrites the last step of the first. Estimates of
//! loops over such paths depend on it, so paths behave the same way here.

use std::cell::RefCell;
use std::rc::Rc;

use crate::ast::Text;

/// A path, or a view of the beginning of a longer one.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    steps: Rc<RefCell<Vec<Text>>>,
    len: usize,
    capacity: usize,
}

impl Path {
    pub(super) fn variable(name: &Text) -> Self {
        Self { steps: Rc::new(RefCell::new(vec![name.clone()])), len: 1, capacity: 1 }
    }

    pub(super) fn child(&self, step: Text) -> Self {
        if self.len < self.capacity {
            let mut steps = self.steps.borrow_mut();
            match steps.get_mut(self.len) {
                Some(slot) => *slot = step,
                None => steps.push(step),
            }
            return Self {
                steps: Rc::clone(&self.steps),
                len: self.len + 1,
                capacity: self.capacity,
            };
        }
        let mut steps = self.to_vec();
        steps.push(step);
        Self {
            len: steps.len(),
            capacity: (self.capacity * 2).max(1),
            steps: Rc::new(RefCell::new(steps)),
        }
    }

    pub(super) fn to_vec(&self) -> Vec<Text> {
        self.steps.borrow().iter().take(self.len).cloned().collect()
    }

    pub(super) fn starts_with_accumulator(&self) -> bool {
        use crate::ast::{ACCUMULATOR, LEGACY_ACCUMULATOR};
        let steps = self.steps.borrow();
        self.len > 0
            && steps
                .first()
                .is_some_and(|first| first == ACCUMULATOR || first == LEGACY_ACCUMULATOR)
    }
}
