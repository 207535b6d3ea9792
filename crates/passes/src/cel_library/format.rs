//! Named formats: `format.dns1123Label()`, `format.named`, `validate`.

use std::sync::LazyLock;

use ordain_cel::library::{Args, Call, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Opaque, Result, Val};
use ordain_go::regex::GoRegex;
use ordain_go::time::Timestamp;
use ordain_meta::name;

use ordain_go::url as go_url;

/// The name of the type.
pub(super) const NAME: &str = "kubernetes.NamedFormat";

/// A format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name in `format.named`.
    key: &'static str,
    name: &'static str,
    validate: fn(&str) -> Vec<String>,
    /// What costs take for the size of its pattern.
    pub(super) pattern_size: u64,
}

impl Opaque for Format {
    fn type_name(&self) -> &str {
        NAME
    }

    fn equals(&self, other: &Val<'_>) -> Result<bool> {
        other
            .downcast::<Format>()
            .map(|it| it.name == self.name)
            .ok_or_else(Error::no_such_overload)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

pub(super) fn ty() -> Type {
    Type::object(NAME)
}

fn one(valid: bool, message: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![message.to_owned()] }
}

fn is_uuid(text: &str) -> bool {
    static UUID: LazyLock<Option<GoRegex>> = LazyLock::new(|| {
        GoRegex::new("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$").ok()
    });
    UUID.as_ref().is_some_and(|regex| regex.is_match(text))
}

fn is_base64(text: &str) -> bool {
    static BASE64: LazyLock<Option<GoRegex>> = LazyLock::new(|| {
        let four = "[A-Za-z0-9+/]{4}";
        GoRegex::new(&format!("^(?:{four})*(?:[A-Za-z0-9+/]{{2}}==|[A-Za-z0-9+/]{{3}}=|{four})$"))
            .ok()
    });
    BASE64.as_ref().is_some_and(|regex| regex.is_match(text))
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && Timestamp::parse(&format!("{text}T00:00:00Z")).is_some()
}

fn is_date_time(text: &str) -> bool {
    static TIME: LazyLock<Option<GoRegex>> = LazyLock::new(|| {
        GoRegex::new("^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$").ok()
    });
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let in_range = |from: usize, max: &str| time.get(from..from + 2).is_some_and(|it| it <= max);
    is_date(date)
        && TIME.as_ref().is_some_and(|regex| regex.is_match(time))
        && in_range(0, "23")
        && in_range(3, "59")
        && in_range(6, "59")
}

fn uri(text: &str) -> Vec<String> {
    go_url::parse_request_uri(text).err().into_iter().collect()
}

/// All named formats.
static FORMATS: [Format; 13] = {
    const fn format(
        key: &'static str,
        name: &'static str,
        pattern_size: u64,
        validate: fn(&str) -> Vec<String>,
    ) -> Format {
        Format { key, name, validate, pattern_size }
    }
    [
        format("dns1123Label", "DNS1123Label", 30, |text| name::label_rule(text, false)),
        format("dns1123Subdomain", "DNS1123Subdomain", 60, |text| {
            name::subdomain_rule(text, false)
        }),
        format("dns1035Label", "DNS1035Label", 30, |text| name::label_1035_rule(text, false)),
        format("qualifiedName", "QualifiedName", 60, name::qualified_name),
        format("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |text| name::label_rule(text, true)),
        format("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, |text| {
            name::subdomain_rule(text, true)
        }),
        format("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |text| {
            name::label_1035_rule(text, true)
        }),
        format("labelValue", "LabelValue", 40, name::label_value),
        format("uri", "URI", 1_103, uri),
        format("uuid", "uuid", 70, |text| one(is_uuid(text), "does not match the UUID format")),
        format("byte", "byte", 84, |text| one(is_base64(text), "invalid base64")),
        format("date", "date", 71, |text| one(is_date(text), "invalid date")),
        format("datetime", "datetime", 71, |text| one(is_date_time(text), "invalid datetime")),
    ]
};

/// The format with this name.
pub(super) fn find(key: &str) -> Option<Format> {
    FORMATS.iter().find(|format| format.key == key).copied()
}

impl Format {
    /// What is wrong with a text.
    pub(super) fn check(&self, text: &str) -> Vec<String> {
        (self.validate)(text)
    }
}

macro_rules! constants {
    ($($index:literal),*) => {
        [$({
            fn constant<'a>(_: Args<'_, 'a>) -> Result<Val<'a>> {
                Ok(Val::opaque(FORMATS[$index]))
            }
            constant as Call
        }),*]
    };
}

/// The format library.
#[must_use]
pub fn module() -> Module {
    let strings = Type::list(Type::String);
    let mut module = Module::new("kubernetes.format")
        .function(Function::new("validate").member(
            "format-validate",
            [ty(), Type::String],
            Type::optional(strings),
            validate,
        ))
        .function(Function::new("format.named").overload(
            "format-named",
            [Type::String],
            Type::optional(ty()),
            named,
        ));
    let calls = constants!(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    for (format, call) in FORMATS.iter().zip(calls) {
        let name = format!("format.{}", format.key);
        module = module.function(Function::new(&name).overload(&name, [], ty(), call));
    }
    module
}

fn validate<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let format = args.at(0).downcast::<Format>().ok_or_else(Error::no_such_overload)?;
    let found = format.check(args.text(1)?);
    if found.is_empty() {
        return Ok(Val::Optional(None));
    }
    Ok(Val::some(Val::list(found.into_iter().map(Val::string).collect())))
}

fn named<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(find(args.text(0)?).map_or(Val::Optional(None), |format| Val::some(Val::opaque(format))))
}
