//! Kinds of the group `events.k8s.io`, which is another form of the core group's events.

use crate::core::event;
use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![event::group()]
}
