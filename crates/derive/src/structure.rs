//! Structs with fields, and named types over one other type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{DeriveInput, Error, Field, Result, Token, Type};

use crate::attribute::{Setting, docs, plain, settings};
use crate::case::pascal;
use crate::item::{head, implement, option_of, origin, shape, texts};
use crate::serde::{self, Container};
use crate::tag::{Place, Shape, Tags, unknown};

pub(crate) type NamedFields = Punctuated<Field, Token![,]>;

/// A struct with named fields.
pub(crate) fn named(input: &DeriveInput, fields: &NamedFields) -> Result<TokenStream> {
    let container = serde::container(&input.attrs)?;
    if let Some(setting) = &container.transparent {
        return transparent(input, fields, setting);
    }
    let head = head(input, Shape::Map, &["as"])?;
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

/// A struct that is its only field in JSON.
fn transparent(
    input: &DeriveInput,
    fields: &NamedFields,
    setting: &Setting,
) -> Result<TokenStream> {
    let mut own = Vec::new();
    for field in fields {
        if !serde::member(&field.attrs)?.skip {
            own.push(field);
        }
    }
    match own.as_slice() {
        [field] => newtype(input, field),
        _ => Err(setting.refuse("serde's `transparent` needs exactly one field")),
    }
}

/// `struct Name(String)`: a named type with tags of its own.
pub(crate) fn newtype(input: &DeriveInput, field: &Field) -> Result<TokenStream> {
    if let Some(setting) = settings(&field.attrs, "ordain")?.first() {
        return Err(setting.refuse("settings of a named type stand above the type"));
    }
    serde::container(&input.attrs)?;
    if let Some(setting) = serde::member(&field.attrs)?.with {
        return Err(needs_as(&setting));
    }
    alias(input, &field.ty)
}

/// A named type over another one.
pub(crate) fn alias(input: &DeriveInput, ty: &Type) -> Result<TokenStream> {
    let head = head(input, shape(ty), &["as"])?;
    let crate::item::Head { name, docs, tags, origin, .. } = &head;
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

fn needs_as(setting: &Setting) -> Error {
    setting.refuse(format!(
        "serde's `{}` makes JSON of another form: say which with `#[ordain(as = \"String\")]`",
        setting.word()
    ))
}

/// The declarations of fields, but for those that the caller leaves out.
pub(crate) fn declared_fields(
    fields: &NamedFields,
    container: &Container,
    left_out: impl Fn(&str) -> bool,
) -> Result<Vec<TokenStream>> {
    let mut out = Vec::new();
    let mut errors: Option<Error> = None;
    let mut seen = Vec::new();
    for field in fields {
        match declared_field(field, container, &left_out, &mut seen) {
            Ok(found) => out.extend(found),
            Err(error) => match &mut errors {
                Some(all) => all.combine(error),
                None => errors = Some(error),
            },
        }
    }
    errors.map_or(Ok(out), Err)
}

/// The type that `as` gives a field in JSON. An optional field stays one.
fn json_type(field: &Field, setting: &Setting) -> Result<Type> {
    let ty = setting.ty()?;
    if option_of(&field.ty).is_some() && option_of(&ty).is_none() {
        return Ok(syn::parse_quote!(::core::option::Option<#ty>));
    }
    Ok(ty)
}

/// A field can be taken in when its own fields have names.
fn check_flatten(setting: &Setting, ty: &Type) -> Result<()> {
    if option_of(ty).is_some() {
        let message = "an `Option` cannot be taken in: whether it is there is not in the JSON; \
                       make its fields optional";
        return Err(setting.refuse(message));
    }
    if matches!(shape(ty), Shape::Other) {
        return Ok(());
    }
    let message = "only a struct can be taken in: the schema names every field; what has no \
                   schema goes into a field of type `ordain::Value`";
    Err(setting.refuse(message))
}

fn declared_field(
    field: &Field,
    container: &Container,
    left_out: &impl Fn(&str) -> bool,
    seen: &mut Vec<String>,
) -> Result<Option<TokenStream>> {
    let Some(ident) = &field.ident else { return Ok(None) };
    let member = serde::member(&field.attrs)?;
    let given = settings(&field.attrs, "ordain")?;
    if member.skip {
        return match given.first() {
            Some(setting) => Err(setting.refuse("serde skips the field: it is not in the schema")),
            None => Ok(None),
        };
    }
    let json = container.field_name(&member, ident);
    if left_out(&json) {
        return Ok(None);
    }
    let named = given.iter().find(|it| it.is("as"));
    if let (Some(setting), None) = (&member.with, named) {
        return Err(needs_as(setting));
    }
    let named = named.map(|it| json_type(field, it)).transpose()?;
    let ty = named.as_ref().unwrap_or(&field.ty);
    let mut tags = Tags::new(Place::Field, shape(ty));
    for setting in given.iter().filter(|it| !it.is("as")) {
        if !tags.setting(setting)? {
            return Err(unknown(setting, Place::Field, &["as"]));
        }
    }
    if tags.required && tags.optional {
        return Err(Error::new_spanned(ident, "the field is both required and optional"));
    }
    let may_be_absent = option_of(ty).is_some()
        || member.default
        || member.skip_if
        || container.default
        || tags.defaulted;
    // A field without a word about it is required by serde: the declaration says so.
    if !tags.required && !tags.optional && member.flatten.is_none() {
        tags.text(if may_be_absent { "optional" } else { "required" });
    }
    let omit_empty = may_be_absent || tags.optional;
    let (name, json) = match &member.flatten {
        Some(setting) => {
            check_flatten(setting, ty)?;
            (String::new(), String::new())
        }
        None => (pascal(&plain(ident)), json),
    };
    if !json.is_empty() && seen.contains(&json) {
        return Err(Error::new_spanned(ident, format!("two fields are called `{json}` in JSON")));
    }
    seen.push(json.clone());
    let (docs, origin) = (texts(&docs(&field.attrs)?), origin(ident.span()));
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
