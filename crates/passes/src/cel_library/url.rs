//! URLs: `url`, `isURL` and their parts.

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Opaque, Result, Val};

use ordain_go::url::{self as go_url, GoUrl};

/// The name of the type.
pub(super) const NAME: &str = "kubernetes.URL";

/// A URL.
#[derive(Clone, Debug)]
pub struct Url(GoUrl);

impl Opaque for Url {
    fn type_name(&self) -> &str {
        NAME
    }

    fn equals(&self, other: &Val<'_>) -> Result<bool> {
        other
            .downcast::<Url>()
            .map(|other| self.0.text() == other.0.text())
            .ok_or_else(Error::no_such_overload)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn to_text(&self) -> Option<String> {
        Some(self.0.text())
    }
}

pub(super) fn ty() -> Type {
    Type::object(NAME)
}

/// The URL library.
#[must_use]
pub fn module() -> Module {
    let part = |name: &str, id: &str, call: ordain_cel::library::Call| {
        Function::new(name).member(id, [ty()], Type::String, call)
    };
    Module::new("kubernetes.urls")
        .function(Function::new("url").overload("string_to_url", [Type::String], ty(), from_string))
        .function(part("getScheme", "url_get_scheme", scheme))
        .function(part("getHost", "url_get_host", host))
        .function(part("getHostname", "url_get_hostname", hostname))
        .function(part("getPort", "url_get_port", port))
        .function(part("getEscapedPath", "url_get_escaped_path", escaped_path))
        .function(Function::new("getQuery").member(
            "url_get_query",
            [ty()],
            Type::map(Type::String, Type::list(Type::String)),
            query,
        ))
        .function(Function::new("isURL").overload(
            "is_url_string",
            [Type::String],
            Type::Bool,
            is_url,
        ))
}

fn from_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    go_url::parse_request_uri(text)
        .and_then(|_| go_url::parse(text))
        .map(|url| Val::opaque(Url(url)))
        .map_err(|error| {
            Error::new(format!("URL parse error during conversion from string: {error}"))
        })
}

fn is_url<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(go_url::parse_request_uri(args.text(0)?).is_ok()))
}

fn arg<'v>(args: Args<'v, '_>) -> Result<&'v GoUrl> {
    args.at(0).downcast::<Url>().map(|url| &url.0).ok_or_else(Error::no_such_overload)
}

fn scheme<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(arg(args)?.scheme.as_str()))
}

fn host<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(arg(args)?.host.as_str()))
}

fn hostname<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(arg(args)?.hostname()))
}

fn port<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(arg(args)?.port()))
}

fn escaped_path<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(arg(args)?.escaped_path()))
}

fn query<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let entries = arg(args)?.query().into_iter().map(|(key, values)| {
        (Val::string(key), Val::list(values.into_iter().map(Val::string).collect()))
    });
    Ok(Val::map(entries.collect()))
}
