//! CEL expressions that choose devices.

use std::sync::{Arc, OnceLock};

use ordain_cel::cost::{CostOptions, Size, estimate};
use ordain_cel::env::{Env, TypeProvider};
use ordain_cel::types::Type;
use ordain_passes::cel_library::{Environment, LibraryEstimator, Sizes};
use ordain_value::Text;
use ordain_value::field::{self, Path};

use super::request::Stored;

const EXPRESSION_BYTES_MAX: usize = 10 * 1024;
const COST_MAX: u64 = 1_000_000;
const DEVICE: &str = "kubernetes.DRADevice";
const QUANTITY: &str = "kubernetes.Quantity";
/// Attributes or capacities of one device.
const ENTRIES_MAX: u64 = 32;
/// Bytes of a driver's domain.
const DOMAIN_BYTES_MAX: u64 = 63;

/// What is wrong with an expression.
pub(super) fn check(text: &str, stored: Stored, path: &Path<'_>) -> Option<field::Error> {
    if text.len() > EXPRESSION_BYTES_MAX {
        return Some(field::Error::too_long(path, 10_240));
    }
    let checked = match environment(stored).compile(text) {
        Ok(checked) => checked,
        Err(error) => {
            return Some(field::Error::invalid(path, text, format!("compilation failed: {error}")));
        }
    };
    let ty = checked.result_type();
    if !matches!(ty, Type::Bool) && !ty.is_dyn() {
        let why = format!("must evaluate to bool or the unknown type, not {}", ty.runtime_name());
        return Some(field::Error::invalid(path, text, why));
    }
    let estimator = LibraryEstimator { sizes: &DeviceSizes };
    let cost = estimate(&checked, &estimator, CostOptions::default());
    let expensive = cost.max > COST_MAX;
    expensive.then(|| field::Error::forbidden(path, "too complex, exceeds cost limit"))
}

fn environment(stored: Stored) -> &'static Env {
    static NEW: OnceLock<Env> = OnceLock::new();
    static OLD: OnceLock<Env> = OnceLock::new();
    let with_device = |environment: &Environment| {
        let provider = environment.env.with_provider(Arc::new(Device));
        provider.with_variable("device", Type::object(DEVICE))
    };
    match stored {
        Stored::No => NEW.get_or_init(|| with_device(Environment::declared())),
        Stored::Yes => OLD.get_or_init(|| with_device(Environment::stored())),
    }
}

/// The type of `device`.
struct Device;

impl TypeProvider for Device {
    fn find_type(&self, name: &str) -> Option<Type> {
        (name == DEVICE).then(|| Type::type_of(Type::object(DEVICE)))
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        let by_domain = |value: Type| Type::map(Type::String, Type::map(Type::String, value));
        match (object, field) {
            (DEVICE, "driver") => Some(Type::String),
            (DEVICE, "attributes") => Some(by_domain(Type::Dyn)),
            (DEVICE, "capacity") => Some(by_domain(Type::object(QUANTITY))),
            (DEVICE, "allowMultipleAllocations") => Some(Type::Bool),
            _ => None,
        }
    }
}

/// How large the parts of a device can be.
struct DeviceSizes;

impl Sizes for DeviceSizes {
    fn size(&self, path: &[Text], _ty: &Type) -> Option<Size> {
        let max = match path.iter().map(Text::as_str).collect::<Vec<_>>().as_slice() {
            ["device", "driver"] => DOMAIN_BYTES_MAX,
            ["device", "attributes" | "capacity", ..] => ENTRIES_MAX,
            _ => return None,
        };
        Some(Size { min: 0, max })
    }
}
