//! Enums of unit variants: strings with named values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Result, Variant};

use crate::attribute::{docs, plain, settings};
use crate::item::{Head, head, implement, texts};
use crate::serde::{self, Container};
use crate::tag::{Place, Shape, Tags, unknown};

pub(crate) fn enumeration(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let Head { name, docs, tags, origin, .. } = head(input, Shape::Text, &[])?;
    let container = serde::container(&input.attrs)?;
    if let Some(setting) = &container.transparent {
        return Err(setting.refuse("serde's `transparent` is about structs"));
    }
    let mut constants = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for variant in &data.variants {
        let Some(value) = value(variant, &container)? else { continue };
        if seen.contains(&value) {
            let message = format!("two values of the enum are `{value}`");
            return Err(Error::new_spanned(&variant.ident, message));
        }
        constants.push(constant(&name, variant, &value)?);
        seen.push(value);
    }
    if constants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "an enum needs a value"));
    }
    let item = quote! {
        ::ordain::declare::Item::Enum(::ordain::declare::Enum {
            name: ::std::string::String::from(#name),
            docs: #docs,
            tags: ::std::vec![#(#tags),*],
            values: ::std::vec![#(#constants),*],
            origin: #origin,
        })
    };
    Ok(implement(&input.ident, &name, &item))
}

fn constant(name: &str, variant: &Variant, value: &str) -> Result<TokenStream> {
    let mut tags = Tags::new(Place::Value, Shape::Text);
    for setting in settings(&variant.attrs, "ordain")? {
        if !tags.setting(&setting)? {
            return Err(unknown(&setting, Place::Value, &[]));
        }
    }
    let (name, docs) = (format!("{name}{}", plain(&variant.ident)), texts(&docs(&variant.attrs)?));
    let tags = tags.finish()?;
    Ok(quote! {
        ::ordain::declare::Constant {
            name: ::std::string::String::from(#name),
            value: ::std::string::String::from(#value),
            docs: #docs,
            tags: ::std::vec![#(#tags),*],
        }
    })
}

/// The text of a variant in JSON; none for one that serde skips.
fn value(variant: &Variant, container: &Container) -> Result<Option<String>> {
    let member = serde::member(&variant.attrs)?;
    if let Some(setting) = member.flatten.as_ref().or(member.with.as_ref()) {
        let message = format!("serde's `{}` is not about an enum of strings", setting.word());
        return Err(setting.refuse(message));
    }
    if member.skip {
        return Ok(None);
    }
    let name = plain(&variant.ident);
    let renamed = container.rename_all.map(|case| case.variant(&name));
    Ok(Some(member.rename.or(renamed).unwrap_or(name)))
}
