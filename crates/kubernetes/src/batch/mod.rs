//! Kinds of the group `batch`: work that ends.

pub(crate) mod cron_job;
mod indexes;
mod job;
mod job_spec;
pub(crate) mod job_status;
mod job_update;
mod schedule;
pub(crate) mod success_policy;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![cron_job::native(), job::native()]
}
