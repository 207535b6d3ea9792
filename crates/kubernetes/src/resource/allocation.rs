//! Which devices a claim was given.

use ordain_value::Value;

use crate::shared::access::{text, text_of};

/// Driver, pool, device and share of an allocated device.
type DeviceId = (String, String, String, Option<String>);

pub(super) fn device_id(device: &Value) -> DeviceId {
    let owned = |field: &str| text(device, field).to_owned();
    let share = text_of(device, "shareID").map(str::to_owned);
    (owned("driver"), owned("pool"), owned("device"), share)
}
