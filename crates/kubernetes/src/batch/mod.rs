//! Kinds of the group `batch`.

mod cron_job;
mod job;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![cron_job::native(), job::native()]
}
