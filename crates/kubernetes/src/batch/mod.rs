//! Kinds of the group `batch`: work that ends.

mod cron_job;
mod failure_policy;
mod indexes;
mod job;
mod job_spec;
mod job_status;
mod job_update;
mod schedule;
mod success_policy;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![cron_job::native(), job::native()]
}
