//! MutatingWebhookConfiguration: webhooks that change what is written.

use super::webhook::{self, Reinvocation};
use crate::native::Native;

pub(crate) fn native() -> Native {
    webhook::native("MutatingWebhookConfiguration", |change| {
        webhook::validate(change, Reinvocation::Possible)
    })
}
