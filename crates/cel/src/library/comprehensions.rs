//! Comprehensions over keys and values, and the function that their transforms expand to.

use std::sync::Arc;

use super::{Args, Function, Module};
use crate::syntax::macros;
use crate::types::Type;
use crate::value::{Error, Map, MapData, Result, Val, show};

/// The library of two-variable comprehensions.
#[must_use]
pub fn module() -> Module {
    let map = || Type::map(Type::param("K"), Type::param("V"));
    Module::new("cel.lib.ext.comprev2")
        .function(
            Function::new(macros::MAP_INSERT)
                .overload(
                    "@mapInsert_map_key_value",
                    [map(), Type::param("K"), Type::param("V")],
                    map(),
                    insert_call,
                )
                .overload("@mapInsert_map_map", [map(), map()], map(), insert_map_call),
        )
        .declare(|library| library.macros.extend_from_slice(&macros::TWO_VARIABLES))
}

/// Puts an entry into a map that does not have the key.
///
/// # Errors
/// When the key is there.
pub(crate) fn insert<'a>(data: &mut MapData<'a>, key: Val<'a>, value: Val<'a>) -> Result<()> {
    let before = data.entries().len();
    let found = Map::Owned(Arc::new(std::mem::take(data)));
    let known = found.find(&key)?.is_some();
    if let Map::Owned(shared) = found {
        *data = Arc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone());
    }
    debug_assert_eq!(before, data.entries().len());
    if known {
        return Err(Error::new(format!("insert failed: key {} already exists", show::plain(&key))));
    }
    data.insert(key, value);
    Ok(())
}

fn insert_call<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let mut data = args.map(0)?.to_data()?;
    insert(&mut data, args.at(1).clone(), args.at(2).clone())?;
    Ok(Val::Map(Map::Owned(Arc::new(data))))
}

fn insert_map_call<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let mut data = args.map(0)?.to_data()?;
    let more = args.map(1)?;
    for key in more.keys() {
        let value = more.find(&key)?.unwrap_or(Val::Null);
        insert(&mut data, key, value)?;
    }
    Ok(Val::Map(Map::Owned(Arc::new(data))))
}
