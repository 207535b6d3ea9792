//! `#[ordain(…)]` as settings: `name`, `name = value`, `name(…)`.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Ident, Lit, Result, Token, Type};

/// One setting with its place.
pub(crate) struct Setting {
    pub(crate) name: Ident,
    pub(crate) value: Given,
}

/// What is given to a setting.
pub(crate) enum Given {
    Nothing,
    /// Everything between `=` and the next comma.
    Value(TokenStream),
    List(Vec<Entry>),
}

/// An entry between the parentheses of a setting.
pub(crate) enum Entry {
    Literal(Lit),
    Setting(Setting),
}

impl Setting {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    pub(crate) fn word(&self) -> String {
        plain(&self.name)
    }

    pub(crate) fn span(&self) -> Span {
        self.name.span()
    }

    pub(crate) fn refuse(&self, message: impl std::fmt::Display) -> Error {
        Error::new(self.span(), message)
    }

    /// A setting without a value.
    pub(crate) fn flag(&self) -> Result<()> {
        match &self.value {
            Given::Nothing => Ok(()),
            _ => Err(self.refuse(format!("`{}` takes no value", self.word()))),
        }
    }

    /// A text: `name = "text"`.
    pub(crate) fn text(&self) -> Result<String> {
        let wanted = || self.refuse(format!("write it like `{} = \"text\"`", self.word()));
        match &self.value {
            Given::Value(tokens) => match syn::parse2::<Lit>(tokens.clone()) {
                Ok(Lit::Str(text)) => Ok(text.value()),
                _ => Err(wanted()),
            },
            _ => Err(wanted()),
        }
    }

    /// A whole number of zero or more: `name = 3`.
    pub(crate) fn size(&self) -> Result<i64> {
        let wanted = || {
            let name = self.word();
            self.refuse(format!("`{name}` needs a whole number of zero or more: `{name} = 3`"))
        };
        let Given::Value(tokens) = &self.value else { return Err(wanted()) };
        let Ok(Lit::Int(number)) = syn::parse2::<Lit>(tokens.clone()) else { return Err(wanted()) };
        number.base10_parse().ok().filter(|it| *it >= 0).ok_or_else(wanted)
    }

    /// A number, perhaps negative: `name = -1.5`.
    pub(crate) fn number(&self) -> Result<String> {
        let wanted = || {
            let name = self.word();
            self.refuse(format!("`{name}` needs a number: `{name} = 3`"))
        };
        let Given::Value(tokens) = &self.value else { return Err(wanted()) };
        number(tokens).ok_or_else(wanted)
    }

    /// A type: `name = Type`, or `name = "Type<With, Commas>"`.
    pub(crate) fn ty(&self) -> Result<Type> {
        let Given::Value(tokens) = &self.value else {
            return Err(self.refuse(format!("write it like `{} = \"String\"`", self.word())));
        };
        match syn::parse2::<Lit>(tokens.clone()) {
            Ok(Lit::Str(text)) => text.parse(),
            _ => syn::parse2(tokens.clone()),
        }
    }

    /// The entries of `name(…)`.
    pub(crate) fn entries(&self) -> Result<&[Entry]> {
        match &self.value {
            Given::List(entries) => Ok(entries),
            _ => Err(self.refuse(format!("write it like `{}(…)`", self.word()))),
        }
    }

    /// The settings of `name(…)`, which has no bare literals.
    pub(crate) fn settings(&self) -> Result<Vec<&Setting>> {
        self.entries()?
            .iter()
            .map(|entry| match entry {
                Entry::Setting(setting) => Ok(setting),
                Entry::Literal(literal) => {
                    Err(Error::new(literal.span(), "expected `name = value`"))
                }
            })
            .collect()
    }
}

/// A number as written, with its sign.
pub(crate) fn number(tokens: &TokenStream) -> Option<String> {
    let mut rest: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let negative = matches!(rest.first(), Some(TokenTree::Punct(it)) if it.as_char() == '-');
    if negative {
        rest.remove(0);
    }
    let digits = match syn::parse2::<Lit>(rest.into_iter().collect()).ok()? {
        Lit::Int(number) if number.suffix().is_empty() => number.base10_digits().to_owned(),
        Lit::Float(number) if number.suffix().is_empty() => number.base10_digits().to_owned(),
        _ => return None,
    };
    Some(if negative { format!("-{digits}") } else { digits })
}

/// A name without the `r#` of raw identifiers.
pub(crate) fn plain(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        // Keywords such as `type` and `enum` are names here.
        let name = Ident::parse_any(input)?;
        if input.peek(Token![=]) {
            let _: Token![=] = input.parse()?;
            let mut value = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                value.extend(std::iter::once(input.parse::<TokenTree>()?));
            }
            if value.is_empty() {
                return Err(input.error("expected a value"));
            }
            return Ok(Setting { name, value: Given::Value(value) });
        }
        if input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in input);
            let entries = Punctuated::<Entry, Token![,]>::parse_terminated(&inner)?;
            return Ok(Setting { name, value: Given::List(entries.into_iter().collect()) });
        }
        Ok(Setting { name, value: Given::Nothing })
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(Lit) && !input.peek(syn::LitBool) {
            return Ok(Entry::Literal(input.parse()?));
        }
        Ok(Entry::Setting(input.parse()?))
    }
}

/// The settings of all attributes with this name.
pub(crate) fn settings(attributes: &[Attribute], name: &str) -> Result<Vec<Setting>> {
    let mut out = Vec::new();
    for attribute in attributes.iter().filter(|it| it.path().is_ident(name)) {
        let found =
            attribute.parse_args_with(Punctuated::<Setting, Token![,]>::parse_terminated)?;
        out.extend(found);
    }
    Ok(out)
}

/// The lines of documentation. A line that Go would read as a tag is refused.
pub(crate) fn docs(attributes: &[Attribute]) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("doc")) {
        let syn::Meta::NameValue(meta) = &attribute.meta else { continue };
        let syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) = &meta.value else {
            continue;
        };
        for line in text.value().split('\n') {
            if line.trim_start().starts_with('+') {
                let message = "a line of documentation may not start with `+`: that is how tags \
                               are written in Go; use `#[ordain(…)]`";
                return Err(Error::new(text.span(), message));
            }
            out.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
        }
    }
    Ok(out)
}
