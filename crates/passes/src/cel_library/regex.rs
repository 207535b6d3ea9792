//! `find` and `findAll`.

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Result, Val};

/// The regex library.
#[must_use]
pub fn module() -> Module {
    use Type::{Int, String};
    Module::new("kubernetes.regex")
        .function(
            Function::new("find")
                .member("string_find_string", [String, String], String, find)
                .pattern(1),
        )
        .function(
            Function::new("findAll")
                .member("string_find_all_string", [String, String], Type::list(String), find_all)
                .member(
                    "string_find_all_string_int",
                    [String, String, Int],
                    Type::list(String),
                    find_all,
                )
                .pattern(1),
        )
}

fn illegal(error: Error) -> Error {
    Error::new(format!("Illegal regex: {}", error.message()))
}

fn find<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    args.regex(1, |regex| Val::string(regex.find(text).unwrap_or_default())).map_err(illegal)
}

/// Texts of so many bytes are searched at upstream's cost, whatever is looked at twice.
const SHORT_TEXT: usize = 4 * 1024;

fn find_all<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    let limit =
        args.at(2).as_int().map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
    let found = args.regex(1, |regex| {
        let mut found = Vec::new();
        for (start, part) in regex.find_all(text, limit) {
            // To find a short match, all of the rest may have been looked at.
            if text.len() > SHORT_TEXT {
                args.pay_search(text.len().saturating_sub(start))?;
            }
            found.push(Val::string(part));
        }
        Ok(Val::list(found))
    });
    found.map_err(illegal)?
}
