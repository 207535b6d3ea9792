//! `#[derive(Schema)]`: which sort of declaration a type is, and what all sorts share.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Error, Fields, GenericArgument, PathArguments, Result, Type};

use crate::attribute::{Setting, docs, settings};
use crate::tag::{Place, Shape, Tags, unknown};
use crate::{enumeration, structure, union};

/// The implementation of `Schema` for a type.
pub(crate) fn schema(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(generic) = input.generics.params.first() {
        let message = "a declared type has no parameters: every declaration has one name and \
                       one schema";
        return Err(Error::new_spanned(generic, message));
    }
    if let Some(setting) = settings(&input.attrs, "ordain")?.iter().find(|it| it.is("as")) {
        // Whatever it looks like in Rust, in JSON it is that type.
        return structure::alias(input, &setting.ty()?);
    }
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => structure::named(input, &fields.named),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                structure::newtype(input, &fields.unnamed[0])
            }
            _ => Err(Error::new_spanned(
                &input.ident,
                "declare a struct with named fields, or with one unnamed field for a named type",
            )),
        },
        Data::Enum(data) if data.variants.iter().all(|it| it.fields.is_empty()) => {
            enumeration::enumeration(input, data)
        }
        Data::Enum(data) => union::union(input, data),
        Data::Union(_) => Err(Error::new_spanned(
            &input.ident,
            "a Rust union has no JSON; a union of an API is an enum with data",
        )),
    }
}

/// What stands above a type: its name in the declaration, documentation and tags.
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) docs: TokenStream,
    pub(crate) tags: Vec<TokenStream>,
    pub(crate) origin: TokenStream,
    /// Settings that are no tags.
    pub(crate) rest: Vec<Setting>,
}

/// Reads what stands above a type. `more` are settings that the caller knows.
pub(crate) fn head(input: &DeriveInput, shape: Shape, more: &[&str]) -> Result<Head> {
    let mut tags = Tags::new(Place::Type, shape);
    let mut name = input.ident.to_string();
    let mut rest = Vec::new();
    for setting in settings(&input.attrs, "ordain")? {
        if setting.is("name") {
            name = type_name(&setting)?;
        } else if more.contains(&setting.word().as_str()) {
            rest.push(setting);
        } else if !tags.setting(&setting)? {
            let known: Vec<&str> = more.iter().copied().chain(["name"]).collect();
            return Err(unknown(&setting, Place::Type, &known));
        }
    }
    let docs = texts(&docs(&input.attrs)?);
    Ok(Head { name, docs, tags: tags.finish()?, origin: origin(input.ident.span()), rest })
}

fn type_name(setting: &Setting) -> Result<String> {
    let text = setting.text()?;
    let good = text.starts_with(|it: char| it.is_ascii_uppercase())
        && text.chars().all(|it| it.is_ascii_alphanumeric());
    if good {
        Ok(text)
    } else {
        Err(setting.refuse("a type's name is letters, the first in upper case"))
    }
}

/// A list of texts.
pub(crate) fn texts(lines: &[String]) -> TokenStream {
    quote!(::std::vec![#(::std::string::String::from(#lines)),*])
}

/// Where something is declared.
pub(crate) fn origin(span: Span) -> TokenStream {
    // The spans make these the place of the declaration, not of the derive.
    let (file, line, column) = (
        quote_spanned!(span=> ::core::file!()),
        quote_spanned!(span=> ::core::line!()),
        quote_spanned!(span=> ::core::column!()),
    );
    quote! {
        ::core::option::Option::Some(::ordain::declare::Origin {
            file: ::std::string::String::from(#file),
            line: #line,
            column: #column,
        })
    }
}

/// The implementation around a declaration.
pub(crate) fn implement(ident: &Ident, name: &str, item: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::ordain::Schema for #ident {
            fn declare(
                declarations: &mut ::ordain::declare::Declarations,
            ) -> ::ordain::declare::Ty {
                if declarations.open::<Self>(#name) {
                    let item = #item;
                    declarations.add(item);
                }
                ::ordain::declare::Ty::Local(::std::string::String::from(#name))
            }
        }
    }
}

/// The type inside `Option<…>`, if it is one.
pub(crate) fn option_of(ty: &Type) -> Option<&Type> {
    inside(ty, "Option")
}

fn inside<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|it| it.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// What the name of a type says about its JSON.
pub(crate) fn shape(ty: &Type) -> Shape {
    let mut ty = ty;
    while let Some(inner) = option_of(ty).or_else(|| inside(ty, "Box")) {
        ty = inner;
    }
    let Type::Path(path) = ty else { return Shape::Other };
    let Some(last) = path.path.segments.last() else { return Shape::Other };
    match last.ident.to_string().as_str() {
        "String" => Shape::Text,
        "bool" => Shape::Bool,
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "f32" | "f64" => Shape::Number,
        "Vec" | "BTreeSet" | "HashSet" => Shape::List,
        "BTreeMap" | "HashMap" => Shape::Map,
        _ => Shape::Other,
    }
}
