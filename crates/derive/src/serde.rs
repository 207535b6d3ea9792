//! What serde's attributes say about the JSON of a type. What they say is respected, or refused:
//! a schema that describes other JSON than serde reads and writes is worse than none.

use syn::{Attribute, Result};

use crate::attribute::{Given, Setting, plain, settings};
use crate::case::Case;

/// Of a struct or enum.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) rename_all: Option<Case>,
    pub(crate) default: bool,
    /// `transparent`, with its place.
    pub(crate) transparent: Option<Setting>,
}

/// Of a field or variant.
#[derive(Default)]
pub(crate) struct Member {
    pub(crate) rename: Option<String>,
    pub(crate) default: bool,
    /// Left out of JSON under a condition.
    pub(crate) skip_if: bool,
    /// `flatten`, with its place.
    pub(crate) flatten: Option<Setting>,
    /// Not part of JSON at all.
    pub(crate) skip: bool,
    /// Reading or writing by functions of its own (`with` and its halves), with its place.
    pub(crate) with: Option<Setting>,
}

const ANOTHER_FORM: &str = "makes JSON that no schema of this type describes; a union is an enum \
                            with data that derives `Schema` alone";
const TWO_FORMS: &str = "makes what is read differ from what is written; the schema describes both";

fn refused<T>(setting: &Setting, why: &str) -> Result<T> {
    Err(setting.refuse(format!("serde's `{}` {why}", setting.word())))
}

pub(crate) fn container(attributes: &[Attribute]) -> Result<Container> {
    let mut out = Container::default();
    for setting in settings(attributes, "serde")? {
        match setting.word().as_str() {
            "rename_all" => out.rename_all = Some(case(&setting)?),
            "default" => out.default = true,
            "transparent" => out.transparent = Some(setting),
            // Nothing that is in the JSON.
            "rename" | "deny_unknown_fields" | "bound" | "crate" | "expecting" => {}
            "tag" | "content" | "untagged" | "from" | "into" | "try_from" | "remote"
            | "variant_identifier" | "field_identifier" | "rename_all_fields" => {
                return refused(&setting, ANOTHER_FORM);
            }
            _ => return refused(&setting, "is not known to `ordain`"),
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
            "flatten" => out.flatten = Some(setting),
            "skip" => out.skip = true,
            "with" | "serialize_with" | "deserialize_with" => out.with = Some(setting),
            "bound" | "borrow" => {}
            "other" | "untagged" | "skip_serializing" | "skip_deserializing" => {
                return refused(&setting, TWO_FORMS);
            }
            "alias" => {
                let why = "has no effect: the server removes fields and refuses values that are \
                           not declared before anything is read";
                return refused(&setting, why);
            }
            _ => return refused(&setting, "is not known to `ordain`"),
        }
    }
    Ok(out)
}

impl Container {
    /// The name of a field in JSON.
    pub(crate) fn field_name(&self, member: &Member, ident: &syn::Ident) -> String {
        let name = plain(ident);
        let renamed = self.rename_all.map(|case| case.field(&name));
        member.rename.clone().or(renamed).unwrap_or(name)
    }
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
