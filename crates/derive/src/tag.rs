//! Settings to tags: what an attribute of a type or field says in the language of Go's tags.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Error, Lit, Result};

use crate::attribute::{Given, Setting, number};
use crate::case::camel;
use crate::k8s;

/// Where a setting stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On a type.
    Type,
    /// On a field.
    Field,
    /// On a value of an enum.
    Value,
}

impl Place {
    /// Whether a setting may stand here, by whether it may stand on types.
    fn takes(self, name: &str, types: bool) -> bool {
        match self {
            Place::Type => types,
            Place::Field => true,
            Place::Value => matches!(name, "k8s" | "tag"),
        }
    }
}

/// What the syntax of a type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Number,
    Bool,
    List,
    Map,
    /// A type whose name says nothing.
    Other,
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Shape::Text => "a string",
            Shape::Number => "a number",
            Shape::Bool => "a boolean",
            Shape::List => "a list",
            Shape::Map => "a map",
            Shape::Other => "this type",
        }
    }
}

/// How the value of a setting is written.
#[derive(Clone, Copy)]
enum Form {
    Flag,
    /// A text that is quoted in the tag.
    Quoted,
    /// A word that is not.
    Word,
    /// One of these words.
    OneOf(&'static [&'static str]),
    Size,
    Number,
}

struct Known {
    name: &'static str,
    tag: &'static str,
    form: Form,
    /// What the value must be for the setting to mean something.
    about: &'static [Shape],
    types: bool,
}

const ANY: &[Shape] = &[];
const TEXT: &[Shape] = &[Shape::Text];
const NUMBER: &[Shape] = &[Shape::Number];
const LIST: &[Shape] = &[Shape::List];
const MAP: &[Shape] = &[Shape::Map];

const fn known(
    name: &'static str,
    tag: &'static str,
    form: Form,
    about: &'static [Shape],
    types: bool,
) -> Known {
    Known { name, tag, form, about, types }
}

const KNOWN: &[Known] = &[
    known("optional", "optional", Form::Flag, ANY, false),
    known("required", "required", Form::Flag, ANY, false),
    known("nullable", "nullable", Form::Flag, ANY, false),
    known("min_length", "minLength", Form::Size, TEXT, true),
    known("max_length", "maxLength", Form::Size, TEXT, true),
    known("pattern", "pattern", Form::Quoted, TEXT, true),
    known("format", "format", Form::Quoted, TEXT, true),
    known("min_items", "minItems", Form::Size, LIST, true),
    known("max_items", "maxItems", Form::Size, LIST, true),
    known("min_properties", "minProperties", Form::Size, MAP, true),
    known("max_properties", "maxProperties", Form::Size, MAP, true),
    known("minimum", "minimum", Form::Number, NUMBER, true),
    known("maximum", "maximum", Form::Number, NUMBER, true),
    known("exclusive_minimum", "exclusiveMinimum", Form::Flag, NUMBER, true),
    known("exclusive_maximum", "exclusiveMaximum", Form::Flag, NUMBER, true),
    known("immutable", "immutable", Form::Flag, ANY, true),
    known("mutually_exclusive", "mutually_exclusive", Form::Word, ANY, false),
    known("list_type", "listType", Form::OneOf(&["atomic", "set", "map"]), LIST, true),
    known("list_map_key", "listMapKey", Form::Word, LIST, true),
    known("map_type", "mapType", Form::OneOf(&["atomic", "granular"]), MAP, true),
    known("struct_type", "structType", Form::OneOf(&["atomic", "granular"]), ANY, true),
    known("feature_gate", "k8s:featureGate", Form::Word, ANY, false),
    known("warning", "k8s:warning", Form::Quoted, ANY, true),
    known("conversion_name", "conversionName", Form::Word, ANY, false),
    known("selectable", "k8s:selectableField", Form::Flag, ANY, false),
    known("union_discriminator", "unionDiscriminator", Form::Flag, ANY, false),
    known("union_inferred", "unionInferred", Form::Flag, ANY, false),
    known("union_discriminated_by", "unionDiscriminatedBy", Form::Word, ANY, false),
];

/// Settings whose values are lists, or that need more than a table.
const OTHERS: &[(&str, bool)] = &[
    ("default", true),
    ("rule", true),
    ("error", true),
    ("contextual", false),
    ("overrides", false),
    ("printer_column", true),
    ("union_member", false),
    ("k8s", true),
    ("tag", true),
];

/// The names of all settings.
#[cfg(test)]
pub(crate) fn names() -> Vec<&'static str> {
    KNOWN.iter().map(|it| it.name).chain(OTHERS.iter().map(|it| it.0)).collect()
}

/// The tags of one place, as expressions that make text.
pub(crate) struct Tags {
    place: Place,
    shape: Shape,
    out: Vec<TokenStream>,
    pub(crate) required: bool,
    pub(crate) optional: bool,
    pub(crate) defaulted: bool,
    minimum: Option<f64>,
    maximum: Option<f64>,
    list_type: Option<String>,
    list_map_keys: Vec<Span>,
}

impl Tags {
    pub(crate) fn new(place: Place, shape: Shape) -> Self {
        Tags {
            place,
            shape,
            out: Vec::new(),
            required: false,
            optional: false,
            defaulted: false,
            minimum: None,
            maximum: None,
            list_type: None,
            list_map_keys: Vec::new(),
        }
    }

    /// Adds a tag that is known here and now.
    pub(crate) fn text(&mut self, tag: &str) {
        self.out.push(quote!(::std::string::String::from(#tag)));
    }

    /// Reads a setting. False for a name that is not a tag's.
    pub(crate) fn setting(&mut self, setting: &Setting) -> Result<bool> {
        let name = setting.word();
        if let Some(known) = KNOWN.iter().find(|it| it.name == name) {
            self.fits(setting, known.types, known.about)?;
            let tag = tag_of(known, setting)?;
            self.note(&name, setting)?;
            self.text(&tag);
            return Ok(true);
        }
        let Some((_, types)) = OTHERS.iter().find(|it| it.0 == name) else { return Ok(false) };
        self.fits(setting, *types, ANY)?;
        match name.as_str() {
            "default" => self.default(setting)?,
            "rule" => self.text(&rule(setting)?),
            "error" => self.text(&custom_error(setting)?),
            "contextual" => self.text(&contextual(setting)?),
            "overrides" => self.overrides(setting)?,
            "printer_column" => self.text(&printer_column(setting)?),
            "union_member" => self.text(&union_member(setting)?),
            "k8s" => self.k8s(setting)?,
            _ => self.text(&raw(setting)?),
        }
        Ok(true)
    }

    fn k8s(&mut self, setting: &Setting) -> Result<()> {
        for inner in setting.settings()? {
            self.required |= inner.is("required");
            self.optional |= inner.is("optional");
            for tag in k8s::tags(inner)? {
                self.text(&tag);
            }
        }
        Ok(())
    }

    fn fits(&self, setting: &Setting, types: bool, about: &[Shape]) -> Result<()> {
        let name = setting.word();
        if !self.place.takes(&name, types) {
            let place = if self.place == Place::Type { "a type" } else { "a value of an enum" };
            return Err(setting.refuse(format!("`{name}` is about a field, not about {place}")));
        }
        if self.shape == Shape::Other || about.is_empty() || about.contains(&self.shape) {
            return Ok(());
        }
        let wanted: Vec<&str> = about.iter().map(|it| it.name()).collect();
        let message =
            format!("`{name}` is about {}, not about {}", wanted.join(" or "), self.shape.name());
        Err(setting.refuse(message))
    }

    /// Remembers what is compared with other settings.
    fn note(&mut self, name: &str, setting: &Setting) -> Result<()> {
        match name {
            "required" => self.required = true,
            "optional" => self.optional = true,
            "minimum" => self.minimum = setting.number()?.parse().ok(),
            "maximum" => self.maximum = setting.number()?.parse().ok(),
            "list_type" => self.list_type = Some(setting.text()?),
            "list_map_key" => self.list_map_keys.push(setting.span()),
            _ => {}
        }
        if let (Some(least), Some(greatest)) = (self.minimum, self.maximum)
            && least > greatest
        {
            return Err(setting.refuse("the minimum is above the maximum"));
        }
        Ok(())
    }

    fn default(&mut self, setting: &Setting) -> Result<()> {
        self.defaulted = true;
        let Given::Value(tokens) = &setting.value else {
            return Err(setting.refuse("write it like `default = 3`"));
        };
        let text = match syn::parse2::<Lit>(tokens.clone()) {
            Ok(Lit::Str(text)) => Some((Shape::Text, json_text(&text.value()))),
            Ok(Lit::Bool(it)) => Some((Shape::Bool, it.value.to_string())),
            _ => number(tokens).map(|it| (Shape::Number, it)),
        };
        let Some((shape, text)) = text else {
            // Any other expression is a value that serde writes.
            self.out.push(quote! {
                ::std::format!("default={}", ::ordain::declare::json(&(#tokens)))
            });
            return Ok(());
        };
        if self.shape != Shape::Other && self.shape != shape {
            let message =
                format!("the default is {}, the field is {}", shape.name(), self.shape.name());
            return Err(setting.refuse(message));
        }
        let value: Option<f64> = if shape == Shape::Number { text.parse().ok() } else { None };
        if value.is_some_and(|it| self.minimum.is_some_and(|least| it < least)) {
            return Err(setting.refuse("the default is below the minimum"));
        }
        if value.is_some_and(|it| self.maximum.is_some_and(|greatest| it > greatest)) {
            return Err(setting.refuse("the default is above the maximum"));
        }
        self.text(&format!("default={text}"));
        Ok(())
    }

    fn overrides(&mut self, setting: &Setting) -> Result<()> {
        let mut path = None;
        let mut tags = Tags::new(Place::Field, Shape::Other);
        for inner in setting.settings()? {
            if inner.is("path") {
                path = Some(word(inner)?);
            } else if !tags.setting(inner)? {
                return Err(unknown(inner, Place::Field, &[]));
            }
        }
        let path = path.ok_or_else(|| {
            setting.refuse("write it like `overrides(path = \"spec.size\", optional)`")
        })?;
        for tag in tags.out {
            self.out.push(quote!(::std::format!("override({})=+{}", #path, #tag)));
        }
        Ok(())
    }

    /// The tags, when all settings have been read.
    pub(crate) fn finish(self) -> Result<Vec<TokenStream>> {
        let is_map = self.list_type.as_deref() == Some("map");
        match self.list_map_keys.first() {
            Some(span) if !is_map => {
                let message = "`list_map_key` needs `list_type = \"map\"`";
                Err(Error::new(*span, message))
            }
            _ => Ok(self.out),
        }
    }
}

/// The refusal of a name that nothing knows, with the nearest one that is known.
pub(crate) fn unknown(setting: &Setting, place: Place, more: &[&str]) -> Error {
    let name = setting.word();
    let tags = KNOWN.iter().map(|it| (it.name, it.types)).chain(OTHERS.iter().copied());
    let tags = tags.filter(|(name, types)| place.takes(name, *types)).map(|it| it.0);
    let names = tags.chain(more.iter().copied());
    let nearest = names.map(|it| (distance(it, &name), it)).min();
    setting.refuse(match nearest {
        Some((far, it)) if far <= 3 => format!("unknown setting `{name}`; did you mean `{it}`?"),
        _ => format!("unknown setting `{name}`"),
    })
}

/// Edits between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, right) in b.iter().enumerate() {
            let cost = diagonal + usize::from(left != *right);
            diagonal = row[column + 1];
            row[column + 1] = cost.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

fn tag_of(known: &Known, setting: &Setting) -> Result<String> {
    let tag = known.tag;
    Ok(match known.form {
        Form::Flag => {
            setting.flag()?;
            tag.to_owned()
        }
        Form::Quoted => format!("{tag}={}", go_quote(&setting.text()?)),
        Form::Word => format!("{tag}={}", word(setting)?),
        Form::OneOf(words) => {
            let given = setting.text()?;
            if !words.contains(&given.as_str()) {
                let message = format!("`{given}` is none of {}", words.join(", "));
                return Err(setting.refuse(message));
            }
            format!("{tag}={given}")
        }
        Form::Size => format!("{tag}={}", setting.size()?),
        Form::Number => format!("{tag}={}", setting.number()?),
    })
}

/// A text of letters, digits and `_-./`, which needs no quotes in a tag.
pub(crate) fn word(setting: &Setting) -> Result<String> {
    let text = setting.text()?;
    let plain = |it: char| it.is_ascii_alphanumeric() || "_-./".contains(it);
    if text.is_empty() || !text.chars().all(plain) {
        return Err(setting.refuse(format!("`{}` needs a single word", setting.word())));
    }
    Ok(text)
}

const REASONS: &[&str] = &["Required", "Forbidden", "Invalid", "RequestEntityTooLarge"];

fn reason(setting: &Setting) -> Result<String> {
    let text = setting.text()?;
    if REASONS.contains(&text.as_str()) {
        return Ok(text);
    }
    Err(setting.refuse(format!("reason `{text}` is none of {}", REASONS.join(", "))))
}

/// `rule = "…"` or `rule(rule = "…", message = "…", …)`.
fn rule(setting: &Setting) -> Result<String> {
    if let Given::Value(_) = &setting.value {
        return Ok(format!("validationRule={}", go_quote(&setting.text()?)));
    }
    let (mut expression, mut rest) = (None, String::new());
    for inner in setting.settings()? {
        match inner.word().as_str() {
            "rule" => expression = Some(inner.text()?),
            name @ ("message" | "message_expression" | "field") => {
                rest.push_str(&format!(",{}={}", camel(name), go_quote(&inner.text()?)));
            }
            "reason" => rest.push_str(&format!(",reason={}", reason(inner)?)),
            name => {
                let message = format!(
                    "a rule has no `{name}`: it has rule, message, message_expression, reason \
                     and field"
                );
                return Err(inner.refuse(message));
            }
        }
    }
    match expression.filter(|it| !it.trim().is_empty()) {
        Some(it) => Ok(format!("validationRule={}{rest}", go_quote(&it))),
        None => Err(setting.refuse("the rule has no expression: `rule(rule = \"self > 0\")`")),
    }
}

/// `error(keyword = "minLength", message = "…", reason = "Invalid")`.
fn custom_error(setting: &Setting) -> Result<String> {
    let (mut keyword, mut message, mut rest) = (None, None, String::new());
    for inner in setting.settings()? {
        match inner.word().as_str() {
            "keyword" => keyword = Some(word(inner)?),
            "message" => message = Some(go_quote(&inner.text()?)),
            "reason" => rest = format!(", reason: {}", go_quote(&reason(inner)?)),
            name => return Err(inner.refuse(format!("a custom error has no `{name}`"))),
        }
    }
    match (keyword, message) {
        (Some(keyword), Some(message)) => {
            Ok(format!("validationError(keyword: \"{keyword}\", message: {message}{rest})"))
        }
        _ => Err(setting
            .refuse("write it like `error(keyword = \"minLength\", message = \"is too short\")`")),
    }
}

/// `contextual(field = "type", value = "RollingUpdate")`.
fn contextual(setting: &Setting) -> Result<String> {
    let (mut field, mut value) = (None, None);
    for inner in setting.settings()? {
        match inner.word().as_str() {
            "field" => field = Some(word(inner)?),
            "value" => value = Some(word(inner)?),
            name => return Err(inner.refuse(format!("a context has no `{name}`"))),
        }
    }
    match (field, value) {
        (Some(field), Some(value)) => Ok(format!("contextual({field})={value}")),
        _ => Err(setting
            .refuse("write it like `contextual(field = \"type\", value = \"RollingUpdate\")`")),
    }
}

/// `printer_column`, or with `name`, `type`, `json_path`, `format`, `description`, `priority`.
fn printer_column(setting: &Setting) -> Result<String> {
    if let Given::Nothing = &setting.value {
        return Ok("k8s:printerColumn".to_owned());
    }
    let mut parts = Vec::new();
    for inner in setting.settings()? {
        match inner.word().as_str() {
            name @ ("name" | "type" | "json_path" | "format" | "description") => {
                parts.push(format!("{}: {}", camel(name), go_quote(&inner.text()?)));
            }
            "priority" => parts.push(format!("priority: \"{}\"", inner.size()?)),
            name => return Err(inner.refuse(format!("a column has no `{name}`"))),
        }
    }
    Ok(format!("k8s:printerColumn({})", parts.join(", ")))
}

/// `union_member`, `union_member = "Value"` or `union_member(value = "Value", optional)`.
fn union_member(setting: &Setting) -> Result<String> {
    match &setting.value {
        Given::Nothing => Ok("unionMember".to_owned()),
        Given::Value(_) => Ok(format!("unionMember={}", word(setting)?)),
        Given::List(_) => {
            let (mut value, mut optional) = (String::new(), "");
            for inner in setting.settings()? {
                match inner.word().as_str() {
                    "value" => value = format!("={}", word(inner)?),
                    "optional" => {
                        inner.flag()?;
                        optional = ",optional";
                    }
                    name => return Err(inner.refuse(format!("a union member has no `{name}`"))),
                }
            }
            Ok(format!("unionMember{value}{optional}"))
        }
    }
}

/// `tag = "k8s:item(name: \"main\")=+k8s:immutable"`: a tag as Go writes it.
fn raw(setting: &Setting) -> Result<String> {
    let text = setting.text()?;
    if text.starts_with('+') {
        return Err(setting.refuse("the tag is written without its `+`"));
    }
    if text.trim().is_empty() || text.contains('\n') {
        return Err(setting.refuse("a tag is one line"));
    }
    Ok(text)
}

/// A text in quotes as Go writes it, on one line.
pub(crate) fn go_quote(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            it if (it as u32) < 0x20 || it == '\u{7f}' => {
                out.push_str(&format!("\\x{:02x}", it as u32));
            }
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

/// A text as JSON writes it.
pub(crate) fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            it if (it as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", it as u32)),
            it => out.push(it),
        }
    }
    out.push('"');
    out
}
