//! Structs with fields, and named types over one other type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{DeriveInput, Error, Field, Result, Token};

use crate::attribute::{docs, plain, settings};
use crate::case::pascal;
use crate::item::{head, implement, option_of, origin, shape, texts};
use crate::serde::{self, Container};
use crate::tag::{Place, Shape, Tags, unknown};

pub(crate) type NamedFields = Punctuated<Field, Token![,]>;

/// A struct with named fields.
pub(crate) fn named(input: &DeriveInput, fields: &NamedFields) -> Result<TokenStream> {
    let head = head(input, Shape::Map, &[])?;
    let container = serde::container(&input.attrs)?;
    let fields = declared_fields(fields, &container, |_| false)?;
    let crate::item::Head { name, docs, tags, origin, .. } = &head;
    let item = quote! {
        ::ordain::declare::Item::Struct(::ordain::declare::Struct {
            name: ::std::string::String::from(#name),
            docs: #docs,
            tags: ::std::vec![#(#tags),*],
            fields: ::std::vec![#(#fields),*],
            origin: #origin,
            ..::core::default::Default::default()
        })
    };
    Ok(implement(&input.ident, name, &item))
}

/// `struct Name(String)`: a named type with tags of its own.
pub(crate) fn alias(input: &DeriveInput, field: &Field) -> Result<TokenStream> {
    if let Some(setting) = settings(&field.attrs, "ordain")?.first() {
        return Err(setting.refuse("settings of a named type stand above the type"));
    }
    let head = head(input, shape(&field.ty), &[])?;
    serde::container(&input.attrs)?;
    let crate::item::Head { name, docs, tags, origin, .. } = &head;
    let ty = &field.ty;
    let item = quote! {
        ::ordain::declare::Item::Alias(::ordain::declare::Alias {
            name: ::std::string::String::from(#name),
            docs: #docs,
            tags: ::std::vec![#(#tags),*],
            ty: <#ty as ::ordain::Schema>::declare(declarations),
            origin: #origin,
        })
    };
    Ok(implement(&input.ident, name, &item))
}

/// The declarations of fields, but for those that the caller leaves out.
pub(crate) fn declared_fields(
    fields: &NamedFields,
    container: &Container,
    left_out: impl Fn(&str) -> bool,
) -> Result<Vec<TokenStream>> {
    let mut out = Vec::new();
    let mut errors: Option<Error> = None;
    for field in fields {
        match declared_field(field, container, &left_out) {
            Ok(found) => out.extend(found),
            Err(error) => match &mut errors {
                Some(all) => all.combine(error),
                None => errors = Some(error),
            },
        }
    }
    errors.map_or(Ok(out), Err)
}

fn declared_field(
    field: &Field,
    container: &Container,
    left_out: &impl Fn(&str) -> bool,
) -> Result<Option<TokenStream>> {
    let Some(ident) = &field.ident else { return Ok(None) };
    let member = serde::member(&field.attrs)?;
    if member.skip {
        return Ok(None);
    }
    let rust_name = plain(ident);
    let renamed = container.rename_all.map(|case| case.field(&rust_name));
    let json = member.rename.clone().or(renamed).unwrap_or_else(|| rust_name.clone());
    if left_out(&json) {
        return Ok(None);
    }
    let mut tags = Tags::new(Place::Field, shape(&field.ty));
    for setting in settings(&field.attrs, "ordain")? {
        if !tags.setting(&setting)? {
            return Err(unknown(&setting, Place::Field, &[]));
        }
    }
    if tags.required && tags.optional {
        return Err(Error::new_spanned(ident, "the field is both required and optional"));
    }
    let may_be_absent = option_of(&field.ty).is_some()
        || member.default
        || member.skip_if
        || container.default
        || tags.defaulted;
    // A field without a word about it is required by serde: the declaration says so.
    if !tags.required && !tags.optional && !member.flatten {
        tags.text(if may_be_absent { "optional" } else { "required" });
    }
    let omit_empty = may_be_absent || tags.optional;
    let (name, json) = match member.flatten {
        true => (String::new(), String::new()),
        false => (pascal(&rust_name), json),
    };
    let (docs, origin, ty) = (texts(&docs(&field.attrs)?), origin(ident.span()), &field.ty);
    let tags = tags.finish()?;
    Ok(Some(quote! {{
        let ty = <#ty as ::ordain::Schema>::declare(declarations);
        ::ordain::declare::Field {
            name: ::std::string::String::from(#name),
            json: ::std::string::String::from(#json),
            omit_empty: #omit_empty && declarations.can_be_empty(&ty),
            ty,
            docs: #docs,
            tags: ::std::vec![#(#tags),*],
            origin: #origin,
        }
    }}))
}
