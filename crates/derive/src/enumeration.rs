//! Enums of unit variants: strings with named values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Result, Variant};

use crate::attribute::{plain, settings};
use crate::item::{Head, head, implement};
use crate::serde::{self, Container};
use crate::tag::{Place, Shape, unknown};

pub(crate) fn enumeration(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    if data.variants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "an enum needs a value"));
    }
    let Head { name, docs, tags, origin, .. } = head(input, Shape::Text, &[])?;
    let container = serde::container(&input.attrs)?;
    let mut names = Vec::new();
    let mut values = Vec::new();
    for variant in &data.variants {
        if let Some(setting) = settings(&variant.attrs, "ordain")?.first() {
            return Err(unknown(setting, Place::Type, &[]));
        }
        names.push(format!("{name}{}", plain(&variant.ident)));
        values.push(value(variant, &container)?);
    }
    let item = quote! {
        ::ordain::declare::Item::Enum(::ordain::declare::Enum {
            name: ::std::string::String::from(#name),
            docs: #docs,
            tags: ::std::vec![#(#tags),*],
            values: ::std::vec![
                #((::std::string::String::from(#names), ::std::string::String::from(#values))),*
            ],
            origin: #origin,
        })
    };
    Ok(implement(&input.ident, &name, &item))
}

/// The text of a variant in JSON.
pub(crate) fn value(variant: &Variant, container: &Container) -> Result<String> {
    let member = serde::member(&variant.attrs)?;
    let name = plain(&variant.ident);
    let renamed = container.rename_all.map(|case| case.variant(&name));
    Ok(member.rename.or(renamed).unwrap_or(name))
}
