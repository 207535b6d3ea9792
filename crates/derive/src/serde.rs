//! What serde's attributes say about the JSON of a type.

use syn::{Attribute, Result};

use crate::attribute::{Given, Setting, settings};
use crate::case::Case;

/// Of a struct or enum.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) rename_all: Option<Case>,
    pub(crate) default: bool,
    pub(crate) transparent: bool,
}

/// Of a field or variant.
#[derive(Default)]
pub(crate) struct Member {
    pub(crate) rename: Option<String>,
    pub(crate) default: bool,
    /// Left out of JSON under a condition.
    pub(crate) skip_if: bool,
    pub(crate) flatten: bool,
    /// Not part of JSON at all.
    pub(crate) skip: bool,
}

pub(crate) fn container(attributes: &[Attribute]) -> Result<Container> {
    let mut out = Container::default();
    for setting in settings(attributes, "serde")? {
        match setting.word().as_str() {
            "rename_all" => out.rename_all = Some(case(&setting)?),
            "default" => out.default = true,
            "transparent" => out.transparent = true,
            "tag" | "content" | "untagged" | "from" | "into" | "try_from" | "remote" => {
                let message = format!(
                    "serde's `{}` makes JSON that no schema of this type describes; a union is \
                     an enum with data that derives `Schema` alone",
                    setting.word()
                );
                return Err(setting.refuse(message));
            }
            _ => {}
        }
    }
    Ok(out)
}

pub(crate) fn member(attributes: &[Attribute]) -> Result<Member> {
    let mut out = Member::default();
    for setting in settings(attributes, "serde")? {
        match setting.word().as_str() {
            "rename" => out.rename = Some(one_name(&setting)?),
            "default" => out.default = true,
            "skip_serializing_if" => out.skip_if = true,
            "flatten" => out.flatten = true,
            "skip" => out.skip = true,
            "other" | "untagged" | "skip_serializing" | "skip_deserializing" => {
                let message = format!(
                    "serde's `{}` makes what is read differ from what is written; the schema \
                     describes both",
                    setting.word()
                );
                return Err(setting.refuse(message));
            }
            _ => {}
        }
    }
    Ok(out)
}

fn case(setting: &Setting) -> Result<Case> {
    let name = one_name(setting)?;
    Case::from_name(&name).ok_or_else(|| setting.refuse(format!("`{name}` is no rule of serde's")))
}

/// `rename = "x"`, or both of `rename(serialize = "x", deserialize = "x")` if they are the same.
fn one_name(setting: &Setting) -> Result<String> {
    let Given::List(_) = &setting.value else { return setting.text() };
    let names: Vec<String> =
        setting.settings()?.into_iter().map(Setting::text).collect::<Result<_>>()?;
    match names.as_slice() {
        [first, second] if first == second => Ok(first.clone()),
        _ => Err(setting.refuse("one name for reading and writing is needed")),
    }
}
