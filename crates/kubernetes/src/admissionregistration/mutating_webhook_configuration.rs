//! MutatingWebhookConfiguration: webhooks that change what is written.

use super::webhook;
use crate::native::Native;

pub(crate) fn native() -> Native {
    webhook::native("MutatingWebhookConfiguration")
}
