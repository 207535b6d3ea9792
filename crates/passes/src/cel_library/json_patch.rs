//! How expressions write the paths of JSON patches.

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Result, Val};

/// The library.
pub(super) fn module() -> Module {
    Module::new("k8s.jsonpatch").function(Function::new("jsonpatch.escapeKey").overload(
        "string_jsonpatch_escapeKey_string",
        [Type::String],
        Type::String,
        escape_key,
    ))
}

fn escape_key<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(args.text(0)?.replace('~', "~0").replace('/', "~1")))
}
