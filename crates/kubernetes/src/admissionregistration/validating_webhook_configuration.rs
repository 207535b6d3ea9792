//! ValidatingWebhookConfiguration: webhooks that judge what is written.

use super::webhook::{self, Reinvocation};
use crate::native::Native;

pub(crate) fn native() -> Native {
    webhook::native("ValidatingWebhookConfiguration", |change| {
        webhook::validate(change, Reinvocation::Never)
    })
}
