//! ValidatingWebhookConfiguration: webhooks that judge what is written.

use super::webhook;
use crate::native::Native;

pub(crate) fn native() -> Native {
    webhook::native("ValidatingWebhookConfiguration")
}
