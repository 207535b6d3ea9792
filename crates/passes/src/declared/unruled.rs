//! The schema without its declared rules, for servers on which declarative validation is off.
//!
//! What stays is what any server must know of an object to store, merge and convert it: types,
//! list and map types, formats that say how a number is kept. Rules of KEP-4153, CEL and `required`
//! go.

use std::sync::Arc;

use ordain_schema::{Schema, Type};
use ordain_value::Text;

/// A copy without rules.
#[must_use]
pub fn without_rules(schema: &Arc<Schema>) -> Arc<Schema> {
    let ids: Vec<_> = schema.iter().map(|it| it.0).collect();
    let mut out = Schema::clone(schema);
    for id in ids {
        let node = out.node_mut(id);
        node.rules.clear();
        let numeric = matches!(node.ty, Type::Integer | Type::Number);
        let format: Option<Text> = node.validation.take().map(|it| it.format);
        if let Some(format) = format.filter(|it| numeric && !it.is_empty()) {
            node.validation_mut().format = format;
        }
    }
    Arc::new(out)
}
