//! `#[derive(Resource)]`: a kind, with its names and versions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Result};

use crate::attribute::{Given, Setting};
use crate::item::{Head, head, implement, option_of, texts};
use crate::serde::{self, Container};
use crate::structure::{NamedFields, declared_fields};
use crate::tag::{Shape, go_quote, word};

pub(crate) const SETTINGS: &[&str] = &[
    "group",
    "version",
    "package",
    "plural",
    "short_name",
    "category",
    "cluster",
    "storage",
    "unserved",
    "deprecated",
    "scale",
    "selectable_field",
    "name_format",
];

/// What the settings of a kind say.
#[derive(Default)]
struct Kind {
    group: Option<String>,
    version: Option<String>,
    package: Option<String>,
    short_names: Vec<String>,
    categories: Vec<String>,
    cluster: bool,
    plural: Option<String>,
    tags: Vec<String>,
    metadata_tags: Vec<String>,
}

/// The implementations of `Schema` and `Resource` for a kind.
pub(crate) fn resource(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(generic) = input.generics.params.first() {
        return Err(Error::new_spanned(generic, "a kind has no parameters"));
    }
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a kind is a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "a kind has named fields"));
    };
    let fields = &fields.named;
    let head = head(input, Shape::Map, SETTINGS)?;
    let kind = kind(&head)?;
    let container = serde::container(&input.attrs)?;
    if let Some(setting) = &container.transparent {
        return Err(setting.refuse("a kind is an object: it cannot be `transparent`"));
    }
    let Some(metadata) = find(fields, &container, "metadata")? else {
        let message = "a kind has metadata: add `metadata: ordain::ObjectMeta`";
        return Err(Error::new_spanned(&input.ident, message));
    };
    if let Some(setting) = crate::attribute::settings(&metadata.attrs, "ordain")?.first() {
        return Err(setting.refuse("what concerns metadata is set above the kind"));
    }
    let left_out = |json: &str| matches!(json, "metadata" | "apiVersion" | "kind");
    let declared = declared_fields(fields, &container, left_out)?;
    let schema = declaration(input, &head, &kind, &declared);
    let identity = identity(input, &head, &kind, metadata)?;
    let accessors = accessors(input, fields, &container)?;
    Ok(quote!(#schema #identity #accessors))
}

/// The field with this name in JSON.
fn find<'a>(
    fields: &'a NamedFields,
    container: &Container,
    json: &str,
) -> Result<Option<&'a Field>> {
    for field in fields {
        let Some(ident) = &field.ident else { continue };
        let member = serde::member(&field.attrs)?;
        if container.field_name(&member, ident) == json && !member.skip {
            return Ok(Some(field));
        }
    }
    Ok(None)
}

fn kind(head: &Head) -> Result<Kind> {
    let mut kind = Kind::default();
    for setting in &head.rest {
        match setting.word().as_str() {
            "group" => kind.group = Some(group(setting)?),
            "version" => kind.version = Some(version(setting)?),
            "package" => kind.package = Some(word(setting)?),
            "plural" => kind.plural = Some(word(setting)?),
            "short_name" => kind.short_names.push(word(setting)?),
            "category" => kind.categories.push(word(setting)?),
            "cluster" => {
                setting.flag()?;
                kind.cluster = true;
            }
            "storage" => {
                setting.flag()?;
                kind.tags.push("kubebuilder:storageversion".into());
            }
            "unserved" => {
                setting.flag()?;
                kind.tags.push("kubebuilder:unservedversion".into());
            }
            "deprecated" => kind.tags.push(deprecated(setting)?),
            "scale" => kind.tags.push(scale(setting)?),
            "selectable_field" => {
                let path = dotted(setting)?;
                kind.tags.push(format!("kubebuilder:selectablefield:JSONPath={path}"));
            }
            _ => kind.metadata_tags.push(format!("nameFormat={}", word(setting)?)),
        }
    }
    kind.tags.extend(names(&kind));
    Ok(kind)
}

/// `kubebuilder:resource` with what differs from the usual.
fn names(kind: &Kind) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(plural) = &kind.plural {
        parts.push(format!("path={plural}"));
    }
    if kind.cluster {
        parts.push("scope=Cluster".to_owned());
    }
    if !kind.short_names.is_empty() {
        parts.push(format!("shortName={}", kind.short_names.join(";")));
    }
    if !kind.categories.is_empty() {
        parts.push(format!("categories={}", kind.categories.join(";")));
    }
    (!parts.is_empty()).then(|| format!("kubebuilder:resource:{}", parts.join(",")))
}

fn group(setting: &Setting) -> Result<String> {
    let text = word(setting)?;
    let good = text.contains('.')
        && text.split('.').all(|part| {
            !part.is_empty()
                && !part.starts_with('-')
                && !part.ends_with('-')
                && part
                    .chars()
                    .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-')
        });
    if good {
        return Ok(text);
    }
    Err(setting.refuse("a group is a domain of your own: `group = \"shop.example.com\"`"))
}

fn version(setting: &Setting) -> Result<String> {
    let text = word(setting)?;
    let good = text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
    if good { Ok(text) } else { Err(setting.refuse("a version is like `v1` or `v1beta1`")) }
}

fn dotted(setting: &Setting) -> Result<String> {
    let path = word(setting)?;
    Ok(if path.starts_with('.') { path } else { format!(".{path}") })
}

fn deprecated(setting: &Setting) -> Result<String> {
    Ok(match &setting.value {
        Given::Nothing => "kubebuilder:deprecatedversion".to_owned(),
        _ => format!("kubebuilder:deprecatedversion:warning={}", go_quote(&setting.text()?)),
    })
}

/// `scale(spec = ".spec.replicas", status = ".status.replicas", selector = ".status.selector")`.
fn scale(setting: &Setting) -> Result<String> {
    let (mut spec, mut status, mut selector) = (None, None, String::new());
    for inner in setting.settings()? {
        match inner.word().as_str() {
            "spec" => spec = Some(dotted(inner)?),
            "status" => status = Some(dotted(inner)?),
            "selector" => selector = format!(",selectorpath={}", dotted(inner)?),
            name => return Err(inner.refuse(format!("a scale has no `{name}`"))),
        }
    }
    match (spec, status) {
        (Some(spec), Some(status)) => Ok(format!(
            "kubebuilder:subresource:scale:specpath={spec},statuspath={status}{selector}"
        )),
        _ => Err(setting.refuse(
            "write it like `scale(spec = \".spec.replicas\", status = \".status.replicas\")`",
        )),
    }
}

fn declaration(
    input: &DeriveInput,
    head: &Head,
    kind: &Kind,
    fields: &[TokenStream],
) -> TokenStream {
    let Head { name, docs, tags, origin, .. } = head;
    let (own, metadata) = (&kind.tags, texts(&kind.metadata_tags));
    let item = quote! {
        ::ordain::declare::Item::Struct(::ordain::declare::Struct {
            name: ::std::string::String::from(#name),
            docs: #docs,
            tags: ::std::vec![#(#tags,)* #(::std::string::String::from(#own)),*],
            kind: true,
            fields: ::std::vec![#(#fields),*],
            metadata_tags: #metadata,
            origin: #origin,
        })
    };
    implement(&input.ident, name, &item)
}

fn identity(
    input: &DeriveInput,
    head: &Head,
    kind: &Kind,
    metadata: &Field,
) -> Result<TokenStream> {
    let (ident, name) = (&input.ident, &head.name);
    let needed = |what: &str| {
        let example = "#[ordain(group = \"shop.example.com\", version = \"v1\")]";
        Error::new(ident.span(), format!("a kind has a {what}: `{example}`"))
    };
    let group = kind.group.as_ref().ok_or_else(|| needed("group"))?;
    let version = kind.version.as_ref().ok_or_else(|| needed("version"))?;
    let package = kind.package.clone().unwrap_or_else(|| format!("{group}/{version}"));
    if package.rsplit('/').next() != Some(version.as_str()) {
        let message = format!("the package `{package}` must end in the version, `/{version}`");
        let setting = head.rest.iter().find(|it| it.is("package"));
        return Err(setting.map_or_else(|| needed("version"), |it| it.refuse(message)));
    }
    let field = &metadata.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::ordain::Resource for #ident {
            const GROUP: &'static str = #group;
            const VERSION: &'static str = #version;
            const KIND: &'static str = #name;
            const PACKAGE: &'static str = #package;

            fn metadata(&self) -> &::ordain::ObjectMeta {
                &self.#field
            }

            fn metadata_mut(&mut self) -> &mut ::ordain::ObjectMeta {
                &mut self.#field
            }
        }
    })
}

/// Access to spec and status, for code that works on all kinds.
fn accessors(
    input: &DeriveInput,
    fields: &NamedFields,
    container: &Container,
) -> Result<TokenStream> {
    let ident = &input.ident;
    let mut out = TokenStream::new();
    if let Some(Field { ident: Some(field), ty, .. }) = find(fields, container, "spec")? {
        out.extend(quote! {
            #[automatically_derived]
            impl ::ordain::HasSpec for #ident {
                type Spec = #ty;
                fn spec(&self) -> &Self::Spec { &self.#field }
                fn spec_mut(&mut self) -> &mut Self::Spec { &mut self.#field }
            }
        });
    }
    if let Some(found) = find(fields, container, "status")? {
        let Field { ident: Some(field), ty, .. } = found else { return Ok(out) };
        let optional = option_of(ty).is_some() || serde::member(&found.attrs)?.default;
        if !optional && !container.default {
            let message = "status is written by the server's side: it must be an `Option`, or \
                           have `#[serde(default)]`";
            return Err(Error::new_spanned(field, message));
        }
        out.extend(quote! {
            #[automatically_derived]
            impl ::ordain::HasStatus for #ident {
                type Status = #ty;
                fn status(&self) -> &Self::Status { &self.#field }
                fn status_mut(&mut self) -> &mut Self::Status { &mut self.#field }
            }
        });
    }
    Ok(out)
}
